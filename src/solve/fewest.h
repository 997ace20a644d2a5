/*
 * The fewest context switches: the formula once more with a bound on them (bound.h), lowered until nothing is left.
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
};

/*
 * Replaces *order by one with fewer switches and *seen (by piece, malloc'ed) by what the reads see in it, if there is
 * one and time suffices. True: proven that none has fewer.
 */
bool fewest_switches(const struct fewest_request *r, struct linear *order, uint32_t **seen);

#endif
