/* Loops that wait for another thread: of many rounds that read the same, one is enough (spin.c, laps.c, counting.c). */
#ifndef RETHREAD_SYM_LAPS_H
#define RETHREAD_SYM_LAPS_H

#include "sym/engine.h"

/*
 * laps.c: a read of shared memory is about to happen, at an address that is known; it has happened, and when it races it is the last
 * event. The first may leave out laps of a loop: the thread is then further on, at the same instruction.
 */
void laps_read(struct ethread *t, uint32_t site, const struct access *a);
void laps_note(struct ethread *t, uint32_t site, const struct access *a, bool racy);
/* Something is stored that does not race. */
void laps_store(struct ethread *t, uint32_t site, const struct access *a);
/* An atomic update that races, the last event, has found `old` and written a->value; laps_read came before. */
void laps_updated(struct ethread *t, uint32_t site, const struct access *a, uint64_t old);

/* An update that wrote this is left out. How many there were that may have changed something. */
void laps_doubt(expr written);
uint64_t laps_doubtful(void);

/*
 * counting.c: two laps were the same but for what may be counters. Begins to look at how the next one changes them, if it is worth it; the
 * lap is over: for how many more it will go on like that, at the most `ahead(t)`, which takes them there; 0: not at all.
 */
bool counting_begins(struct ethread *t, const struct lap *end, const struct slot *registers, size_t n);
uint64_t counting_ends(struct ethread *t, const struct lap *end, uint64_t (*ahead)(struct ethread *, const struct lap *, uint64_t most));
/* The lap does not come to its end, or uses what changes in some other way. */
void counting_stops(struct ethread *t);
/* The expression, without counters. */
expr counting_clean(struct ethread *t, expr e);
/* A branch that is not recorded is decided by it. False: no counter is in it. */
bool counting_known(struct ethread *t, expr e, uint64_t v);
/* Are the expressions the same, with the symbols of the one lap where the other has its own? */
bool laps_same_expr(const struct laps *l, expr a, expr b);

/*
 * spin.c: is the racy read at hand one more round of a busy wait? Then it needs no event, and a->value is what it
 * read; else, after its event was added, it is noted.
 */
bool spin_read(struct ethread *t, uint32_t site, struct access *a);
void spin_note(struct ethread *t, uint32_t site, const struct access *a);
/* The event of the round before, and what it read, when the access at hand may be one more round; else NULL. */
const struct event *spin_last(const struct ethread *t, uint32_t site, const struct access *a, struct slot *value);

#endif
