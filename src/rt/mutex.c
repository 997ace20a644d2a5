/* Interposed: what one thread has alone. Mutexes, spinlocks, streams, and condition variables, which give
 * mutexes up for a while. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/clock.h"
#include "rt/deadlock.h"
#include "rt/interpose.h"
#include "rt/lookup.h"
#include "rt/tags.h"

#include <gnu/libc-version.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ mutexes ----------------- */

bool rt_plain_mutexes;
int rt_tries;
unsigned rt_first_pauses = 1;

/* How many of the processor's pauses take so many nanoseconds: from 10 to 140 cycles each. */
static unsigned pauses_in(uint64_t ns)
{
	enum { PAUSES = 32, ROUNDS = 3 };
	uint64_t least = UINT64_MAX, began, took;

	for (int round = 0; round < ROUNDS; round++) {
		began = rt_clock_ns();
		for (int i = 0; i < PAUSES; i++)
			__builtin_ia32_pause();
		took = rt_clock_ns() - began;
		least = took < least ? took : least;
	}
	return least < PAUSES * ns ? (unsigned)(PAUSES * ns / (least ? least : 1)) : 1;
}

void rt_plain_mutexes_init(int tries)
{
	enum { TRIES = 4, FIRST_WAIT_NS = 100 };
	void *functions[] = {(void *)rt_real.pthread_mutex_trylock, (void *)rt_real.pthread_mutex_lock,
			     (void *)rt_real.pthread_mutex_unlock};
	const char *version = gnu_get_libc_version();
	cpu_set_t processors;

	rt_tries = tries >= 0 ? tries : !sched_getaffinity(0, sizeof processors, &processors) && CPU_COUNT(&processors) == 1 ? 0 : TRIES;
	if (rt_tries)
		rt_first_pauses = pauses_in(FIRST_WAIT_NS);
	if (strncmp(version, "2.", 2) || atoi(version + 2) < 34)
		return;
	for (unsigned i = 0; i < 3; i++)
		if (!rt_same_library(functions[i], (void *)gnu_get_libc_version))
			return;
	rt_plain_mutexes = true;
	rt_tags_reset();
}

static void acquired(struct rt_self *self, pthread_mutex_t *m, int result)
{
	if (rt_likely(rt_is_tagged(m)))
		rt_tag_acquired(self, m, result);
	else
		rt_step_acquired(self, m, result);
}

static __attribute__((noinline, cold)) void unrecorded_acquired(pthread_mutex_t *m)
{
	if (!rt_is_tagged(m))
		rt_unrecorded_acquired(m);
	else if (!rt_self.paused)
		rt_tag_unrecorded(m);
}

/* rt_after_acquire of a mutex. */
static int after_acquire(pthread_mutex_t *m, int result)
{
	struct rt_self *self = &rt_self;

	if (rt_likely(self->active)) {
		if (rt_likely(rt_is_acquisition(result)))
			acquired(self, m, result);
		else
			rt_step_failed(self, result);
	} else if (rt_log.header && rt_is_acquisition(result)) {
		unrecorded_acquired(m);
	}
	return result;
}

static __attribute__((noinline, cold)) int lock_blocked(struct rt_self *self, pthread_mutex_t *m,
							const void *from)
{
	int result = EBUSY;

	for (int n = 0; result == EBUSY && rt_tries_again(n); n++)
		result = rt_real.pthread_mutex_trylock(m);
	if (result == EBUSY) {
		rt_blocks_on_mutex(self, m, from);
		result = rt_real.pthread_mutex_lock(m);
		rt_unblocked(self);
	}
	if (!result)
		rt_self_stamp(self);
	return result;
}

/*
 * The ways on from pthread_mutex_lock, each taken by a jump: so that the shortest one has no registers to save and no
 * frame, and that all know where they were called from.
 */
static __attribute__((noinline)) int lock_unrecorded(pthread_mutex_t *m)
{
	/* Nothing is recorded: on to the C library, the shortest way. */
	if (!rt_log.header && rt_real.pthread_mutex_lock)
		return rt_real.pthread_mutex_lock(m);
	return after_acquire(m, RT_REAL(pthread_mutex_lock)(m));
}

static __attribute__((noinline)) int lock_got(pthread_mutex_t *m)
{
	rt_tag_acquired(&rt_self, m, 0);
	return 0;
}

/*
 * Most waits are short, and looking for a deadlock costs about as much as such a wait: so a thread says that it waits, and looks, when
 * it has slept for a millisecond. Of those in a cycle the last one to say so finds it.
 */
static __attribute__((noinline)) int lock_busy(pthread_mutex_t *m)
{
	static const struct timespec patience = {0, 1000000};
	struct rt_self *self = &rt_self;

	if (!rt_plain_spin(m, self->tid) && rt_unlikely(!rt_plain_wait(m, self->tid, &patience)))
		return after_acquire(m, lock_blocked(self, m, __builtin_return_address(0)));
	if (rt_log.scheme == RT_SCHEME_PATH)
		rt_self_stamp(self);
	rt_tag_acquired(self, m, 0);
	return 0;
}

/* Is the thread told that the mutex is its own, in the place of waiting for itself? */
static bool is_told(const struct rt_self *self, const pthread_mutex_t *m)
{
	return (m->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP &&
	       (uint32_t)__atomic_load_n(&m->__data.__owner, __ATOMIC_RELAXED) == self->tid;
}

static __attribute__((noinline)) int lock_other(pthread_mutex_t *m)
{
	int result = rt_real.pthread_mutex_trylock(m);

	if (result == EBUSY && is_told(&rt_self, m))
		result = rt_real.pthread_mutex_lock(m);
	else if (result == EBUSY)
		result = lock_blocked(&rt_self, m, __builtin_return_address(0));
	return after_acquire(m, result);
}

static __attribute__((noinline, cold)) int lock_interrupted(pthread_mutex_t *m)
{
	(void)m;
	rt_caught_run(RT_SIGNAL_STEP);
	return 0;
}

#define JUMP __attribute__((musttail)) return

/*
 * Tried first, so that a thread which has to wait can say so. The case without a change of owner is spelled out
 * here: it is what uncontended locks cost.
 */
int pthread_mutex_lock(pthread_mutex_t *m)
{
	if (rt_unlikely(!rt_self.active))
		JUMP lock_unrecorded(m);
	rt_will_write(m);
	if (rt_unlikely(!rt_plain_mutexes || !rt_is_plain(m)))
		JUMP lock_other(m);
	if (rt_unlikely(rt_plain_trylock(m, rt_self.tid)))
		JUMP lock_busy(m);
	if (rt_unlikely(!rt_tag_again(&rt_self, rt_tag(m), rt_holding(&rt_self, m), m)))
		JUMP lock_got(m);
	rt_self.thread->sync_done++;
	if (rt_unlikely(rt_caught_waiting))
		JUMP lock_interrupted(m);
	return 0;
}

static __attribute__((noinline)) int try_otherwise(pthread_mutex_t *m)
{
	return after_acquire(m, RT_REAL(pthread_mutex_trylock)(m));
}

static __attribute__((noinline)) int try_failed(pthread_mutex_t *m)
{
	(void)m;
	rt_step_failed(&rt_self, EBUSY);
	return EBUSY;
}

int pthread_mutex_trylock(pthread_mutex_t *m)
{
	if (rt_unlikely(!rt_self.active || !rt_plain_mutexes || !rt_is_plain(m)))
		JUMP try_otherwise(m);
	if (__atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED) || rt_plain_trylock(m, rt_self.tid))
		JUMP try_failed(m);
	JUMP lock_got(m);
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict m, const struct timespec *restrict until)
{
	return after_acquire(m, RT_REAL(pthread_mutex_timedlock)(m, until));
}

int pthread_mutex_clocklock(pthread_mutex_t *restrict m, clockid_t clock,
			    const struct timespec *restrict until)
{
	return after_acquire(m, RT_REAL(pthread_mutex_clocklock)(m, clock, until));
}

static __attribute__((noinline)) int unlock_otherwise(pthread_mutex_t *m)
{
	rt_before_release();
	return RT_REAL(pthread_mutex_unlock)(m);
}

static __attribute__((noinline)) int unlock_waited_for(pthread_mutex_t *m)
{
	rt_plain_wake(m);
	return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
	if (rt_unlikely(!rt_self.active || rt_caught_waiting || !rt_plain_mutexes || !rt_is_plain(m)))
		JUMP unlock_otherwise(m);
	rt_self.thread->sync_done++;
	if (rt_unlikely(rt_plain_unlock(m)))
		JUMP unlock_waited_for(m);
	return 0;
}

/* ------------------------------------------------------------------ spinlocks --------------- */

int pthread_spin_lock(pthread_spinlock_t *l)
{
	return rt_after_acquire((const void *)l,
				RT_REAL(pthread_spin_lock)(l));
}

int pthread_spin_trylock(pthread_spinlock_t *l)
{
	return rt_after_acquire((const void *)l,
				RT_REAL(pthread_spin_trylock)(l));
}

int pthread_spin_unlock(pthread_spinlock_t *l)
{
	rt_before_release();
	return RT_REAL(pthread_spin_unlock)(l);
}

/* ------------------------------------------------------------------ streams ----------------- */

/* Macros of <stdio.h> use what these protect, so it is the program's as well. */
void flockfile(FILE *f)
{
	RT_REAL(flockfile)(f);
	rt_after_acquire(f, 0);
}

int ftrylockfile(FILE *f)
{
	return rt_after_acquire(f, RT_REAL(ftrylockfile)(f) ? EBUSY : 0);
}

void funlockfile(FILE *f)
{
	rt_before_release();
	RT_REAL(funlockfile)(f);
}

/* ------------------------------------------------------------------ condition variables ----- */

/*
 * A wait ends with the mutex held, whatever it returns, also when the thread is cancelled in it.
 * Its result is always that of the second step.
 */
struct wait {
	pthread_mutex_t *mutex;
	int result;
};

static void has_mutex_again(void *data)
{
	struct wait *w = data;
	struct rt_self *self = &rt_self;

	if (self->active && !w->result)
		rt_self_stamp(self);
	if (self->active)
		acquired(self, w->mutex, w->result);
	else if (rt_log.header)
		unrecorded_acquired(w->mutex);
}

/* `call` is the real one; errors that come before the wait (EINVAL, EPERM) leave the mutex held as
 * well. */
#define WAIT(name, mutex_, call)                                                                   \
	struct wait w = {mutex_, RT_CANCELLED};                                                    \
                                                                                                   \
	rt_before_waking();                                                                        \
	pthread_cleanup_push(has_mutex_again, &w);                                                 \
	w.result = call;                                                                           \
	pthread_cleanup_pop(1);                                                                    \
	return w.result

int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
{
	WAIT(pthread_cond_wait, m, RT_REAL(pthread_cond_wait)(c, m));
}

int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
			   const struct timespec *restrict until)
{
	WAIT(pthread_cond_timedwait, m, RT_REAL(pthread_cond_timedwait)(c, m, until));
}

int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m, clockid_t clock,
			   const struct timespec *restrict until)
{
	WAIT(pthread_cond_clockwait, m, RT_REAL(pthread_cond_clockwait)(c, m, clock, until));
}

int pthread_cond_signal(pthread_cond_t *c)
{
	rt_before_waking();
	return RT_REAL(pthread_cond_signal)(c);
}

int pthread_cond_broadcast(pthread_cond_t *c)
{
	rt_before_waking();
	return RT_REAL(pthread_cond_broadcast)(c);
}
