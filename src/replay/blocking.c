/*
 * Steps that may block, for the conductor: none of them does so in the kernel. Objects are known by their addresses. Functions
 * that sleep take no time but the conductor's own.
 */
#include "replay/baton.h"
#include "replay/conductor.h"

#include "rt/real.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define OBJECTS (1u << 14) /* open addressing */

static struct object objects[OBJECTS];

struct object *object_of(const void *address)
{
	uint32_t i = (uint32_t)((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15ull >> 50);
	for (uint32_t tries = 0; objects[i].address && objects[i].address != address && tries < OBJECTS - 1; tries++)
		i = (i + 1) % OBJECTS;
	objects[i].address = address;
	return &objects[i];
}

void conductor_touch(const void *object)
{
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct actor *a = actor_at(i);
		if (a && a->state == ACTOR_BLOCKED && a->object == object)
			a->woken = true;
	}
}

void conductor_limit(const void *object, clockid_t clock, const struct timespec *until)
{
	enum { LONG = 1000000000 /* seconds: no less than for ever */ };
	struct actor *self = conductor_on ? actor_self() : NULL;
	struct timespec now;
	if (!self || syscall(SYS_clock_gettime, clock, &now))
		return;
	bool soon = until->tv_sec < now.tv_sec + LONG;
	int64_t left = soon ? (until->tv_sec - now.tv_sec) * 1000000000ll + (until->tv_nsec - now.tv_nsec) : LONG * 1000000000ll;
	self->limited = object;
	self->limit = baton_now() + (left > 0 ? (uint64_t)left : 0);
}

static void wait_until(struct actor *self, const void *object, bool timed)
{
	self->timed = timed;
	self->until = timed && self->limited == object ? self->limit : UINT64_MAX;
}

bool conductor_block(const void *object, bool timed)
{
	struct actor *self = actor_self();
	if (!self)
		return true;
	self->object = object;
	self->woken = self->timed_out = false;
	wait_until(self, object, timed);
	conductor_give_way(self, ACTOR_BLOCKED);
	return !self->timed_out;
}

/* ---- mutexes ---- */

/* Of the C library's kinds of mutex: one that is robust, whose lock is the number of the thread that has it. */
static bool is_robust(const pthread_mutex_t *mutex)
{
	enum { ROBUST = 16 };
	return mutex->__data.__kind & ROBUST;
}

static bool has_robust(const struct twin_thread *t, const pthread_mutex_t *mutex)
{
	return ((uint32_t)__atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) & FUTEX_TID_MASK) == (uint32_t)t->tid;
}

static bool owner_has_ended(const pthread_mutex_t *mutex)
{
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		const struct actor *a = actor_at(i);
		if (a && a->state == ACTOR_ENDED && has_robust(a->thread, mutex))
			return true;
	}
	return false;
}

/* The kernel gives up what a thread has that is over, which it is soon after its end here: nobody has to have a turn for that. */
static int try_after_end(pthread_mutex_t *mutex)
{
	enum { MOST = 20000 };
	const struct timespec moment = {.tv_nsec = 50000};
	int result = EBUSY;
	for (int i = 0; i < MOST && result == EBUSY; i++) {
		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &moment, NULL);
		result = rt_real.pthread_mutex_trylock(mutex);
	}
	return result;
}

/* A mutex that its owner may not lock again says so; trying does not. */
int conductor_trylock(pthread_mutex_t *mutex)
{
	bool checks = (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK;
	struct actor *self = actor_self();
	if (checks && self && mutex->__data.__owner == self->thread->tid)
		return EDEADLK;
	int result = rt_real.pthread_mutex_trylock(mutex);
	if (result == EBUSY && self && is_robust(mutex)) {
		self->robust = mutex;
		result = owner_has_ended(mutex) ? try_after_end(mutex) : EBUSY;
	}
	return result;
}

void conductor_gives_up(const struct twin_thread *t)
{
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct actor *a = actor_at(i);
		if (a && a->state == ACTOR_BLOCKED && a->object && a->object == a->robust && has_robust(t, a->robust))
			a->woken = true;
	}
}

/* ---- without end ---- */

void conductor_hold(void)
{
	for (;;)
		conductor_block(NULL, false);
}

/* ---- futexes ---- */

/* One of those that are blocked there and not woken yet, each as likely. */
static struct actor *blocked_at(const void *at)
{
	struct actor *chosen = NULL;
	uint32_t n = 0;
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct actor *a = actor_at(i);
		if (a && a->state == ACTOR_BLOCKED && a->object == at && !a->woken && !(conductor_random() % ++n))
			chosen = a;
	}
	return chosen;
}

static long wake_some(const void *at, uint32_t most)
{
	struct actor *a;
	uint32_t n = 0;
	while (n < most && (a = blocked_at(at))) {
		a->woken = true;
		n++;
	}
	if (n)
		conductor_reconsiders();
	return (long)n;
}

/* 0: it was woken. */
static int wait_at(const uint32_t *at, uint32_t value, bool timed)
{
	if (__atomic_load_n(at, __ATOMIC_SEQ_CST) != value)
		return EAGAIN;
	return conductor_block(at, timed) ? 0 : ETIMEDOUT;
}

bool conductor_futex(const void *at, int what, uint32_t value, bool timed, uint32_t mask, long *result)
{
	int operation = what & FUTEX_CMD_MASK;
	if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET)
		return (*result = wake_some(at, value)) > 0;
	if (!actor_self() || (operation != FUTEX_WAIT && (operation != FUTEX_WAIT_BITSET || mask != FUTEX_BITSET_MATCH_ANY)))
		return false;
	int error = wait_at(at, value, timed);
	*result = error ? -1 : 0;
	if (error)
		errno = error;
	return true;
}

bool conductor_future_wait(const void *at, uint32_t value, bool timed, bool *result)
{
	if (!actor_self())
		return false;
	*result = wait_at(at, value, timed) != ETIMEDOUT;
	return true;
}

bool conductor_future_notify(const void *at)
{
	return wake_some(at, UINT32_MAX) > 0;
}

/* ---- threads ---- */

void conductor_created(struct twin_thread *t, pthread_t id, bool failed)
{
	if (!t->actor)
		return;
	t->actor->id = id;
	t->actor->has_id = true;
	if (failed)
		t->actor->state = ACTOR_ENDED;
}

void conductor_join(pthread_t id)
{
	struct actor *self = actor_self();
	for (uint32_t i = twin_thread_count(); self && i--;) {
		struct actor *a = actor_at(i);
		if (!a || !a->has_id || a->joined || !pthread_equal(a->id, id))
			continue;
		a->joined = true;
		self->target = a;
		if (a->state != ACTOR_ENDED)
			conductor_give_way(self, ACTOR_JOINS);
		clock_join(self->clock, a->clock);
		return;
	}
}

/* ---- condition variables ---- */

/*
 * Whom a signal wakes is whoever goes on first in the recorded run, where that is known: a wait ends with an acquisition of the
 * mutex, which has a number.
 */
static uint64_t goes_on(struct actor *a)
{
	const struct rt_sync *e = a->follower.off ? NULL : sketch_step(&a->follower);
	return e ? e->order : 0;
}

int conductor_wait(const void *cond, bool timed)
{
	struct actor *self = actor_self();
	if (!self)
		return 0;
	const struct rt_sync *e = self->follower.off ? NULL : sketch_step(&self->follower);
	if (e && e->result)
		return (int)e->result;
	self->object = cond;
	self->woken = self->timed_out = false;
	wait_until(self, cond, timed);
	conductor_give_way(self, ACTOR_SIGNAL);
	return self->timed_out ? ETIMEDOUT : 0;
}

void conductor_signal(const void *cond, bool all)
{
	struct actor *first = NULL, *self = actor_self();
	uint32_t n = 0;
	bool known = sketch_has(RT_SKETCH_SYNC);
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct actor *a = actor_at(i);
		if (!a || a->state != ACTOR_SIGNAL || a->object != cond || a->woken)
			continue;
		if (self)
			clock_join(a->clock, self->clock);
		a->woken = all;
		n++;
		if (!first || (known ? goes_on(a) < goes_on(first) : !(conductor_random() % n)))
			first = a;
	}
	if (first)
		first->woken = true;
}

/* ---- barriers, once ---- */

int conductor_barrier(pthread_barrier_t *barrier)
{
	struct object *o = object_of(barrier);
	unsigned count = ((const unsigned *)barrier)[2]; /* struct pthread_barrier of the C library: in, current_round, count */
	uint32_t round = o->round;
	if (++o->arrived >= count) {
		o->arrived = 0;
		o->round++;
		conductor_touch(barrier);
		return PTHREAD_BARRIER_SERIAL_THREAD;
	}
	if (actor_self())
		conductor_ran(actor_self());
	while (o->round == round)
		conductor_block(barrier, false);
	return 0;
}

/* In the C library 1 stands for "goes on", 2 for "done". */
void conductor_once(const pthread_once_t *control)
{
	while ((*(const volatile pthread_once_t *)control & 3) == 1)
		conductor_block(control, false);
}

/* ---- sleep ---- */

bool conductor_sleeps(uint64_t ns)
{
	struct actor *self = conductor_on ? actor_self() : NULL;
	if (self)
		conductor_sleep(self, ns);
	return self;
}

int sched_yield(void)
{
	rt_real_init();
	return conductor_sleeps(100) ? 0 : rt_real.sched_yield();
}
