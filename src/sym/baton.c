/*
 * One thread interprets at a time: whoever holds the baton. A thread gives it up only where it has to wait, so a
 * run is deterministic. When nobody can go on, the run is over: that is the normal end.
 */
#include "sym/engine.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The program's errno is the one that the interpreter's thread has: it stays. */
static void await_turn(struct ethread *t)
{
	int saved = errno;
	while (!atomic_load(&t->turn))
		syscall(SYS_futex, &t->turn, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	atomic_store(&t->turn, 0);
	errno = saved;
}

static void hand_over(struct ethread *next)
{
	atomic_store(&next->turn, 1);
	syscall(SYS_futex, &next->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Until it comes back. What others compute meanwhile is nothing that this one does in its round of a wait. */
static void pass_to(struct ethread *self, struct ethread *next)
{
	size_t before = expr_count(engine.exprs);
	hand_over(next);
	await_turn(self);
	self->spin.nexprs += expr_count(engine.exprs) - before;
}

/*
 * Nobody can go on. Without the recorded order of synchronization somebody may have got ahead of others who needed the lock
 * first: they go on all the same. Or nobody is going to allocate a block, or to free one: who waits for it goes on with what memory
 * holds. Or no signal comes, or (with the order) nobody runs a routine that was done. In this order, and among these whoever is furthest behind; 0: none of them.
 */
static int spite(const struct ethread *t)
{
	if (t->wait == WAIT_BLOCK || t->wait == WAIT_FREE)
		return 2;
	if (engine.lock_order)
		return t->wait == WAIT_ONCE;
	return t->wait == WAIT_SIGNAL ? 1 : t->wait == WAIT_OBJECT || t->wait > WAIT_FOREVER ? 3 : 0;
}

static struct ethread *pick_in_spite(void)
{
	struct ethread *best = NULL;
	for (size_t i = 0; i < engine.threads.n; i++) {
		struct ethread *t = engine.threads.at[i];
		if (spite(t) && (!best || spite(t) > spite(best) || (spite(t) == spite(best) && t->time < best->time)))
			best = t;
	}
	return best;
}

/* Who blocked in the step at hand got on just before its stamp. */
static uint64_t when(const struct ethread *t)
{
	uint64_t time = t->due > t->time ? t->due : t->time;
	return t->spoke > time ? t->spoke : time;
}

static struct ethread *pick(void)
{
	struct ethread *earliest = time_guided();
	if (earliest)
		return earliest;
	for (size_t i = 0; i < engine.threads.n; i++) {
		struct ethread *t = engine.threads.at[i];
		if (sync_can_go(t) && (!earliest || when(t) < when(earliest)))
			earliest = t;
	}
	if (earliest)
		return earliest;
	/* Someone who was to be heard of does not come, a wrong guess held it up: the first to have heard goes on. */
	struct ethread *first = NULL;
	for (size_t i = 0; i < engine.threads.n; i++) {
		struct ethread *t = engine.threads.at[i];
		if (t->wait == WAIT_TIME && (!first || t->wait_time < first->wait_time))
			first = t;
	}
	return first ? first : pick_in_spite();
}

void baton_wait(struct ethread *self)
{
	self->last_wait = self->wait;
	if (sync_can_go(self)) {
		self->wait = WAIT_NOTHING;
		return;
	}
	struct ethread *next = pick();
	if (!next)
		engine_finish();
	pass_to(self, next);
	self->wait = WAIT_NOTHING;
}

void baton_yield(struct ethread *self)
{
	struct ethread *next = engine.guided < engine.guide.n ? self : pick();
	if (!next || next == self || when(next) >= when(self))
		return;
	pass_to(self, next);
}

void baton_wander(struct ethread *self, uint64_t random, uint64_t until)
{
	size_t n = engine.threads.n;
	for (size_t i = 0; i < n; i++) {
		struct ethread *t = engine.threads.at[(random + i) % n];
		if (t == self || t->time > until || !sync_can_go(t))
			continue;
		baton_give(self, t);
		return;
	}
}

void baton_give(struct ethread *self, struct ethread *next)
{
	pass_to(self, next);
}

void baton_first(struct ethread *self)
{
	await_turn(self);
}

_Noreturn void baton_leave(struct ethread *self)
{
	self->wait = WAIT_FOREVER;
	struct ethread *next = pick();
	if (!next)
		engine_finish();
	hand_over(next);
	for (;;)
		pause();
}
