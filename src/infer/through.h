/*
 * A write through a pointer that had been replaced, and that somebody finds, or misses: a thread takes a pointer, another one puts another in its place (buffers are swapped), the
 * first writes where the old one leads, and a third, which came there by a newer pointer, reads that, or read it just before. For explanations only.
 */
#ifndef RETHREAD_THROUGH_H
#define RETHREAD_THROUGH_H

#include "infer/stale.h"

/* Of the reads that the failure depends on. values: of all expressions, in this order. False: there is none. */
bool through_find(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values);

#endif
