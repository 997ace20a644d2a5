/* Vector clocks: what each thread has heard of the others, along the orders that are known (engine.h). */
#include "sym/engine.h"

#include <stdlib.h>
#include <string.h>

void vclock_join(struct vclock *into, const struct vclock *other)
{
	if (into->n < other->n) {
		into->at = xrealloc(into->at, other->n * sizeof *into->at);
		memset(into->at + into->n, 0, (other->n - into->n) * sizeof *into->at);
		into->n = other->n;
	}
	for (uint32_t i = 0; i < other->n; i++)
		if (into->at[i] < other->at[i])
			into->at[i] = other->at[i];
}

void vclock_set(struct vclock *into, const struct vclock *other)
{
	if (into->n)
		memset(into->at, 0, into->n * sizeof *into->at);
	vclock_join(into, other);
}

void vclock_tick(struct vclock *c, uint32_t thread)
{
	if (c->n <= thread) {
		c->at = xrealloc(c->at, (thread + 1) * sizeof *c->at);
		memset(c->at + c->n, 0, (thread + 1 - c->n) * sizeof *c->at);
		c->n = thread + 1;
	}
	c->at[thread]++;
}

uint32_t vclock_of(const struct vclock *c, uint32_t thread)
{
	return thread < c->n ? c->at[thread] : 0;
}
