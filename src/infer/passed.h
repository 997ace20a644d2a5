/*
 * Who was passed: a thread was at one place before another thread, and at a second place after it. Each access by itself may be in order, with a lock for each place; what the
 * thread took with it from the first (a number that was drawn, a version) is older than what it then finds at the second. For explanations only.
 */
#ifndef RETHREAD_PASSED_H
#define RETHREAD_PASSED_H

#include "infer/slice.h"
#include "infer/told.h"

struct passed {
	size_t first, then;   /* steps: the thread's access to the first place, and the other's behind it, in the same line */
	size_t other, second; /* the other writes the second place, and the thread comes there behind it */
	bool by_value;        /* what the other wrote there is what it had from the first place */
	size_t in_order;      /* how often a thread came to the second place behind another, in the order in which they had been at the first */
	uint32_t given_up;    /* an event of a lock that both had at the first place, and the thread not until the second; UINT32_MAX: none */
};

/*
 * Of the reads that the failure depends on, and of the writes that they found. values: of all expressions, in this order. False: there is none, or nothing tells that the order
 * matters: the other thread wrote what it had from the first place, or all other times threads kept their order.
 */
bool passed_find(struct passed *out, const struct slice *s, const struct told *t, const uint64_t *values);

#endif
