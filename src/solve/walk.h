/*
 * A search through the interleavings themselves, with no solver: depth first, over the machine (machine.h).
 *
 * What makes it fast:
 *   - Steps that lose nothing are taken at once: what no other thread can still interfere with, and reads whose value is
 *     right now and of no further use. (If a right order has such a read later, it can be moved to here: a read
 *     changes nothing for others.) Only writes that others look at and reads whose value lives on are choices.
 *   - A state from which nothing leads on is kept in a table and never entered again, by whatever way.
 *   - A write that leaves some thread's next read without any writer it could see is no choice.
 * Busy waiting costs nothing: a thread whose next read is wrong just waits. With few threads, or few values in memory, the
 * whole space is often small enough to prove that nothing explains the execution.
 *
 * Large problems (problem.h) are searched with jumps, after which nothing is proven: a dead end goes back to the last choice
 * that touched the memory it is about; a step that turned out to be too early sleeps until another thread
 * has touched the same memory, and from then on comes as late as it can. So one wrong choice costs one dead
 * end, however long ago it was. Others can be searched so as well, beside a search that proves.
 *
 * They also take for granted what is mostly so, until they are stuck (way.h).
 *
 * A steady search does neither, and has one taste and all patience. Where few threads are active at a time, the states near the
 * order in which the executor ran are not many, and a mistake may show only thousands of steps later, in memory that all of them touched:
 * there it finds what jumps pass over.
 *
 * Several walks with different seeds may search one problem and share what they know to be dead: then all that one of them has searched is
 * searched for all.
 *
 * Each round has its own taste in what to try first, and a limit; dead states stay known from round to round. Under TSO
 * and PSO store buffers are small at first, as they are in machines, and grow only when that is not enough.
 */
#ifndef RETHREAD_WALK_H
#define RETHREAD_WALK_H

#include "model/linear.h"
#include "model/problem.h"
#include "solve/dead.h"

enum walk_result {
	WALK_FOUND,
	WALK_NONE,      /* all was searched */
	WALK_UNDECIDED, /* out of time, or it holds something the machine cannot run */
};

struct walk_options {
	const uint32_t *as_run; /* by node: place in the order in which the executor ran, tried before all, or NULL */
	const uint32_t *guess;  /* by node: place in an order to try first, or NULL */
	const bool *impossible; /* by candidate: values.h */
	size_t table;           /* most dead states kept (dead.h) */
	struct dead *dead;      /* NULL, or: those of other walks of the same problem, excluded answers and all, shared */
	unsigned seed;          /* another number tries other choices first */
	bool jumps;             /* search as large problems are searched; then nothing is proven */
	bool steady;            /* one round, nearest to as_run, that goes back step by step and takes nothing for granted */
	bool brief;             /* a large problem: undecided, once, when the search is stuck: there is something else to try */
};

struct walk_figures {
	uint64_t steps, states, dead_ends, rounds;
	double seconds;
};

struct walk; /* opaque */

/* All that is given must outlive the walk. Never fails: what the machine cannot run stays undecided. */
struct walk *walk_new(const struct problem *p, const struct walk_options *o);
void walk_free(struct walk *w);

/* Goes on for so long, or until *stop (may be NULL) becomes true. */
enum walk_result walk_run(struct walk *w, double seconds, const volatile bool *stop);
/*
 * An answer in which all pieces see these writers is not given any more. From then on WALK_NONE is not given
 * either: that there are no other answers is not for the search to say.
 */
void walk_exclude(struct walk *w, const uint32_t *seen);
/* Was all searched, so that another answer can differ from the excluded ones only in what values of no further use come from? */
bool walk_is_exhausted(const struct walk *w);
const struct walk_figures *walk_figures(const struct walk *w);

/* After WALK_FOUND: all nodes in an order that explains the execution, and the writer each piece sees. */
const uint32_t *walk_nodes(const struct walk *w);
const uint32_t *walk_seen(const struct walk *w);

#endif
