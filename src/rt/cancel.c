/*
 * Interposed: cancelling a thread, and calls in which a thread may be cancelled and that do nothing else. That it was
 * is known by a cleanup handler around the real call, the first that runs.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/async.h"
#include "rt/interpose.h"
#include "rt/peers.h"

bool rt_cancels;

int pthread_cancel(pthread_t handle)
{
	struct rt_peer *p = rt_self.active ? rt_peer_find(handle) : NULL;
	int result;

	__atomic_store_n(&rt_cancels, true, __ATOMIC_RELAXED);
	if (p)
		__atomic_store_n(&p->cancelled, true, __ATOMIC_SEQ_CST);
	rt_before_release();
	result = RT_REAL(pthread_cancel)(handle);
	if (!result)
		rt_async_tell(handle);
	return result;
}

static void cancelled(void *self)
{
	rt_step_failed(self, RT_CANCELLED);
}

/* `failed` is the error number of a call that was interrupted, or 0. */
#define POINT(name, type, result, failed, ...)                                                     \
	struct rt_self *self = &rt_self;                                                           \
                                                                                                   \
	if (!self->active)                                                                         \
		return RT_REAL(name)(__VA_ARGS__);                                                 \
	pthread_cleanup_push(cancelled, self);                                                     \
	result rt_real.name(__VA_ARGS__);                                                          \
	pthread_cleanup_pop(0);                                                                    \
	if (rt_unlikely(failed))                                                                   \
		rt_step_failed(self, (int)(failed));                                               \
	else                                                                                       \
		rt_self_done(self);

void pthread_testcancel(void)
{
	POINT(pthread_testcancel, void, , 0, );
}

unsigned sleep(unsigned seconds)
{
	unsigned left;

	/* What is left when a signal came is what it returns: at least 1. */
	POINT(sleep, unsigned, left =, left, seconds);
	return left;
}

int usleep(useconds_t us)
{
	int result;

	POINT(usleep, int, result =, result ? errno : 0, us);
	return result;
}

int nanosleep(const struct timespec *t, struct timespec *left)
{
	int result;

	POINT(nanosleep, int, result =, result ? errno : 0, t, left);
	return result;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left)
{
	int result;

	POINT(clock_nanosleep, int, result =, result, clock, flags, t, left);
	return result;
}
