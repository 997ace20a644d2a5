/*
 * Condition variables as the schedule plays them. Waiting threads are woken by the schedule, not by the real
 * object; this keeps account of what the real one would have done, so that a thread that waits for ever is known to
 * wait rightly: a waiter can go on only on a token, and signals give tokens (POSIX also lets it go without one).
 */
#include "replay/twin.h"

#include <stdatomic.h>

#define SLOTS 4096u /* by address; two variables in one slot share tokens, which only hides a hang */

static struct {
	_Atomic uint32_t waiters, tokens;
} conds[SLOTS];

static uint32_t slot(const void *cond)
{
	return (uint32_t)((uint64_t)(uintptr_t)cond * 0x9e3779b97f4a7c15ull >> 52);
}

void cond_waits(const void *cond)
{
	atomic_fetch_add(&conds[slot(cond)].waiters, 1);
}

void cond_woken(const void *cond)
{
	uint32_t i = slot(cond), tokens = atomic_load(&conds[i].tokens);
	while (tokens && !atomic_compare_exchange_weak(&conds[i].tokens, &tokens, tokens - 1))
		;
	atomic_fetch_sub(&conds[i].waiters, 1);
}

void cond_signals(const void *cond, bool all)
{
	uint32_t i = slot(cond), waiters = atomic_load(&conds[i].waiters), tokens = atomic_load(&conds[i].tokens);
	while (tokens < waiters &&
	       !atomic_compare_exchange_weak(&conds[i].tokens, &tokens, all ? waiters : tokens + 1))
		;
}

bool cond_can_wake(const void *cond)
{
	return atomic_load(&conds[slot(cond)].tokens) != 0;
}
