/*
 * Memory that was used, or freed once more, after it had been freed: by whom, and how the thread came by the pointer. For explanations only; said
 * only where the order leaves no doubt.
 */
#ifndef RETHREAD_FREED_H
#define RETHREAD_FREED_H

#include "infer/slice.h"
#include "infer/told.h"

struct freed {
	size_t use, freed;        /* steps */
	bool twice;               /* the use is another free */
	uint64_t size;            /* of the block */
	uint32_t allocated_at;    /* in `sites`; 0: not known */
	uint32_t allocated_by;    /* in `threads` */
	size_t got;               /* the step at which the thread read the pointer, or kept it; SLICE_NONE: not known */
	size_t gone;              /* after that, before the use: another thread writes something else there; SLICE_NONE */
	uint32_t again_at;        /* the memory has been given out again since: where, in `sites`; 0: it has not */
	uint32_t again_by;        /* in `threads` */
	uint32_t lock;            /* an event of a lock that the thread had when it got the pointer, and not when it used it; UINT32_MAX: none */
};

/*
 * The one that has most to do with the failure. values: of all expressions, in this order. False: there is none. Where the memory has been given out again, only
 * for reads that the failure depends on, through a pointer from before that.
 */
bool freed_find(struct freed *f, const struct slice *s, const struct told *t, const uint64_t *values);

#endif
