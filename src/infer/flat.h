/*
 * An order with store buffers as others see it: each store stands where it becomes visible, and reads of a thread's own buffered stores are left out. What went wrong
 * is looked for in that. For explanations only.
 */
#ifndef RETHREAD_FLAT_H
#define RETHREAD_FLAT_H

#include "infer/slice.h"
#include "infer/told.h"

struct flat {
	struct told told;   /* its steps are its own, the rest is that of the order it was made of */
	struct slice slice; /* by its steps */
	size_t *back;       /* by step: which one of the order that is */
};

/* False: no store is delayed, and there is nothing to release. Both arguments have to live longer. */
bool flat_init(struct flat *f, const struct told *t, const struct slice *s);
void flat_release(struct flat *f);

#endif
