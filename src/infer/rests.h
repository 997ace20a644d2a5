/*
 * What the failing thread went by: it read something, gave up its lock, another thread changed that, and what it read then, and failed for, rested on the old one: by
 * what it had computed of it, by a value that branches on it had chosen, or because it would not have come there. For explanations only.
 */
#ifndef RETHREAD_RESTS_H
#define RETHREAD_RESTS_H

#include "infer/explore.h"
#include "infer/stale.h"
#include "model/tied.h"

/* What the failure rests on: one more run of the executor. symbols: values of the symbols of x, which lead there. Nothing, where that is not found out, or would take long. */
tied_list rests_ask(struct explorer *e, const struct explore_stats *stats, const struct execution *x, const uint64_t *symbols);

/* By step, enum tied_how, or 0; to be freed. Too long ago: RESTS_UNKNOWN. */
enum { RESTS_UNKNOWN = 128 };
uint8_t *rests_steps(const struct told *t, const tied_list *tied);

/* values: of all expressions, in this order; how: of rests_steps. `also` is where the other wrote what `second` saw. False: there is none. */
bool rests_find(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values, const uint8_t *how);

#endif
