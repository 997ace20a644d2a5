/*
 * What was shown to others before it was filled: a thread wrote something that leads to a place, a pointer or a number, another thread read that, and then the
 * place, which the first wrote only afterwards. For explanations only.
 */
#ifndef RETHREAD_PUBLISHED_H
#define RETHREAD_PUBLISHED_H

#include "infer/slice.h"
#include "infer/told.h"

struct published {
	size_t shown, seen, read; /* steps: the one writes what leads there, the other reads that, and then the place */
	size_t filled;            /* the one writes the place; may come after the failure */
	size_t in_time;           /* how often the same was filled before it was read */
	size_t led;               /* what the other wrote then, which the failure depends on; SLICE_NONE: it depends on what the other read */
	uint32_t given_up;        /* ... an event of the lock that the one had, and not all the time until it filled the place; UINT32_MAX: none */
};

/*
 * Of the reads that the failure depends on. values: of all expressions, in this order; how: of rests.h, NULL where that is not known: what the failure rests on comes first (it
 * does not rest on what the thread only waited for). False: there is none, or it may as well be as it should: only where
 * the pointer leads into a block in which the place was not written before, or the one did nothing but write from the one to the other, or other times, in the same
 * lines, the place was found filled after that, or both are parts of one assignment.
 */
bool published_find(struct published *out, const struct slice *s, const struct told *t, const uint64_t *values, const uint8_t *how);

/*
 * The same where who failed is the one, and found what the other had written after it had read both in one section of a lock; the one had that lock when it wrote what leads there,
 * and gave it up before it wrote the place.
 */
bool published_find_behind(struct published *out, const struct slice *s, const struct told *t, const uint64_t *values);

#endif
