/*
 * Parts of an execution that have nothing to do with one another: no condition, and no value that is written, depends on reads of two of them, and they
 * share no memory. What one read leaves the other's values alone; only the order of steps in one thread, and between threads,
 * connects them. So each part is an execution of its own, with the accesses and conditions of that part and with all
 * steps of synchronization. No interleaving of a part: none of the whole. Interleavings of all parts need not fit together,
 * but nearly always do.
 */
#ifndef RETHREAD_PARTS_H
#define RETHREAD_PARTS_H

#include "model/atoms.h"

struct part {
	struct execution x;  /* expressions, initial values and the like are the whole's */
	uint32_t *event;     /* by event of x: the whole's */
};

struct parts {
	struct part *at;
	size_t n; /* 0: it is all one */
};

/* atoms: of x. True when there is more than one part; then, and only then, parts_release is due. */
bool parts_init(struct parts *p, const struct execution *x, const struct atoms *atoms);
void parts_release(struct parts *p);

#endif
