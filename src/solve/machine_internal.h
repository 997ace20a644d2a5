/* Inside the machine (machine.h): what machine_new.c builds and machine.c runs. */
#ifndef RETHREAD_MACHINE_INTERNAL_H
#define RETHREAD_MACHINE_INTERNAL_H

#include "model/values.h"
#include "solve/machine.h"

#define NONE UINT32_MAX

static inline uint64_t bits(uint64_t v, unsigned low, unsigned width)
{
	v >>= low;
	return width == 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

/* Accesses of one chain to one atom, reads or writes: nodes list[from .. to), the first not run yet at `next`. */
struct accesses {
	uint32_t atom, chain, thread;
	uint32_t from, to, next;
	bool write;
};

/*
 * Candidates of a piece that are of one thread: indexes from .. to in problem.candidates, ascending; of a large
 * problem, in problem.writers.
 */
struct candidates {
	uint32_t from, to;
	uint32_t last;  /* node of the last one that is possible, or NONE; of a large problem: of one that is known to be */
	uint32_t empty; /* of a large problem: none is possible from this index on */
};

struct write_part {
	uint32_t atom, accesses;
	uint8_t low, width;
};

/* A lock, condition variable, semaphore or barrier whose order is open. */
struct sync_object {
	uint32_t owner, depth, readers; /* lock; owner: thread + 1 */
	uint32_t tokens;                /* semaphore */
	uint32_t arrived, size;         /* barrier: so far, and in a round */
	uint32_t taker;                 /* a thread that takes tokens, + 1 */
	bool many_take;                 /* another one does, too */
	bool is_awaited;                /* condition variable: somebody waits on it */
	bool is_tested;                 /* something holds only while it is held, empty, or not signalled */
};

/* Where a thread stands with a condition variable (number + 1) or barrier. */
struct waiter {
	uint32_t condition, signals, woken;
	uint32_t round; /* leaves the barrier when so many have arrived */
};

struct undo32 {
	uint32_t *at, old;
};

struct undo64 {
	uint64_t *at, old;
};

/*
 * Expressions: `waiting` operands are not known yet (a symbol waits for its read); `pending` uses are to come, by
 * expressions that wait and by writes that are not visible. One that is known and has pending uses is live, and part
 * of the state. Only expressions in `cone` count: those below conditions and below writes that matter.
 */
struct machine {
	const struct problem *p;
	const struct memory *m;
	const struct execution *x;
	const bool *impossible;
	struct value_test *test; /* of a large problem, instead */
	bool *is_expected;       /* then, by event: it is a write of which it is known what it most likely writes, */
	uint64_t *expected;      /* and what that is */
	bool trusting;           /* machine.h */

	uint32_t nchains;
	uint32_t *sequence, *start; /* nodes of chain c: sequence[start[c] .. start[c + 1]) */
	uint32_t *place;            /* by node: in its chain */
	uint32_t *at;               /* by chain: how many were run */
	uint32_t done;
	uint32_t *missing;          /* by node: edges from other chains not run yet */
	uint32_t *out, *out_start;

	uint32_t *pieces, *piece_start; /* by event */
	uint32_t *read_accesses;        /* by piece */
	bool *lives;                    /* by piece: its value counts whatever the conditions say */
	struct candidates *runs;
	uint32_t *run_start;            /* by piece */
	vec(struct write_part) parts;
	uint32_t *part_start;           /* by event */
	vec(struct accesses) accesses;
	uint32_t *access_nodes;
	uint32_t *atom_accesses, *atom_start;

	uint64_t *memory;    /* by atom */
	uint32_t *unknown;   /* by atom: is its value known to nobody? */
	uint32_t *writer;    /* by atom */
	uint32_t *unread;    /* by atom: reads still to come */
	uint32_t *seen;      /* by piece */
	uint64_t *stored;    /* by event: what it wrote */
	bool *lost;          /* by event: it wrote what depends on a symbol that has no value */
	bool *counts;        /* by event: a write that some read may see; what others write is of no interest */
	uint32_t *buffered;  /* by thread: stores that are not visible yet */
	uint32_t most_buffered;
	bool *may_delay;     /* by event: a store that need not be visible at once; NULL: none need */
	struct sync_object *objects;
	uint32_t *object_of; /* by event, when the order of synchronization is open; or NULL */
	struct waiter *waiters; /* by thread */

	uint64_t *value;     /* by expression */
	uint32_t *waiting, *pending;
	uint32_t *parents, *parent_start;
	bool *cone, *is_condition;
	uint32_t conditions_left; /* conditions whose value is not known yet */
	bool is_free;        /* some symbols are given a value by no read */
	expr *symbol;        /* by symbol: its node, or 0 */
	vec(expr) known;     /* in the step that runs */
	uint64_t *symbols;   /* of expr_apply */

	/* wants.c: by list of accesses, what its writes give; one more than the index of the last of which that is not known. */
	struct last_write *last_writes;
	uint32_t last_mask, *last_open;

	struct machine_hash hash;
	vec(struct undo32) undo32;
	vec(struct undo64) undo64;
};

/* machine.c: changes that can be taken back; facts that are part of the state. */
enum part { PART_PLACE = 1, PART_MEMORY, PART_VALUE, PART_LOCK, PART_UNKNOWN, PART_WAITER };
void machine_set32(struct machine *m, uint32_t *at, uint32_t value);
void machine_toggle(struct machine *m, enum part part, uint32_t number, uint64_t value);
/* ... and one place more in a set. */
void machine_add_atom(struct machine_atoms *atoms, uint32_t atom);

/* wants.c: after all else is built; the value that the piece of a read to come has to have, if conditions say so by now; is a write to
 * come that gives the atom this value, or may do so? */
void machine_wants_build(struct machine *m);
bool machine_wants(const struct machine *m, uint32_t number, uint64_t *value);
bool machine_comes(const struct machine *m, uint32_t atom, uint64_t value);

/* machine_sync.c; can, is_local and do are about an event of any kind. */
void machine_sync_build(struct machine *m);
bool machine_sync_can(const struct machine *m, uint32_t event);
bool machine_sync_is_local(const struct machine *m, uint32_t event);
void machine_sync_do(struct machine *m, uint32_t event);
void machine_sync_touches(const struct machine *m, uint32_t event, struct machine_atoms *atoms);
/* Is nobody woken who is never woken? */
bool machine_sync_is_done(const struct machine *m);

#endif
