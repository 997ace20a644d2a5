/*
 * Orders that follow from what reads can have seen.
 *
 * If all writes that a read can see come after some node, so does the read; if they all come before some other write to
 * the place, so does the read. Each such order may take candidates away from other reads, so this goes on until
 * nothing new follows. Path conditions test exact values, so this decides most of what busy waiting, flags and
 * counters leave open, long before a solver is asked (saturation, as in the consistency checks of
 * stateless model checking).
 */
#ifndef RETHREAD_SATURATE_H
#define RETHREAD_SATURATE_H

#include "model/problem.h"

struct saturate_figures {
	uint64_t rounds, orders; /* orders: that were added to m->edges */
	uint64_t removed;        /* candidates that are impossible now */
};

/*
 * Adds what follows to m's edges and its order, and marks candidates in impossible (values.h) that cannot be seen.
 * p must be of m. False, and a sentence: nothing can explain the execution under this memory model. After
 * `seconds` it stops where it is, which is right, only weaker.
 */
bool saturate(struct memory *m, const struct problem *p, bool *impossible, double seconds,
	      struct saturate_figures *figures, struct error *err);

#endif
