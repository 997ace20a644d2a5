/* Interposed: what several threads use at once. Read-write locks, semaphores, barriers, once. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/deadlock.h"
#include "rt/image.h"
#include "rt/interpose.h"

/* ------------------------------------------------------------------ read-write locks -------- */

/* The lock is there, or not. */
static inline int after_read(pthread_rwlock_t *l, int result)
{
	if (!result && rt_self.active)
		rt_begins_to_read(&rt_self, l);
	return rt_after_tagged(rt_rwlock_tag(l), l, false, result);
}

static inline int after_write(pthread_rwlock_t *l, int result)
{
	return rt_after_tagged(rt_rwlock_tag(l), l, true, result);
}

static __attribute__((noinline)) int lock_blocked(pthread_rwlock_t *l, bool writes, const void *from)
{
	struct rt_self *self = &rt_self;
	int result = EBUSY;

	for (int n = 0; result == EBUSY && rt_tries_again(n); n++)
		result = writes ? rt_real.pthread_rwlock_trywrlock(l) : rt_real.pthread_rwlock_tryrdlock(l);
	if (result) {
		rt_blocks_on_rwlock(self, l, writes, from);
		result = writes ? rt_real.pthread_rwlock_wrlock(l) : rt_real.pthread_rwlock_rdlock(l);
		rt_unblocked(self);
	}
	if (!result)
		rt_self_stamp(self);
	return result;
}

/* Tried first, so that a thread which has to wait can say so. */
int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	int result;

	if (!rt_self.active)
		return after_read(l, RT_REAL(pthread_rwlock_rdlock)(l));
	rt_will_write(l);
	result = rt_real.pthread_rwlock_tryrdlock(l);
	return after_read(l, rt_likely(!result) ? 0 : lock_blocked(l, false, __builtin_return_address(0)));
}

int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	int result;

	if (!rt_self.active)
		return after_write(l, RT_REAL(pthread_rwlock_wrlock)(l));
	rt_will_write(l);
	result = rt_real.pthread_rwlock_trywrlock(l);
	return after_write(l, rt_likely(!result) ? 0 : lock_blocked(l, true, __builtin_return_address(0)));
}

#define LOCK(how, name, parameters, arguments)                                                     \
	int name parameters                                                                        \
	{                                                                                          \
		return after_##how(l, RT_REAL(name) arguments);                                    \
	}

LOCK(read, pthread_rwlock_tryrdlock, (pthread_rwlock_t * l), (l))
LOCK(read, pthread_rwlock_timedrdlock,
     (pthread_rwlock_t *restrict l, const struct timespec *restrict until), (l, until))
LOCK(read, pthread_rwlock_clockrdlock,
     (pthread_rwlock_t *restrict l, clockid_t clock, const struct timespec *restrict until),
     (l, clock, until))
LOCK(write, pthread_rwlock_trywrlock, (pthread_rwlock_t * l), (l))
LOCK(write, pthread_rwlock_timedwrlock,
     (pthread_rwlock_t *restrict l, const struct timespec *restrict until), (l, until))
LOCK(write, pthread_rwlock_clockwrlock,
     (pthread_rwlock_t *restrict l, clockid_t clock, const struct timespec *restrict until),
     (l, clock, until))

int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	bool writes = rt_tagged_rwlocks && rt_rwlock_writes(l, rt_self.tid);

	if (rt_self.active && !writes)
		rt_ends_to_read(&rt_self, l);
	rt_after_tagged(rt_rwlock_tag(l), l, writes, 0);
	return RT_REAL(pthread_rwlock_unlock)(l);
}

/* ------------------------------------------------------------------ semaphores -------------- */

/* These say what went wrong in errno; recording leaves it alone. */
static inline int after_sem(sem_t *s, int result)
{
	rt_after_tagged(rt_semaphore_tag(s), s, false, result ? errno : 0);
	return result;
}

static void cancelled(void *self)
{
	rt_step_failed(self, RT_CANCELLED);
}

/* Got at once, without being asked whether the thread is cancelled: only where nobody has ever been. */
static inline bool got_at_once(sem_t *s)
{
	int saved;
	bool got;

	if (rt_cancels)
		return false;
	rt_will_write(s);
	if (rt_likely(rt_tagged_semaphores))
		return rt_semaphore_take(s);
	saved = errno;
	got = !RT_REAL(sem_trywait)(s);
	errno = saved;
	return got;
}

#define WAIT(name, parameters, arguments)                                                          \
	int name parameters                                                                        \
	{                                                                                          \
		struct rt_self *self = &rt_self;                                                   \
		int result;                                                                        \
                                                                                                   \
		if (!self->active)                                                                 \
			return after_sem(s, RT_REAL(name) arguments);                              \
		if (got_at_once(s))                                                                \
			return after_sem(s, 0);                                                    \
		pthread_cleanup_push(cancelled, self);                                             \
		result = rt_real.name arguments;                                                   \
		pthread_cleanup_pop(0);                                                            \
		if (!result)                                                                       \
			rt_self_stamp(self);                                                       \
		return after_sem(s, result);                                                       \
	}

WAIT(sem_wait, (sem_t * s), (s))
int sem_trywait(sem_t *s)
{
	return after_sem(s, RT_REAL(sem_trywait)(s));
}

WAIT(sem_timedwait, (sem_t *restrict s, const struct timespec *restrict until), (s, until))
WAIT(sem_clockwait, (sem_t *restrict s, clockid_t clock, const struct timespec *restrict until),
     (s, clock, until))

int sem_post(sem_t *s)
{
	if (rt_self.active && rt_log.scheme == RT_SCHEME_PATH)
		rt_self_stamp(&rt_self);
	rt_after_tagged(rt_semaphore_tag(s), s, false, 0);
	if (rt_likely(rt_tagged_semaphores && rt_semaphore_give(s)))
		return 0;
	return RT_REAL(sem_post)(s);
}

/* No step. A tag that the memory still has may be older than what was there in between. */
__attribute__((weak)) int sem_init(sem_t *s, int shared, unsigned value)
{
	int result = RT_REAL(sem_init)(s, shared, value);

	if (!result && rt_tagged_semaphores)
		((struct rt_semaphore *)(void *)s)->key = 0;
	return result;
}

/* ------------------------------------------------------------------ barriers ---------------- */

/* One of the threads gets PTHREAD_BARRIER_SERIAL_THREAD, which is no failure but has to be known.
 */
int pthread_barrier_wait(pthread_barrier_t *b)
{
	struct rt_self *self = &rt_self;
	int result;

	if (self->active)
		rt_self_stamp(self);
	rt_before_ordered(b);
	result = RT_REAL(pthread_barrier_wait)(b);
	if (self->active && !result)
		rt_self_stamp(self);
	if (self->active)
		rt_step_ordered(self, b, result);
	else
		rt_before_ordered(b);
	return result;
}

/* ------------------------------------------------------------------ once -------------------- */

/* The innermost pthread_once that the calling thread is in. */
static __thread struct {
	pthread_once_t *control;
	void (*routine)(void);
} once __attribute__((tls_model("initial-exec")));

static void run_once(void)
{
	struct rt_self *self = &rt_self;
	void (*routine)(void) = once.routine;

	if (self->active)
		rt_step_ordered(self, once.control, 1);
	routine();
}

/* What glibc has in the control when the routine has run. */
enum { ONCE_DONE = 2 };

static __attribute__((noinline)) int once_ordered(pthread_once_t *control, void (*routine)(void))
{
	__typeof__(once) outer = once;
	int result;

	once.control = control;
	once.routine = routine;
	result = RT_REAL(pthread_once)(control, run_once);
	once = outer;
	return rt_after_ordered(control, result);
}

int pthread_once(pthread_once_t *control, void (*routine)(void))
{
	/* Only the program's own calls are steps: the unwinder uses it too, for itself. */
	if (!rt_image_relative((uint64_t)(uintptr_t)__builtin_return_address(0)))
		return RT_REAL(pthread_once)(control, routine);
	if (!rt_plain_mutexes || !(__atomic_load_n(control, __ATOMIC_ACQUIRE) & ONCE_DONE))
		return once_ordered(control, routine);
	/* A step, but in no order with those of others who find the same: programs ask very often. */
	rt_before_release();
	return 0;
}
