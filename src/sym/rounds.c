/*
 * Loops whose rounds the log counts (src/instrument/rounds.c): how often the branches that leave them have stayed, in entries that were
 * appended when the loop was left, or had gone round many times. So an entry is read when the loop begins, and done with when it was appended:
 * time stamps are between entries.
 */
#include "sym/engine.h"

#include <rethread/instrument.h>

/* The entry that comes next, if it does: a thread that faults in the loop goes on there by what it computes. */
static void look_ahead(struct ithread *t, struct ethread *self)
{
	struct rounds *r = &self->rounds;
	bool faults = self->signals && signals_fault_comes(self);
	if (!faults)
		path_settle(self);
	int64_t n = faults ? -1 : path_reader_peek(&self->path, RT_ROUNDS_BITS);
	r->free = n < 0;
	if (engine.free)
		return;
	if (n >= 0) {
		r->more = n == RT_ROUNDS_MORE;
		r->left = r->more ? r->most : (uint64_t)n;
		return;
	}
	if (faults)
		return;
	if (engine_goes_too_far(self)) {
		if (engine.trace->failure.kind == RT_FAIL_SIGNAL)
			return;
		host_mismatch(t);
	}
	ithread_stop(t);
}

void host_rounds(struct ithread *t, uint32_t most)
{
	struct ethread *self = ithread_data(t);
	self->rounds = (struct rounds){.most = most, .within = true};
	look_ahead(t, self);
}

void rounds_skipped(struct ethread *self)
{
	struct rounds *r = &self->rounds;
	int64_t n = r->within && !r->free ? path_reader_peek(&self->path, RT_ROUNDS_BITS) : -1;
	if (n < 0)
		return;
	uint64_t all = n == RT_ROUNDS_MORE ? r->most : (uint64_t)n;
	r->more = n == RT_ROUNDS_MORE;
	r->left = all > r->done ? all - r->done : 0;
}

/* What the branch at hand does, -2: what it computes. */
static int64_t outcome(struct ithread *t, struct ethread *self, bool stays)
{
	struct rounds *r = &self->rounds;
	if (r->free && !(self->signals && signals_fault_comes(self)) && !path_reader_at_end(&self->path)) {
		look_ahead(t, self); /* a handler of the fault has come back */
		rounds_skipped(self);
	}
	r->done++;
	if (r->free)
		return -2;
	if (!r->left) {
		r->within = false;
		return host_path_bits(t, RT_ROUNDS_BITS) < 0 ? -1 : !stays;
	}
	/* The branch goes back to the loop's begin when an entry is appended there. */
	if (!--r->left && r->more) {
		if (host_path_bits(t, RT_ROUNDS_BITS) < 0)
			return -1;
		r->done = 0;
		look_ahead(t, self);
	}
	return stays;
}

void host_round(struct ithread *t, bool stays)
{
	struct ethread *self = ithread_data(t);
	int64_t bit = outcome(t, self, stays);
	self->rounds.given = true;
	self->rounds.bit = bit;
}
