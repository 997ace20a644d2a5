/*
 * Waiting for what a read found. Threads are run in about the order of their stamps (time.c), and between two stamps a thread may do
 * much. Where the log has the value of a read and memory does not hold it yet, the reader has got ahead of the
 * writer: others run first, as far as the stamps leave it open. Only guesses depend on it, here and
 * in what the thread reads next, which others wrote before.
 */
#include "sym/engine.h"
#include "sym/sync.h"

#include <string.h>

enum { SLOTS = 1 << 16 };

/* When a value was last written somewhere: what is overwritten already is not waited for. Collisions cost a guess. */
static struct written {
	uint64_t address, value, time;
} *written;
static size_t waiting;

static struct written *slot(uint64_t address, uint64_t value)
{
	if (!written)
		written = xcalloc(SLOTS, sizeof *written);
	return &written[((address ^ value * 0x9e3779b97f4a7c15ull) * 0x9e3779b97f4a7c15ull >> 32) % SLOTS];
}

static bool holds(uint64_t address, uint64_t size, uint64_t value)
{
	return !memcmp((const void *)(uintptr_t)address, &value, size);
}

/* Is what the thread waits for there? */
static bool is_there(const struct ethread *t)
{
	return holds(t->wait_order, t->wait_size, t->wait_value) != t->wait_other;
}

static bool was_there(const struct ethread *self, uint64_t address, uint64_t value)
{
	const struct written *w = slot(address, value);
	return w->address == address && w->value == value && w->time >= self->time;
}

static void await(struct ethread *self, uint64_t address, unsigned size, uint64_t value, bool other)
{
	self->wait = WAIT_VALUE;
	self->wait_order = address;
	self->wait_size = size;
	self->wait_value = value;
	self->wait_other = other;
	self->wait_time = time_next(self);
	waiting++;
	baton_wait(self);
	waiting--;
}

void await_value(struct ethread *self, uint64_t address, unsigned size, uint64_t value)
{
	if (engine.guided == engine.guide.n && !holds(address, size, value) && !was_there(self, address, value))
		await(self, address, size, value, false);
}

void await_other(struct ethread *self, uint64_t address, unsigned size, uint64_t value)
{
	if (engine.guided == engine.guide.n && holds(address, size, value))
		await(self, address, size, value, true);
}

bool await_is_over(const struct ethread *t)
{
	for (size_t i = 0; i < engine.threads.n; i++) {
		const struct ethread *u = engine.threads.at[i];
		if (u != t && u->wait != WAIT_VALUE && u->wait != WAIT_BLOCK && u->wait != WAIT_FREE &&
		    u->time < t->wait_time && (sync_can_go(u) || unordered_is_held_up(u)))
			return false;
	}
	return true;
}

bool await_can_go(const struct ethread *t)
{
	return is_there(t) || await_is_over(t);
}

void await_wrote(struct ethread *self, uint64_t address, unsigned size, uint64_t value)
{
	*slot(address, value) = (struct written){ address, value, self->time };
	for (size_t i = 0; waiting && i < engine.threads.n; i++) {
		struct ethread *t = engine.threads.at[i];
		if (t->wait == WAIT_VALUE && t->wait_order < address + size && address < t->wait_order + t->wait_size &&
		    is_there(t)) {
			baton_give(self, t);
			return;
		}
	}
}
