/*
 * From a partial order to a total one with few context switches.
 *
 * The steps that the failure needs come first, then the rest: a step is needed when it is ordered before the
 * end of the failing thread, or writes in a call of which another piece is needed: a replay makes it as a whole.
 * The thread that runs keeps running as long as it can; then the one that can
 * run longest takes over. This is greedy: the number of switches is small, not proven to be the least.
 */
#ifndef RETHREAD_LINEAR_H
#define RETHREAD_LINEAR_H

#include "model/formula.h"

/* One step of a total order. Under TSO and PSO a plain write has two: issued, then visible to others. */
struct step {
	uint32_t event;
	bool visible;
};

struct linear {
	vec(struct step) steps;
	size_t needed;      /* so many of them up to and with the failure; all when nothing fails */
	uint32_t switches;  /* changes of the running thread among those */
};

/*
 * A plan that says who runs when (bound.h): run i is of thread[i] and takes the nodes with run[node] <= i;
 * UINT32_MAX: a node whenever it can.
 */
struct linear_plan {
	uint32_t *run;    /* by node */
	uint32_t *thread; /* by run */
	uint32_t nruns;
};

/* plan may be NULL. False when the edges and the known order make a cycle. */
bool linear_init(struct linear *l, const struct memory *m, const struct chosen_edge *edges, size_t nedges,
		 const struct linear_plan *plan, struct error *err);
/*
 * An order with few switches that respects these edges and what is certain (memory.nhard): forwards and backwards
 * are tried. The edges must say all that the order is for (keep.h).
 */
bool linear_keep(struct linear *l, const struct memory *m, const struct chosen_edge *edges, size_t nedges,
		 struct error *err);
/*
 * How many of the switches take the processor from a thread that could go on, as far as locks, joins and the like are
 * concerned: what CLAP counts (#cs). The others are forced.
 */
uint32_t linear_preemptions(const struct linear *l, const struct memory *m);
/* By node of the memory: where it is in the order; malloc'ed. */
uint32_t *linear_places(const struct memory *m, const struct linear *l);
void linear_release(struct linear *l);

#endif
