/*
 * Interposed functions in the twin (interposed.def): threads and plain mutexes. A name ends here also when a library
 * of the target calls it.
 */
#include "replay/conductor.h"
#include "replay/interpose.h"
#include "rt/async.h"
#include "rt/caught.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

__thread const void *step_caller;

struct start {
	void *(*routine)(void *);
	void *argument;
	struct twin_thread *thread;
	uint64_t mask; /* of signals (caught.h) */
};

/*
 * Runs when a thread ends, however it does, among the other thread-specific destructors. Those are the program's too, so
 * that the thread is over only in the last round of them that there can be.
 */
static pthread_key_t at_end;

static void thread_ends(void *round)
{
	uintptr_t n = (uintptr_t)round;
	if (n < PTHREAD_DESTRUCTOR_ITERATIONS && !pthread_setspecific(at_end, (void *)(n + 1)))
		return;
	rt_caught_block();
	gate_end();
}

void interpose_start(void)
{
	pthread_key_create(&at_end, thread_ends);
}

void interpose_thread(struct twin_thread *t)
{
	twin_thread_begin(t);
	pthread_setspecific(at_end, (void *)1);
}

static void *thread_begins(void *p)
{
	struct start start = *(struct start *)p;
	free(p);
	interpose_thread(start.thread);
	rt_caught_unblock(start.mask);
	return start.routine(start.argument);
}

static int create_controlled(pthread_t *id, const pthread_attr_t *attr, void *(*routine)(void *),
			     void *argument)
{
	struct twin_thread *child = twin_thread_add(twin_self());
	struct start *start = malloc(sizeof *start);
	if (!child || !start)
		return EAGAIN;
	uint64_t mask = rt_caught_block();
	*start = (struct start){ routine, argument, child, mask };
	twin_has_threads();
	int error = rt_real.pthread_create(id, attr, thread_begins, start);
	rt_caught_unblock(mask);
	if (conductor_on)
		conductor_created(child, error ? (pthread_t)0 : *id, error != 0);
	if (error) {
		free(start);
		atomic_store(&child->state, TWIN_ENDED);
	}
	return error;
}

/* ---- threads ---- */

int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*routine)(void *), void *argument)
{
	if (infers())
		return twin_engine->create(id, attr, routine, argument);
	return STEP(create_controlled(id, attr, routine, argument));
}

int pthread_join(pthread_t id, void **result)
{
	if (infers())
		return twin_engine->join(id, result, WHAT);
	return STEP((conductor_on ? conductor_join(id) : (void)0, CANCELLABLE(rt_real.pthread_join(id, result))));
}

int pthread_tryjoin_np(pthread_t id, void **result)
{
	if (infers())
		return twin_engine->join(id, result, WHAT);
	return STEP(rt_real.pthread_tryjoin_np(id, result));
}

int pthread_timedjoin_np(pthread_t id, void **result, const struct timespec *until)
{
	if (infers())
		return twin_engine->join(id, result, WHAT);
	return STEP((conductor_on ? conductor_join(id) : (void)0, CANCELLABLE(rt_real.pthread_timedjoin_np(id, result, until))));
}

int pthread_clockjoin_np(pthread_t id, void **result, clockid_t clock, const struct timespec *until)
{
	if (infers())
		return twin_engine->join(id, result, WHAT);
	return STEP((conductor_on ? conductor_join(id) : (void)0, CANCELLABLE(rt_real.pthread_clockjoin_np(id, result, clock, until))));
}

int pthread_detach(pthread_t id)
{
	if (infers()) {
		twin_engine->plain(WHAT);
		return 0;
	}
	return STEP(rt_real.pthread_detach(id));
}

void pthread_exit(void *result)
{
	if (infers())
		twin_engine->exit(result);
	gate_step();
	rt_real.pthread_exit(result);
	__builtin_unreachable();
}

/* ---- jumps: of libraries to where the program's own code, which is interpreted, called setjmp ---- */

#define JUMP(name)                                                \
	void name(struct __jmp_buf_tag *buffer, int value)        \
	{                                                         \
		if (infers())                                     \
			twin_engine->jump(buffer, value);         \
		rt_real.name(buffer, value);                      \
		__builtin_unreachable();                          \
	}

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
void __longjmp_chk(struct __jmp_buf_tag *buffer, int value) __attribute__((noreturn));
JUMP(__longjmp_chk)

/* ---- cancellation: under a schedule it is the step that says that it was the thread's last ---- */

_Noreturn void twin_cancelled(void)
{
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	rt_real.pthread_cancel(pthread_self());
	rt_real.pthread_testcancel();
	gate_give_up();
}

void twin_step_cancelled(void *unused)
{
	(void)unused;
	gate_returns(RT_CANCELLED);
	gate_leave();
}

static int really_cancel(pthread_t id)
{
	int result = rt_real.pthread_cancel(id);
	if (!result && twin_mode == TWIN_RECORD)
		rt_async_tell(id);
	return result;
}

int pthread_cancel(pthread_t id)
{
	if (infers()) {
		twin_engine->cancel(id);
		return 0;
	}
	return STEP(twin_mode == TWIN_REPLAY ? 0 : really_cancel(id));
}

void pthread_testcancel(void)
{
	if (infers())
		twin_engine->point(WHAT);
	else
		(void)STEP(CANCELLABLE((rt_real.pthread_testcancel(), 0)));
}

unsigned sleep(unsigned seconds)
{
	if (infers())
		return (unsigned)twin_engine->point(WHAT);
	return (unsigned)STEP(conductor_sleeps(seconds * 1000000000ull) ? 0 : (int)CANCELLABLE(rt_real.sleep(seconds)));
}

static uint64_t in_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

/* -1 and errno; the log has the error number. */
static int slept(int error)
{
	if (!error)
		return 0;
	errno = error;
	return -1;
}

int usleep(useconds_t us)
{
	if (infers())
		return slept(twin_engine->point(WHAT));
	return slept(STEP(!conductor_sleeps(us * 1000ull) && CANCELLABLE(rt_real.usleep(us)) ? errno : 0));
}

int nanosleep(const struct timespec *t, struct timespec *left)
{
	if (infers())
		return slept(twin_engine->point(WHAT));
	return slept(STEP(!conductor_sleeps(in_ns(t)) && CANCELLABLE(rt_real.nanosleep(t, left)) ? errno : 0));
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left)
{
	if (infers())
		return twin_engine->point(WHAT);
	/* Until a point in time: nobody knows how far off that is; a moment. */
	uint64_t ns = flags & TIMER_ABSTIME ? 1000000 : in_ns(t);
	return STEP(conductor_sleeps(ns) ? 0 : CANCELLABLE(rt_real.clock_nanosleep(clock, flags, t, left)));
}

/* ---- mutexes ---- */

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	if (infers())
		return twin_engine->acquire(mutex, WHAT);
	return STEP_ON(mutex, CONDUCTED(mutex, EBUSY, false, rt_real.pthread_mutex_lock(mutex),
					conductor_trylock(mutex)));
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	if (infers()) {
		twin_engine->release(mutex, WHAT);
		return 0;
	}
	return STEP_ON(mutex, rt_real.pthread_mutex_unlock(mutex));
}
