/*
 * A semaphore that counts what is free, and was posted once more than it was taken: every thread that posts it has taken it before, but for one that gives back what it had given back
 * already. So another came in for which nothing was left, and failed. Of semaphores that are posted by threads which do not take them (work that has come) nothing is said. For
 * explanations only.
 */
#ifndef RETHREAD_OVERPOSTED_H
#define RETHREAD_OVERPOSTED_H

#include "infer/slice.h"
#include "infer/told.h"

struct overposted {
	size_t before, post; /* steps: the thread posted it, and once more, without having taken it since */
	size_t take;         /* the failing thread took it after that, and has it still */
};

/* False: there is none. */
bool overposted_find(struct overposted *out, const struct told *t);

#endif
