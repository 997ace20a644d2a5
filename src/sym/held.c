/*
 * Which locks a thread has at its events (struct held_lock in model/execution.h). The events of locks do not tell: where the order is
 * recorded, only those are events at which a lock changes hands.
 */
#include "sym/engine.h"
#include "sym/sync.h"

#include <string.h>

/* Programs with more critical sections have fewer explained. */
enum { MOST = 4000000 };

void held_take(struct ethread *self, const struct object *o, bool shared)
{
	*vec_push(&self->holds) = (struct hold){o->number, shared, self->saps};
}

static void note(const struct ethread *t, const struct hold *h, uint64_t to)
{
	if (engine.held.n < MOST)
		*vec_push(&engine.held) = (struct held_lock){t->number, h->lock & INT32_MAX, h->shared, h->from, to};
}

void held_drop(struct ethread *self, const struct object *o)
{
	for (size_t i = self->holds.n; i-- > 0;) {
		if (self->holds.at[i].lock != o->number)
			continue;
		note(self, &self->holds.at[i], self->saps);
		memmove(&self->holds.at[i], &self->holds.at[i + 1], (--self->holds.n - i) * sizeof *self->holds.at);
		return;
	}
}

void held_finish(void)
{
	for (size_t i = 0; i < engine.threads.n; i++)
		for (size_t k = 0; k < engine.threads.at[i]->holds.n; k++)
			note(engine.threads.at[i], &engine.threads.at[i]->holds.at[k], UINT64_MAX);
}
