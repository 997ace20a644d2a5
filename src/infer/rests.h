/*
 * What the failing thread went by: it read something, gave up its lock, another thread changed that, and what it read then, and failed for, rested on the old one: by
 * what it had computed of it, by a value that branches on it had chosen, or because it would not have come there. For explanations only.
 */
#ifndef RETHREAD_RESTS_H
#define RETHREAD_RESTS_H

#include "infer/explore.h"
#include "infer/stale.h"
#include "model/tied.h"

/* Who can be asked: the executor, with its last run x and values of its symbols that lead to the failure. */
struct rests_source {
	struct explorer *e;
	const struct explore_stats *stats;
	const struct execution *x;
	const uint64_t *symbols;
	double *spent; /* seconds, on all questions so far */
};

/* What the failure rests on: one more run of the executor. Nothing, where that is not found out, or would take long. */
tied_list rests_ask(const struct rests_source *source);

/* The same of what the event wrote; and whether its thread would have made that write, as far as branches tell, if it had read another value. */
tied_list rests_ask_write(const struct rests_source *source, const struct event *write);
bool rests_would_not(const struct rests_source *source, const struct event *write, const struct ties_value *other);

/* By step, enum tied_how, or 0; to be freed. Too long ago: RESTS_UNKNOWN. */
enum { RESTS_UNKNOWN = 128 };
uint8_t *rests_steps(const struct told *t, const tied_list *tied);
uint8_t *rests_write_steps(const struct told *t, const tied_list *tied, const struct event *write);

/* values: of all expressions, in this order; how: of rests_steps. Where it only would not have come there, the source is asked whether that is true. `also` is where the other wrote what `second` saw. False: there is none. */
bool rests_find(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values, const uint8_t *how, const struct rests_source *source);

/* Two values that the failure is computed of, one from before what another thread wrote to both places, shortly before the other, from after that. Both may be meant so: only instead of another pair. */
bool rests_find_torn(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values, const uint8_t *how);

#endif
