/* Who came in between (infer/between.h), in the trail of an attempt. */
#ifndef RETHREAD_TRAIL_H
#define RETHREAD_TRAIL_H

#include "infer/between.h"

#include <rethread/search.h>

/* Where a site is; sites are numbered from 1. */
struct site_line {
	const char *function, *file;
	int line;
};

struct trail {
	const struct rt_trail *const *steps;
	size_t n, recent;    /* before the step `recent`, most are left out */
	const bool *matters; /* by step */
	const struct site_line *sites;
	size_t nsites;
	const struct rt_attempt *attempt; /* it knows which block a place was in; NULL: nobody does */
};

/* Its steps as events, one for each, in their order, without threads and values; both to be released. */
void trail_execution(const struct trail *t, struct execution *x, struct linear *l);

/* Steps are places in the trail; `lock`, too, which is one that took or gave up the lock. What is overtaken is not known. */
bool trail_between(const struct trail *t, struct between *b);

/* The block that had the place at a step, by its number in the attempt; NULL: none is known. */
const struct rt_block *trail_block(const struct rt_attempt *a, uint64_t place, uint64_t number);

/*
 * The steps of an attempt, in order, and how many; to be freed. Before `recent` most are left out. What the only thread did that had been at a place when another came is among them.
 */
const struct rt_trail **trail_read(const struct rt_attempt *a, uint64_t *n, uint64_t *recent);

#endif
