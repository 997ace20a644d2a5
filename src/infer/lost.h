/*
 * A write that was lost because the pointer that led to it had been replaced: a thread takes a pointer, another one copies or looks at what it leads to and puts another
 * pointer in its place, and then the first writes where nobody will look any more, or nobody to whom it matters. For explanations only.
 */
#ifndef RETHREAD_LOST_H
#define RETHREAD_LOST_H

#include "infer/stale.h"

/* The last such write, if the failure depends on what the other had read there, or on the same member of what it put in the place. False: there is none. */
bool lost_find(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values);

#endif
