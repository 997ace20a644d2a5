/*
 * What a thread had claimed and another undid: it looked at a place and wrote it, another thread wrote something else there, a third went by that, and the first, which had not
 * looked again, wrote the place once more. Each write by itself is in order, and nobody reads what is gone. For explanations only.
 */
#ifndef RETHREAD_UNDONE_H
#define RETHREAD_UNDONE_H

#include "infer/slice.h"
#include "infer/told.h"

struct undone {
	size_t first, second; /* steps: the thread's writes */
	size_t other;         /* another's write between them */
	size_t seen;          /* a third thread finds that, before the second */
	uint32_t given_up;    /* an event of a lock that all had, and the thread gave up between its two; UINT32_MAX: none */
};

/* The last one. values: of all expressions, in this order. False: there is none. */
bool undone_find(struct undone *out, const struct slice *s, const struct told *t, const uint64_t *values);

#endif
