/*
 * Store buffering: two threads each write something and then look at what the other writes, and both find it as it was before, since a store was still in its buffer.
 * Had they seen the stores, they would have gone another way. For explanations only.
 */
#ifndef RETHREAD_BUFFERED_H
#define RETHREAD_BUFFERED_H

#include "infer/slice.h"
#include "infer/told.h"

/* Steps of the one thread and of the other: the first thread's store was delayed. */
struct buffered {
	size_t store[2], read[2];
};

/* The last one. symbols: their values in this order; the same again afterwards. False: there is none, or no store was delayed. */
bool buffered_find(struct buffered *out, const struct told *t, const uint64_t *values, uint64_t *symbols);

#endif
