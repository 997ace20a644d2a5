/*
 * What is known about the order of the nodes of an execution: a partial order, asked by vector clocks.
 *
 * A node belongs to a chain (a thread's program order, a store buffer); the nodes of a chain are ordered by
 * their numbers. Edges order nodes of different chains. After order_new every question costs constant
 * time. Building is linear in nodes, plus edges times chains; a clock is kept only for nodes that the
 * caller needs and only where it differs from that of the node before.
 */
#ifndef RETHREAD_ORDER_H
#define RETHREAD_ORDER_H

#include "base/base.h"

struct edge {
	uint32_t a, b; /* a comes before b */
};

struct order; /* opaque */

/*
 * chain[n]: the chain of node n, below nchains. needed[n] says that n will be the second argument of a
 * question. NULL and a sentence when the edges contradict one another; *cycle is then a node that can
 * never come.
 */
struct order *order_new(uint32_t nnodes, const uint32_t *chain, uint32_t nchains,
			const struct edge *edges, size_t nedges, const bool *needed, uint32_t *cycle,
			struct error *err);
void order_free(struct order *o);

/* Is a known to come before b? False for a == b. */
bool order_before(const struct order *o, uint32_t a, uint32_t b);
/* How many nodes of this chain are known to come before b, b itself not counted. */
uint32_t order_count_before(const struct order *o, uint32_t chain, uint32_t b);

uint32_t order_chain(const struct order *o, uint32_t node);
uint32_t order_position(const struct order *o, uint32_t node); /* in its chain, from 0 */
uint32_t order_nchains(const struct order *o);

#endif
