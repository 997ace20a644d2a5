/*
 * Concrete values for what is not known: what a racy read is taken to have found (guess.c), that it came too early (early.c), that nobody can have
 * written yet (quiet.c). What a run learns is kept for the next one (*_load, *_finish).
 */
#ifndef RETHREAD_SYM_GUESS_H
#define RETHREAD_SYM_GUESS_H

#include "sym/engine.h"

/* guess.c: concrete values for what is not known. */
/* The number of the racy read at hand at its SAP. */
uint32_t guess_piece(struct ethread *t);
/* The racy read at hand: a new symbol, and what it is taken to have read; *piece is its number at this SAP. */
struct slot guess_read(struct ethread *t, uint64_t address, unsigned size, uint64_t in_memory, uint32_t *piece);
/* In a run on known values (ties.h), the thread wrote there itself. */
void guess_wrote(struct ethread *t, uint64_t address);
/* The symbol, if it is one, was taken to be v. */
void guess_was(expr e, uint64_t v);
/* Takes the expression to be v from here on; `address`: of the access that comes next. */
void guess_assume(struct ethread *t, expr e, uint64_t v, bool address);
/*
 * The expression of the address of the access at hand, once; EXPR_NONE: it is not assumed, or that of the other end of
 * a copy is.
 */
expr guess_take_address(struct ethread *t, uint64_t at);
/*
 * What a read at `address`, assumed to be `at`, gives: what it found there if the assumption holds, else anything.
 * So a condition met later names the assumptions it rests on. Without an assumption: the value's own expression.
 */
expr guess_guarded(struct ethread *t, expr address, uint64_t at, const struct slot *value, unsigned size);
/* The recorded thread did not come here this way: some guess in the causal past of t is wrong. */
void guess_refute(struct ethread *t);
/*
 * The recorded fault: should this, about to be used as an address (else as a parameter, or called), be the one? Then *v is it.
 */
bool guess_is_fault(struct ethread *t, expr e, bool address, uint64_t *v);
/* Likewise where the recorded run failed at something that is no address: which, nobody knows. *v is one such, and that it is one is a condition. */
bool guess_is_wild(struct ethread *t, expr e, bool address, uint64_t *v);
/* Is the thread where it got the signal that ended the recorded run, as far as its log and the source line tell? */
bool guess_is_where_it_failed(const struct ethread *t);
/* Should the division at hand, of or by something that is not known, be the recorded failure? */
bool guess_division_fails(const struct ethread *t);
void guess_load(void);
/*
 * At the end: refuted combinations become conditions, and are kept for the next run; not those of a run that found
 * new races, where an unknown race may have been the reason.
 */
void guess_finish(bool races_known);

/* early.c: the log has the branch at hand going against what its condition's racy reads are taken to have found. */
void early_contradicted(struct ethread *t, expr condition);
/* Before a read: others go first where an earlier run found that it came too early. */
void early_await(struct ethread *self, uint64_t address, unsigned size);
void early_load(void);
/* At the end: leaves what was found for the driver; how much of it is new. */
size_t early_finish(void);

/* suspect.c: an instruction reads what is known to race, or not; after races_access. Does it count as racing? */
bool suspect_read(struct ethread *t, uint32_t site, uint64_t address, unsigned size, bool racy);
/* A branch goes against what was read, and no symbol decides it. */
void suspect_mismatch(struct ethread *t);
void suspect_load(void);
void suspect_finish(void);

/* quiet.c: does the racy read at hand find what is there, because by the time stamps nobody else has written yet? Then it is no event. */
bool quiet_read(struct ethread *t, uint32_t site, const struct access *a);
/* Memory that races is accessed; after races_access. */
void quiet_access(struct ethread *t, uint64_t address, uint64_t size, bool write);
/* Laps were left out: its last read of the place came so many SAPs later. */
void quiet_moved(struct ethread *t, uint64_t address, uint64_t saps);
void quiet_load(void);
/* At the end: is another run, with what this one learnt, worth while? Not 0: yes. */
size_t quiet_finish(void);

#endif
