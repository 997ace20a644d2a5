/*
 * What the solver has to decide: for every read whose value matters, which write it sees.
 *
 * A read is looked at piece by piece, one piece per atom it covers. The candidates of a piece are the writes
 * that it can see under what is known of the order: not those known to come after the read, not those known
 * to be overwritten before it, and the initial value only when no write is known to come before.
 * Reads that no condition depends on, directly or through what is written, are left out: any order is
 * right for them.
 *
 * Of each thread the candidates are a range of its writes, so a problem is linear in its reads. Small ones have the
 * candidates written out as well, for what looks at every single one.
 */
#ifndef RETHREAD_PROBLEM_H
#define RETHREAD_PROBLEM_H

#include "model/memory.h"
#include "model/pinned.h"

#define WRITER_INITIAL UINT32_MAX

/* More candidates than this are too many for a formula, and for a search that looks at each. */
#define PROBLEM_LARGE 1000000u

/* Candidates of a piece that are of one thread: writers[from .. to) of the problem, in program order. */
struct writer_range {
	uint32_t from, to;
};

/*
 * bits [low, low + width) of the event's read value are what the writer put at the atom. `own` is the last
 * write of the same thread to the atom before the read, or WRITER_INITIAL: under TSO and PSO the thread
 * sees it before it is visible.
 */
struct piece {
	uint32_t event;
	uint32_t atom;
	uint32_t own;
	uint32_t first, count; /* in problem.candidates: writing events or WRITER_INITIAL, at least one */
	uint32_t ranges, nranges; /* the same in problem.ranges, without the initial value */
	bool initial;          /* the initial value is a candidate, the first */
	uint8_t low, width;    /* bits */
};

struct problem {
	const struct memory *m;
	vec(struct piece) pieces;       /* those that matter */
	vec(uint32_t) candidates;       /* none when `large` */
	vec(struct writer_range) ranges;
	vec(uint32_t) writers;          /* writing events by atom, thread and program order, of atoms that are read */
	bool large;                     /* too many candidates to be written out: there are only ranges */
	uint64_t *initial;              /* by atom: its bits, when a candidate somewhere; 0 when unknown */
	uint32_t unknown;               /* a piece that may see an unknown initial value, or UINT32_MAX: with one, that
					   nothing explains the execution is not proven */
	bool *matters;                  /* by symbol */
	struct pinned pinned;           /* what the conditions say of values */
	bool all_reads;                 /* as asked for */
	uint64_t racy_reads;            /* pieces with more than one candidate */
};

struct problem_options {
	bool all_reads; /* every read matters, whatever the conditions say */
	bool written_out; /* never `large`, */
	bool large;       /* or always */
	uint64_t most;    /* else with more candidates than this; 0: with more than PROBLEM_LARGE */
};

bool problem_init(struct problem *p, const struct memory *m, const struct problem_options *options,
		  struct error *err);
void problem_release(struct problem *p);

/* Where the atom's bits are in what the event reads or writes. */
unsigned atom_low_bit(const struct memory *m, uint32_t event, uint32_t atom);

#endif
