/* Interposed: threads that come and go. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/threads.h"

#include "rt/deadlock.h"
#include "rt/failure.h"
#include "rt/image.h"
#include "rt/interpose.h"
#include "rt/libraries.h"

#include <limits.h>

enum { ORDER_CREATE = 1, ORDER_JOIN = 2 };

/*
 * Runs when a thread ends, however it does, among the other thread-specific destructors. Those are
 * recorded too, so the log is left only in the last round of destructors that there can be.
 */
static pthread_key_t at_end;

static void thread_ends(void *round)
{
	uintptr_t n = (uintptr_t)round;

	rt_self_ended();
	if (n < PTHREAD_DESTRUCTOR_ITERATIONS && !pthread_setspecific(at_end, (void *)(n + 1)))
		return;
	rt_caught_block();
	rt_failure_thread_end();
	rt_self_leave();
}

/* The calling thread becomes a recorded one. */
static void enter(struct rt_peer *p)
{
	int saved = errno;

	rt_self_begin(p);
	rt_failure_thread();
	pthread_setspecific(at_end, (void *)1);
	errno = saved;
}

static void *run(void *peer)
{
	struct rt_peer *p = peer;

	rt_peer_register(p, pthread_self());
	enter(p);
	rt_caught_unblock(p->mask);
	return p->routine(p->argument);
}

void rt_threads_start(void)
{
	struct rt_peer *main_thread;

	pthread_key_create(&at_end, thread_ends);
	main_thread = rt_peer_new(0, 1);
	rt_peer_register(main_thread, pthread_self());
	enter(main_thread);
}

void rt_threads_restart(void)
{
	struct rt_peer *main_thread;

	rt_peers_reset();
	main_thread = rt_peer_new(0, 1);
	rt_peer_register(main_thread, pthread_self());
	enter(main_thread);
}

/* ------------------------------------------------------------------ creating ---------------- */

int pthread_create(pthread_t *restrict handle, const pthread_attr_t *restrict attributes,
		   void *(*routine)(void *), void *restrict argument)
{
	struct rt_self *self = &rt_self;
	struct rt_peer *p = NULL;
	int result;

	rt_real_init();
	if (self->active)
		p = rt_peer_new(self->number, self->children + 1);
	if (!p)
		return rt_real.pthread_create(handle, attributes, routine, argument);
	p->routine = routine;
	p->argument = argument;
	if (!rt_image_relative((uint64_t)(uintptr_t)routine))
		rt_libraries_thread((const void *)routine);
	p->mask = rt_caught_block();
	result = rt_real.pthread_create(handle, attributes, run, p);
	rt_caught_unblock(p->mask);
	if (result) {
		rt_peer_unused(p);
		rt_step_failed(self, result);
		return result;
	}
	self->children++;
	rt_peer_register(p, *handle);
	rt_self_sync(self, RT_OBJECT_THREAD + p->number, ORDER_CREATE, 0);
	rt_self_done(self);
	return 0;
}

/* ------------------------------------------------------------------ joining ----------------- */

static void cancelled(void *self)
{
	rt_unblocked(self);
	rt_step_failed(self, RT_CANCELLED);
}

/* Joining can be cancelled. */
static int join_blocked(struct rt_self *self, struct rt_peer *p, pthread_t handle, void **value,
			const void *from)
{
	int result;

	/* Who joins itself is told so (EDEADLK), and does not wait. */
	if (p && p != self->peer)
		rt_blocks_on_thread(self, p, from);
	pthread_cleanup_push(cancelled, self);
	result = rt_real.pthread_join(handle, value);
	pthread_cleanup_pop(0);
	rt_unblocked(self);
	return result;
}

/* p: who the handle was before the call, because afterwards it may already be another thread's. */
static int after_join(struct rt_peer *p, pthread_t handle, int result)
{
	struct rt_self *self = &rt_self;

	if (result) {
		rt_step_failed(self, result);
		return result;
	}
	/* Only a thread whose creator was still in pthread_create was not known before. */
	if (!p)
		p = rt_peer_find(handle);
	if (p)
		rt_peer_forget(p);
	if (p)
		rt_self_sync(self, RT_OBJECT_THREAD + p->number, ORDER_JOIN, 0);
	rt_self_done(self);
	return 0;
}

int pthread_join(pthread_t handle, void **value)
{
	struct rt_self *self = &rt_self;
	struct rt_peer *p;
	int result;

	if (!self->active)
		return RT_REAL(pthread_join)(handle, value);
	p = rt_peer_find(handle);
	result = rt_real.pthread_tryjoin_np(handle, value);
	if (result == EBUSY)
		result = join_blocked(self, p, handle, value, __builtin_return_address(0));
	return after_join(p, handle, result);
}

#define JOIN(name, parameters, arguments)                                                          \
	int name parameters                                                                        \
	{                                                                                          \
		struct rt_peer *p;                                                                 \
                                                                                                   \
		if (!rt_self.active)                                                               \
			return RT_REAL(name) arguments;                                            \
		p = rt_peer_find(handle);                                                          \
		return after_join(p, handle, rt_real.name arguments);            \
	}

JOIN(pthread_tryjoin_np, (pthread_t handle, void **value), (handle, value))
JOIN(pthread_timedjoin_np, (pthread_t handle, void **value, const struct timespec *until),
     (handle, value, until))
JOIN(pthread_clockjoin_np,
     (pthread_t handle, void **value, clockid_t clock, const struct timespec *until),
     (handle, value, clock, until))

/* ------------------------------------------------------------------ going ------------------- */

int pthread_detach(pthread_t handle)
{
	rt_before_release();
	return RT_REAL(pthread_detach)(handle);
}

void pthread_exit(void *value)
{
	rt_before_release();
	RT_REAL(pthread_exit)(value);
	__builtin_unreachable();
}
