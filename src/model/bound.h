/*
 * A bound on context switches, as clauses (after CLAP §4.2; exact, where that counts segments approximately).
 *
 * With at most k switches an execution up to its failure is k + 1 runs, each of one thread. Every node that
 * some order touches gets the number of its run, 0 .. k, or k + 1: after the failure. What comes before what
 * follows from the runs, except inside one run and after the failure. Which runs a node can be in at all follows from the known order
 * (alternations.h): where locks go back and forth between threads that leaves few, and few clauses.
 * The bound can be lowered, never raised.
 */
#ifndef RETHREAD_BOUND_H
#define RETHREAD_BOUND_H

#include "model/formula.h"
#include "model/linear.h"

struct bound; /* opaque */

/* NULL when the clauses would be more than `limit`; the formula is then as it was. */
struct bound *bound_new(struct formula *f, uint32_t switches, uint64_t limit);
void bound_free(struct bound *b);

/* Adds the clauses for fewer switches. */
void bound_lower(struct bound *b, uint32_t switches);

/* A model's order, run by run. */
bool bound_linear(const struct bound *b, const bool *model, const struct chosen_edges *chosen, struct linear *l,
		  struct error *err);

#endif
