/*
 * Interposed synchronization in the twin beyond threads and plain mutexes (interpose.c). Each function is the
 * steps that trace.h gives it: the engine's in infer mode, else the real call between the halves of a gate.
 */
#include "replay/interpose.h"
#include "rt/image.h"

#include <semaphore.h>

/* ---- mutexes, spinlocks ---- */

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	if (infers())
		return twin_engine->acquire(mutex, WHAT);
	return STEP_ON(mutex, rt_real.pthread_mutex_trylock(mutex));
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	if (infers())
		return twin_engine->acquire(mutex, WHAT);
	return STEP_ON(mutex, CONDUCTED(mutex, EBUSY, true, rt_real.pthread_mutex_timedlock(mutex, until),
					conductor_trylock(mutex)));
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	if (infers())
		return twin_engine->acquire(mutex, WHAT);
	return STEP_ON(mutex, CONDUCTED(mutex, EBUSY, true, rt_real.pthread_mutex_clocklock(mutex, clock, until),
					conductor_trylock(mutex)));
}

int pthread_spin_lock(pthread_spinlock_t *lock)
{
	if (infers())
		return twin_engine->acquire((const void *)lock, WHAT);
	return STEP_ON((const void *)lock, CONDUCTED((const void *)lock, EBUSY, false, rt_real.pthread_spin_lock(lock),
						     rt_real.pthread_spin_trylock(lock)));
}

int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	if (infers())
		return twin_engine->acquire((const void *)lock, WHAT);
	return STEP_ON((const void *)lock, rt_real.pthread_spin_trylock(lock));
}

int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	if (infers()) {
		twin_engine->release((const void *)lock, WHAT);
		return 0;
	}
	return STEP_ON((const void *)lock, rt_real.pthread_spin_unlock(lock));
}

/* ---- streams ---- */

static int take_stream(FILE *f)
{
	rt_real.flockfile(f);
	return 0;
}

static int try_stream(FILE *f)
{
	return rt_real.ftrylockfile(f) ? EBUSY : 0;
}

static int give_stream(FILE *f)
{
	rt_real.funlockfile(f);
	return 0;
}

void flockfile(FILE *f)
{
	if (infers())
		twin_engine->acquire(f, WHAT);
	else
		STEP_ON(f, CONDUCTED(f, EBUSY, false, take_stream(f), try_stream(f)));
}

int ftrylockfile(FILE *f)
{
	if (infers())
		return twin_engine->acquire(f, WHAT);
	return STEP_ON(f, try_stream(f));
}

void funlockfile(FILE *f)
{
	if (infers())
		twin_engine->release(f, WHAT);
	else
		STEP_ON(f, give_stream(f));
}

/* ---- condition variables ---- */

/* What kind of wait it is: `until` NULL without a time limit, `clock` negative for the variable's own clock. */
struct waiting {
	pthread_cond_t *cond;
	pthread_mutex_t *mutex;
	const struct timespec *until;
	clockid_t clock;
	const char *what; /* the function */
};

static clockid_t clock_of(const struct waiting *w)
{
	enum { MONOTONIC = 2 }; /* of __wrefs in the C library */
	return w->clock >= 0 ? w->clock : w->cond->__data.__wrefs & MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

static int really_wait(const struct waiting *w)
{
	if (!w->until)
		return rt_real.pthread_cond_wait(w->cond, w->mutex);
	if (w->clock < 0)
		return rt_real.pthread_cond_timedwait(w->cond, w->mutex, w->until);
	return rt_real.pthread_cond_clockwait(w->cond, w->mutex, w->clock, w->until);
}

/* The step in which the thread has the mutex back. */
static void has_mutex_again(const struct waiting *w, int result)
{
	int unused;
	struct twin_thread *self = twin_self();
	gate_leave();
	gate_enter_as(w->what, w->mutex, &unused);
	gate_returns(result);
	gate_leave();
	if (self)
		self->orders = false;
}

static void wait_cancelled(void *w)
{
	has_mutex_again(w, RT_CANCELLED);
}

/* The rest of wait_controlled, where the conductor says who goes on. */
static int wait_conducted(const struct waiting *w)
{
	int unused;
	rt_real.pthread_mutex_unlock(w->mutex);
	gate_leave();
	if (w->until)
		conductor_limit(w->cond, clock_of(w), w->until);
	int result = conductor_wait(w->cond, w->until != NULL);
	gate_enter_as(w->what, w->mutex, &unused);
	CONDUCTED(w->mutex, EBUSY, false, 0, rt_real.pthread_mutex_trylock(w->mutex));
	gate_returns(result);
	gate_leave();
	return result;
}

/*
 * Two steps: the mutex is given up, the mutex is had back. While the schedule controls the thread it is what wakes
 * it, and the condition variable itself is left alone (conds.c keeps account). Beyond the schedule the wait
 * is real.
 */
static int wait_controlled(const struct waiting *w)
{
	int result = 0;
	struct twin_thread *self = twin_self();
	if (self)
		self->releases = self->orders = true;
	gate_enter_as(w->what, w->mutex, &result);
	if (self)
		self->releases = false;
	if (conductor_on)
		return wait_conducted(w);
	if (!gate_is_scheduled()) {
		gate_leave(); /* whoever takes the mutex next waits until it is really released */
		if (!w->until || twin_mode != TWIN_RECORD)
			gate_blocks();
		pthread_cleanup_push(wait_cancelled, (void *)w);
		result = really_wait(w);
		pthread_cleanup_pop(0);
		has_mutex_again(w, result);
		return result;
	}
	cond_waits(w->cond);
	rt_real.pthread_mutex_unlock(w->mutex);
	gate_leave();
	self->cond = w->cond;
	if (!gate_enter_as(w->what, w->mutex, &result))
		result = 0;
	self->cond = NULL;
	cond_woken(w->cond);
	gate_blocks();
	int got = rt_real.pthread_mutex_lock(w->mutex);
	result = result ? result : got;
	gate_returns(result);
	gate_leave();
	self->orders = false;
	if (result == RT_CANCELLED)
		twin_cancelled();
	return result;
}

static int wait_inferred(const struct waiting *w)
{
	return twin_engine->wait(w->cond, w->mutex, w->what);
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	struct waiting w = { cond, mutex, NULL, -1, WHAT };
	step_caller = __builtin_return_address(0);
	return infers() ? wait_inferred(&w) : wait_controlled(&w);
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
	struct waiting w = { cond, mutex, until, -1, WHAT };
	step_caller = __builtin_return_address(0);
	return infers() ? wait_inferred(&w) : wait_controlled(&w);
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
			   const struct timespec *until)
{
	struct waiting w = { cond, mutex, until, clock, WHAT };
	step_caller = __builtin_return_address(0);
	return infers() ? wait_inferred(&w) : wait_controlled(&w);
}

int pthread_cond_signal(pthread_cond_t *cond)
{
	if (infers()) {
		twin_engine->signal(cond, false, WHAT);
		return 0;
	}
	cond_signals(cond, false);
	return STEP((conductor_on ? conductor_signal(cond, false) : (void)0, rt_real.pthread_cond_signal(cond)));
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
	if (infers()) {
		twin_engine->signal(cond, true, WHAT);
		return 0;
	}
	cond_signals(cond, true);
	return STEP((conductor_on ? conductor_signal(cond, true) : (void)0, rt_real.pthread_cond_broadcast(cond)));
}

/* ---- read-write locks ---- */

#define RWLOCK(name, step, parameters, call)                           \
	int name parameters                                            \
	{                                                              \
		if (infers())                                          \
			return twin_engine->ordered(lock, step, WHAT); \
		return STEP_ON(lock, call);                            \
	}
#define READ(timed, name, arguments) \
	CONDUCTED(lock, EBUSY, timed, rt_real.name arguments, rt_real.pthread_rwlock_tryrdlock(lock))
#define WRITE(timed, name, arguments) \
	CONDUCTED(lock, EBUSY, timed, rt_real.name arguments, rt_real.pthread_rwlock_trywrlock(lock))
RWLOCK(pthread_rwlock_rdlock, RT_STEP_READ_LOCK, (pthread_rwlock_t * lock), READ(false, pthread_rwlock_rdlock, (lock)))
RWLOCK(pthread_rwlock_wrlock, RT_STEP_WRITE_LOCK, (pthread_rwlock_t * lock), WRITE(false, pthread_rwlock_wrlock, (lock)))
RWLOCK(pthread_rwlock_tryrdlock, RT_STEP_READ_LOCK, (pthread_rwlock_t * lock), rt_real.pthread_rwlock_tryrdlock(lock))
RWLOCK(pthread_rwlock_trywrlock, RT_STEP_WRITE_LOCK, (pthread_rwlock_t * lock), rt_real.pthread_rwlock_trywrlock(lock))
RWLOCK(pthread_rwlock_timedrdlock, RT_STEP_READ_LOCK, (pthread_rwlock_t * lock, const struct timespec *until),
       READ(true, pthread_rwlock_timedrdlock, (lock, until)))
RWLOCK(pthread_rwlock_timedwrlock, RT_STEP_WRITE_LOCK, (pthread_rwlock_t * lock, const struct timespec *until),
       WRITE(true, pthread_rwlock_timedwrlock, (lock, until)))
RWLOCK(pthread_rwlock_clockrdlock, RT_STEP_READ_LOCK, (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
       READ(true, pthread_rwlock_clockrdlock, (lock, clock, until)))
RWLOCK(pthread_rwlock_clockwrlock, RT_STEP_WRITE_LOCK, (pthread_rwlock_t * lock, clockid_t clock, const struct timespec *until),
       WRITE(true, pthread_rwlock_clockwrlock, (lock, clock, until)))
RWLOCK(pthread_rwlock_unlock, RT_STEP_UNLOCK, (pthread_rwlock_t * lock), rt_real.pthread_rwlock_unlock(lock))

/* ---- semaphores: -1 and errno; the log has the error number ---- */

static int with_errno(int error)
{
	if (!error)
		return 0;
	errno = error;
	return -1;
}

/* For the conductor: 0, EAGAIN when it would wait, or another error. */
static int try_semaphore(sem_t *s)
{
	return rt_real.sem_trywait(s) ? errno : 0;
}

#define TAKE(timed, name, arguments)                                                    \
	(conductor_on ? with_errno(CONDUCTED(s, EAGAIN, timed, 0, try_semaphore(s)))    \
		      : CANCELLABLE(rt_real.name arguments))

#define SEMAPHORE(name, step, parameters, call)                               \
	int name parameters                                                   \
	{                                                                     \
		if (infers())                                                 \
			return with_errno(twin_engine->ordered(s, step, WHAT)); \
		int result;                                                   \
		if (gate_enter_as(WHAT, s, &result)) {                        \
			if (result == RT_CANCELLED) {                         \
				gate_leave();                                 \
				twin_cancelled();                             \
			}                                                     \
			result = with_errno(result);                          \
		} else                                                        \
			result = (call);                                      \
		gate_returns(result ? errno : 0);                             \
		gate_leave();                                                 \
		return result;                                                \
	}
SEMAPHORE(sem_wait, RT_STEP_TAKE, (sem_t * s), TAKE(false, sem_wait, (s)))
SEMAPHORE(sem_trywait, RT_STEP_TAKE, (sem_t * s), rt_real.sem_trywait(s))
SEMAPHORE(sem_timedwait, RT_STEP_TAKE, (sem_t * s, const struct timespec *until),
	  (conductor_limit(s, CLOCK_REALTIME, until), TAKE(true, sem_timedwait, (s, until))))
SEMAPHORE(sem_clockwait, RT_STEP_TAKE, (sem_t * s, clockid_t clock, const struct timespec *until),
	  (conductor_limit(s, clock, until), TAKE(true, sem_clockwait, (s, clock, until))))
SEMAPHORE(sem_post, RT_STEP_POST, (sem_t * s), rt_real.sem_post(s))

/* ---- barriers ---- */

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	int result = 0;
	if (infers()) {
		twin_engine->ordered(barrier, RT_STEP_ARRIVE, WHAT);
		return twin_engine->ordered(barrier, RT_STEP_LEAVE, WHAT);
	}
	gate_step_as(WHAT, barrier);
	gate_blocks();
	int real = conductor_on ? conductor_barrier(barrier) : rt_real.pthread_barrier_wait(barrier);
	gate_leave();
	bool forced = gate_enter_as(WHAT, barrier, &result);
	gate_returns(forced ? result : real);
	gate_leave();
	/* Threads that arrive at the same time may really do so in another order: who is singled out is the schedule's to say, to its end. */
	bool scheduled = schedule_names_serial() ? !watchdog_released() : gate_is_scheduled();
	return forced ? result : scheduled ? 0 : real;
}

/* ---- once ---- */

/* The innermost pthread_once that the calling thread is in. */
struct once {
	void (*routine)(void);
	bool ran;
};
static __thread struct once *once;

/* Its step is done now, when nobody else can become the one that runs it. */
static void once_run(void)
{
	once->ran = true;
	void (*routine)(void) = once->routine;
	gate_leave();
	routine();
}

static int once_inferred(pthread_once_t *control, void (*routine)(void))
{
	switch (twin_engine->once(control)) {
	case RT_ONCE_FOREIGN:
		return rt_real.pthread_once(control, routine);
	case RT_ONCE_RUNS:
		routine();
		*control = 2; /* what the C library has for "done" */
		break;
	case RT_ONCE_DONE:
		break;
	}
	twin_engine->ordered(control, RT_STEP_ONCE, "pthread_once");
	return 0;
}

/* A library's own: no step, but where one thread at a time goes on, who waits for the routine lets others go on. */
static int once_foreign(pthread_once_t *control, void (*routine)(void))
{
	bool waits = conductor_on && actor_self() && (*(const volatile pthread_once_t *)control & 3) != 2;
	if (waits)
		conductor_once(control);
	int result = rt_real.pthread_once(control, routine);
	if (waits)
		conductor_touch(control);
	return result;
}

/* Only the program's own calls are steps: the unwinder uses it too, for itself. */
int pthread_once(pthread_once_t *control, void (*routine)(void))
{
	if (infers())
		return once_inferred(control, routine);
	if (!rt_image_relative((uint64_t)(uintptr_t)__builtin_return_address(0)))
		return once_foreign(control, routine);
	struct once mine = { routine, false }, *outer = once;
	int unused;
	gate_enter_as("pthread_once", control, &unused);
	once = &mine;
	if (conductor_on)
		conductor_once(control);
	int result = rt_real.pthread_once(control, once_run);
	if (conductor_on)
		conductor_touch(control);
	once = outer;
	if (mine.ran)
		gate_step_as("pthread_once", control);
	else
		gate_leave();
	return result;
}
