/*
 * The orders that make every read see again what it saw: fewest edges that keep what a total order gave to the reads
 * that matter, and nothing else. With them the steps can be put into an order with fewer context switches.
 *
 * A write that is read is after all writes to the place that came before it, and before those that came later, which are
 * also after its reads. Writes that nobody reads are not ordered among themselves. Under TSO and PSO no more stores are held back at a time than a
 * processor can, where that was so.
 */
#ifndef RETHREAD_KEEP_H
#define RETHREAD_KEEP_H

#include "model/formula.h"

/* place: by node, in the total order; seen: by piece, the writer or WRITER_INITIAL. Reasons of the edges are 0. */
void keep_orders(const struct problem *p, const uint32_t *place, const uint32_t *seen, struct chosen_edges *out);

/* What each piece sees in a total order; malloc'ed. */
uint32_t *keep_seen(const struct problem *p, const uint32_t *place);

#endif
