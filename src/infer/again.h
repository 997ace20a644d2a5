/*
 * What came round again (ABA): a thread read a place, and something behind it, other threads changed both and put the old value back into the first, and the thread's
 * compare-and-swap, which found what it expected, put there what was no longer true. For explanations only.
 */
#ifndef RETHREAD_AGAIN_H
#define RETHREAD_AGAIN_H

#include "infer/slice.h"
#include "infer/told.h"

/* Steps. */
struct again {
	size_t read, behind;  /* the thread reads the place, and then what it will put there */
	size_t away, back;    /* others change the place, and put back what the thread had read */
	size_t changed;       /* another thread changes what the thread had read behind it */
	size_t swapped;       /* the thread exchanges what it had read first for what it had read behind it */
};

/* The last one. values: of all expressions, in this order. False: there is none. */
bool again_find(struct again *out, const struct told *t, const uint64_t *values);

#endif
