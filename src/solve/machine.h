/*
 * An execution that can be run step by step, and taken back: the racy memory, the values of expressions as far as they
 * are known, and where every thread stands. What the search (walk.h) moves about in.
 *
 *     struct machine *m = machine_new(&problem, impossible, &contradiction, &err);
 *     struct machine_mark k = machine_mark(m);
 *     if (machine_can(m, chain) && machine_step(m, machine_next(m, chain)) == STEP_WRONG)
 *         machine_undo(m, k);
 *
 * A step is a node of memory.h; a chain (thread, store buffer) offers one at a time. A read gets its value from
 * memory or its own store buffer, and every expression that depends on no other unknown symbol is evaluated at once; a
 * condition that turns out false makes the step wrong, as early as it can be known.
 *
 * The state is summed up in 128 bits: the places of all chains, memory that will still be read, and the values that
 * something later depends on. Two ways to the same state have the same future.
 */
#ifndef RETHREAD_MACHINE_H
#define RETHREAD_MACHINE_H

#include "model/problem.h"

struct machine; /* opaque */

struct machine_hash {
	uint64_t a, b;
};

/* A set of memory: a bit for each remainder of the atoms' numbers. */
enum { MACHINE_ATOM_WORDS = 4 };
struct machine_atoms {
	uint64_t bits[MACHINE_ATOM_WORDS];
};

struct machine_mark {
	size_t n32, n64;
	struct machine_hash hash;
	uint32_t done;
};

/*
 * The problem and `impossible` (values.h, of the problem) must outlive the machine. NULL and a sentence, with *contradiction,
 * when a condition is false whatever is read.
 */
struct machine *machine_new(const struct problem *p, const bool *impossible, bool *contradiction, struct error *err);
void machine_free(struct machine *m);

/* A thread stops at a store while it has so many that are not visible; no limit at first. */
void machine_limit_buffers(struct machine *m, uint32_t most);
/*
 * Stores become visible at once, unless they are among those that may be delayed; or any may be delayed, as it is at first. One that becomes visible at
 * once has two nodes of which one is to be run right after the other.
 */
void machine_delay_none(struct machine *m);
void machine_may_delay(struct machine *m, uint32_t event);
void machine_delay_any(struct machine *m);
/* The node that has to be run right after this one, or UINT32_MAX. */
uint32_t machine_second(const struct machine *m, uint32_t node);
uint32_t machine_chains(const struct machine *m);
/* The chain's next node, or UINT32_MAX at its end. */
uint32_t machine_next(const struct machine *m, uint32_t chain);
/* Has all come that must come before the chain's next node? False at its end. */
bool machine_can(const struct machine *m, uint32_t chain);
/* Have all nodes been run, and all conditions been met? */
bool machine_is_done(const struct machine *m);
/* Are there symbols that no read gives a value? Then that nothing is found proves nothing. */
bool machine_is_free(const struct machine *m);
bool machine_ran(const struct machine *m, uint32_t node);

enum stepped {
	STEP_WRONG, /* a condition does not hold, or a value is read that is not the one expected: take it back */
	STEP_DEAD,  /* right, and no value that was read is of further use: nothing is lost by doing it now */
	STEP_LIVE,  /* right, and something later depends on what was read */
};

/* Runs a node that machine_can run. */
enum stepped machine_step(struct machine *m, uint32_t node);
struct machine_mark machine_mark(const struct machine *m);
void machine_undo(struct machine *m, struct machine_mark k);

/*
 * Can the node be run now without loss, whatever it reads: does nothing that other chains still do interfere with
 * it, apart from what is known to come later?
 */
bool machine_is_local(const struct machine *m, uint32_t node);
/* Does the node read values that matter, or change memory that matters? */
bool machine_reads(const struct machine *m, uint32_t node);
bool machine_writes(const struct machine *m, uint32_t node);
/* Adds the memory that it reads or changes, as far as it matters, and locks and their like whose order is open. */
void machine_touches(const struct machine *m, uint32_t node, struct machine_atoms *atoms);
/* The next read of a chain is wrong now: can it become right, by a write still to come? */
bool machine_has_hope(const struct machine *m, uint32_t read);
/* Has the chain's next read, as far as is trusted (below), a value that it can have? True where there is no trust. */
bool machine_is_wanted(const struct machine *m, uint32_t read);
/* Of a large problem: has the chain's next read missed a write whose value it could have? Which, and what is there instead. */
bool machine_lost(const struct machine *m, uint32_t read, uint32_t *wanted, uint32_t *instead);
/* Of a large problem: a write after which its own thread reads what nobody gives it any more, whenever the write comes. */
bool machine_is_doomed(const struct machine *m, uint32_t write);
/*
 * A write: how many next reads of other threads want its value minus how many want the one it overwrites. INT32_MIN: some
 * read could never be right afterwards.
 */
int32_t machine_merit(const struct machine *m, uint32_t node);

/*
 * Of a large problem: whether hope and merit take it that what a thread writes is what it reads back. Mostly so, but others may
 * write in between: then there may be hope where there seems to be none, and nothing is proven.
 */
void machine_trust(struct machine *m, bool trusting);
/* Not of this write any more; counts from the next machine_trust on. */
void machine_doubt(struct machine *m, uint32_t event);

struct machine_hash machine_hash(const struct machine *m);
/* What event each piece of problem.h has seen, WRITER_INITIAL for none; valid when all is done. */
const uint32_t *machine_seen(const struct machine *m);

#endif
