/*
 * What is found in an order that fails, for a reader: what its failure depends on, and what went wrong. For explanations only.
 */
#ifndef RETHREAD_FINDS_H
#define RETHREAD_FINDS_H

#include "infer/acted.h"
#include "infer/again.h"
#include "infer/between.h"
#include "infer/buffered.h"
#include "infer/freed.h"
#include "infer/halfway.h"
#include "infer/hang.h"
#include "infer/overposted.h"
#include "infer/passed.h"
#include "infer/published.h"
#include "infer/rests.h"
#include "infer/stale.h"
#include "infer/undone.h"

/* What went wrong; of most orders one of them, of what was used after it had been freed perhaps CAUSE_BETWEEN as well. */
enum cause {
	CAUSE_AGAIN = 1,
	CAUSE_FREED = 2,
	CAUSE_STALE = 4,
	CAUSE_PUBLISHED = 8,
	CAUSE_ACTED = 16,
	CAUSE_PASSED = 32,
	CAUSE_BETWEEN = 64,
	CAUSE_UNDONE = 128,
	CAUSE_OVERPOSTED = 256,
	CAUSE_HALFWAY = 512,
	CAUSE_BUFFERED = 1024,
};

struct finds {
	struct told told;
	struct slice slice;
	struct between between;
	struct freed freed;
	struct stale stale;
	struct published published;
	struct again again;
	struct buffered buffered;
	struct undone undone;
	struct passed passed;
	struct halfway halfway;
	struct acted acted;
	struct overposted overposted;
	unsigned found; /* enum cause */
	bool alone; /* nothing that the failure rests on was written by another thread since its own began, nor did it wait for one */
	hangs hangs;
	uint64_t *values; /* of all expressions */
};

/* Of the source's execution; symbols: their values in this order. The execution and l have to live longer. */
void finds_init(struct finds *d, const struct linear *l, uint64_t *symbols, const struct rests_source *source);
void finds_release(struct finds *d);

#endif
