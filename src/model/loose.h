/*
 * Pieces of one access or call that are in no order among themselves: in which order a vector is stored, or memcpy copies, is the processor's and the
 * library's affair, and a thread that looks meanwhile may see the last byte change first.
 *
 * A piece that is loose is in a chain of its own (memory.h). What comes before the call comes before each of its pieces, and each of them before what comes
 * behind it. Among them only this is in order: what overlaps, as the execution has it; and a write comes after the reads whose values it writes.
 * Chains and edges cost memory, so calls that would need too many stay in order; memory.in_order says so.
 */
#ifndef RETHREAD_LOOSE_H
#define RETHREAD_LOOSE_H

#include "model/memory.h"

/* Decides which are, or, where none are wanted, only whether there would be any. For memory_init, when the nodes are known. */
void loose_find(struct memory *m, bool wanted);
/* Orders them, once the chains are known. */
void loose_add_edges(struct memory *m);

/* The loose pieces of the event's call go from the first up to the end; of what is not loose, that is the event alone. */
uint32_t loose_first(const struct memory *m, uint32_t event);
uint32_t loose_end(const struct memory *m, uint32_t event);

#endif
