/*
 * What a thread did for a reason that was not its own, or no longer so, and that the failure came of, in that thread or another. The executor is asked what a write rests on that the
 * failing thread found (src/sym/ties.c), then what the writes rest on that were read for it, and so on; and whether the thread would have made the write, had it read something else.
 * For explanations only.
 */
#ifndef RETHREAD_ACTED_H
#define RETHREAD_ACTED_H

#include "infer/rests.h"

/*
 * Late: the thread wrote a place (`first`), another thread wrote it, too (`other`), and only then the thread asked what was there (`second`), and did `act` for what it found; so did
 * another thread (`alike`, before or afterwards). Otherwise: the thread read a place (`first`), another changed it (`other`), and the thread did `act` for what it had read; or wrote what it had computed
 * of that, where the failing thread compares it with what is there now.
 */
struct acted {
	size_t first, other, second, act, alike; /* steps; SLICE_NONE: none */
	uint32_t given_up; /* an event of a lock that the thread had at `first` and not all the time until `second`, or `act`; UINT32_MAX: none */
	bool late, computed;
};

/* Writes that led to the failure, those first that it is computed of, and how each rests on the reads of its thread, by step (rests_steps). */
struct acted_write {
	size_t step;
	uint8_t *how;
};
struct acted_chain {
	vec(struct acted_write) writes;
};

/* how: what the failure rests on. Nothing where asking would take long. */
void acted_init(struct acted_chain *c, const struct slice *s, const struct told *t, const uint8_t *how, const struct rests_source *source);
void acted_release(struct acted_chain *c);

/* values: of all expressions. False: there is none. */
bool acted_find_late(struct acted *out, const struct acted_chain *c, const struct slice *s, const struct told *t, const uint64_t *values, const struct rests_source *source);
bool acted_find_outdated(struct acted *out, const struct acted_chain *c, const struct told *t, const uint64_t *values, const struct rests_source *source);
/* how: what the failure rests on. */
bool acted_find_computed(struct acted *out, const struct acted_chain *c, const struct told *t, const uint64_t *values, const uint8_t *how);

#endif
