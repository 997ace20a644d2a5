/*
 * The fewest context switches: the formula once more with a bound on them (bound.h), by several workers with different bounds
 * (after CLAP §4.2 and §4.3). An order within a bound makes all bounds from its number of switches on idle; that there is none within a
 * bound excludes all smaller ones. One worker comes from above, from the order that is there, one from below, where the
 * formulas are small, the others in between; who tries a bound that no longer matters is interrupted. When nothing is
 * left between them, the number is proven.
 */
#ifndef RETHREAD_FEWEST_H
#define RETHREAD_FEWEST_H

#include "model/linear.h"
#include "solve/solver.h"

struct fewest_request {
	const struct problem *p;
	const bool *impossible;
	const struct solver_ops *solver;
	const uint32_t *const *excluded; /* candidates given before: writers by piece */
	size_t nexcluded;
	double seconds;
	unsigned workers;          /* 0: as many as there are processors */
	const volatile bool *stop; /* NULL, or: gives up soon after this becomes true */
	void (*tell)(const char *text); /* NULL, or: is told how far it has come */
};

/*
 * Replaces *order by one with fewer switches and *seen (by piece, malloc'ed) by what the reads see in it, if there is
 * one and time suffices. Returns the number of switches below which there is proven to be no order; when it is that of *order, that is
 * the fewest.
 */
uint32_t fewest_switches(const struct fewest_request *r, struct linear *order, uint32_t **seen);

#endif
