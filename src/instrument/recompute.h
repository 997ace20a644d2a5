/*
 * Branches that inference can recompute, and which of them must be recorded all the same.
 * recompute.c finds the former, progress.c the latter.
 */
#ifndef RETHREAD_RECOMPUTE_H
#define RETHREAD_RECOMPUTE_H

#include "instrument/pass.h"

/*
 * Fills `known` (number 1) with the conditional br and switch instructions of the module whose condition the
 * symbolic executor computes as the recorded run did, and n->shown with the calls that show something else.
 */
void recompute_find(LLVMModuleRef m, struct sharing *sharing, struct map *known, struct numbering *n);

/* The same as an object, for others to ask: does the executor compute the value, or what the pointer leads to? */
struct recompute;
/* assumed: values that count as known (number 1), or NULL. One at a time for each `sharing`. */
struct recompute *recompute_new(LLVMModuleRef m, struct sharing *sharing, const struct map *assumed);
/* Once more, with what `assumed` holds now; the module must not have changed. */
void recompute_again(struct recompute *r);
void recompute_free(struct recompute *r);
bool recompute_knows(const struct recompute *r, LLVMValueRef v);
bool recompute_knows_contents(const struct recompute *r, LLVMValueRef pointer);
/* What a value that is not known comes from: an instruction, a parameter, a constant. Where there are several, the first that was found. */
LLVMValueRef recompute_root(struct recompute *r, LLVMValueRef v);
/* shown.c: finds those calls among the sites. */
void shown_find(const struct recompute *r, struct numbering *n);

/*
 * Takes branches out of `known` until every cycle of control flow appends to the log or completes a
 * synchronization operation, or is without sites. interposed: see number.c; sites holds the
 * instructions that are sites.
 */
void progress_keep(LLVMModuleRef m, const struct map *interposed, const struct map *sites, struct map *known);

/* Strongly connected components of a graph of nodes 0 .. n-1. */
struct graph {
	uint32_t n;
	uint32_t *first; /* n + 1: edges of node i are to[first[i]] .. to[first[i + 1] - 1] */
	uint32_t *to;
};
/* component[i] in 0 .. count-1; nodes for which skip is set get none (UINT32_MAX) and are passed over. */
uint32_t graph_components(const struct graph *g, const bool *skip, uint32_t *component);
void graph_free(struct graph *g);

#endif
