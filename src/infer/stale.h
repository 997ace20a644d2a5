/*
 * What a thread knew from several places that belong together, and another thread changed in between. A pointer that it followed although it had been
 * replaced; two values of which one is older than the other. For explanations only.
 */
#ifndef RETHREAD_STALE_H
#define RETHREAD_STALE_H

#include "infer/slice.h"
#include "infer/told.h"

struct stale {
	size_t first, other, second; /* steps: the thread reads (or keeps) something, another changes that, and then the thread reads or writes elsewhere */
	size_t also;                 /* of two values: where the other wrote what `second` saw; SLICE_NONE: `first` is the pointer that led to `second` */
	size_t before;               /* `second` writes, and nobody sees it: where the other had read that before; SLICE_NONE: it reads */
	size_t found;                /* `second` writes, and somebody reads that, or what was there before; SLICE_NONE */
	uint32_t given_up;           /* an event of a lock that the thread had at `first` and not all the time until `second`; UINT32_MAX: none */
	bool certain;                /* a pointer that was replaced; or two values that the other writes together, and the failure's condition asks for */
	bool copied;                 /* `second` writes what was read at `first`, which `found` finds there */
	bool rests;                  /* what was read at `second`, and the failure, rests on what was read at `first` (rests.h) */
};

/* Of the reads that the failure depends on. values: of all expressions, in this order. False: there is none. */
bool stale_find(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values);

/*
 * The same where nothing tells what the failure depends on: the failing thread reads many places in one line, a loop that adds them up, and gives up its locks
 * in between; another changed two of them in one section, of which the thread found the one as it was before and the other as it was after that.
 */
bool stale_find_sum(struct stale *out, const struct told *t, const uint64_t *values);

/* Sets `given_up`. */
void stale_find_lock(struct stale *f, const struct told *t);

/*
 * How the thread of a step came by the pointer to the block that it used there: the last step at which it read the pointer or wrote it, and the next
 * one of another thread that wrote something else to that place. SLICE_NONE: not known.
 */
void stale_pointer(const struct told *t, const uint64_t *values, size_t use, uint64_t start, uint64_t size, size_t *got, size_t *gone);

#endif
