/*
 * Cycles in the order that a model chose, as clauses that exclude them.
 *
 * The graph has the known order among the nodes of order variables and the edges a model chose. A cycle is
 * excluded by the clause "not all of its chosen edges". Cycles with few chosen edges say most, so for each
 * chosen edge that lies on a cycle a shortest one is looked for, counting chosen edges only.
 */
#ifndef RETHREAD_CYCLES_H
#define RETHREAD_CYCLES_H

#include "model/formula.h"

struct cycles; /* opaque: memory kept from round to round */

struct cycles *cycles_new(struct formula *f);
void cycles_free(struct cycles *c);

/* Adds clauses for cycles among these edges to the formula, at most `limit`; returns how many. */
size_t cycles_exclude(struct cycles *c, const struct chosen_edges *chosen, size_t limit);

#endif
