/* Threads that go round for ever, and look at one place again and again: what they find there, and why it stays so. For explanations only. */
#ifndef RETHREAD_SPINS_H
#define RETHREAD_SPINS_H

#include "infer/told.h"

struct spin {
	size_t read;         /* step: the last look at the place */
	size_t is;           /* the last write to it, which left what the thread finds; SLICE_NONE: none is known */
	size_t missed;       /* the one before that by another thread, which left something else while this one looked; SLICE_NONE */
	size_t looked, told; /* another thread looked at something for the last time before this one wrote it, shortly before it went round; SLICE_NONE */
};

/* Of a thread whose log ends without an end of its own. False: it does not go round, or what it looks at was something else in the end. values: of all expressions. */
bool spins_find(struct spin *out, const struct told *t, const uint64_t *values, uint32_t thread);

#endif
