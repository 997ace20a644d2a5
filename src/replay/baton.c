/* Who can run, and who does: see baton.h. */
#include "replay/baton.h"

#include "rt/real.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	TICK_MS = 5,
	TICKS_IN_CALL = 3,    /* without progress: the call blocks */
	TICKS_OUTSIDE = 60,   /* nobody comes back */
};

static _Atomic uint32_t big_lock;
static struct actor *_Atomic running;
static bool reconsider;     /* somebody may have to run before the one that does */
static bool ignore_outside; /* who is in a call that blocks will not come back */
static uint64_t now_ns;     /* the conductor's own time */

static void lock(void)
{
	while (atomic_exchange_explicit(&big_lock, 1, memory_order_acquire))
		syscall(SYS_sched_yield);
}

static void unlock(void)
{
	atomic_store_explicit(&big_lock, 0, memory_order_release);
}

bool baton_has_done(const struct wait *w)
{
	const struct twin_thread *t = w->thread->thread;
	return t && t->actor && (t->actor->state == ACTOR_ENDED || t->actor->done >= w->sap);
}

static bool can_run(const struct actor *a)
{
	switch (a->state) {
	case ACTOR_READY:
		return true;
	case ACTOR_ASLEEP:
		return now_ns >= a->until;
	case ACTOR_BLOCKED:
	case ACTOR_SIGNAL:
		return a->woken;
	case ACTOR_AWAITS:
		return baton_has_done(a->wait);
	case ACTOR_TURN:
		return conducted_is_due(a);
	case ACTOR_JOINS:
		return a->target->state == ACTOR_ENDED;
	default:
		return false;
	}
}

/* The lowest rank runs. */
static uint64_t rank(struct actor *a)
{
	switch (attempt->policy) {
	case RT_POLICY_TIME:
		return sketch_time(&a->follower);
	case RT_POLICY_PCT:
		return UINT64_MAX - a->priority;
	default:
		return conductor_random();
	}
}

static struct actor *find_state(enum actor_state state)
{
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct actor *a = actor_at(i);
		if (a && a->state == state)
			return a;
	}
	return NULL;
}

static struct actor *find_timed(void)
{
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct actor *a = actor_at(i);
		if (a && a->timed && (a->state == ACTOR_BLOCKED || a->state == ACTOR_SIGNAL))
			return a;
	}
	return NULL;
}

static struct actor *earliest_sleeper(void)
{
	struct actor *best = NULL;
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct actor *a = actor_at(i);
		if (a && a->state == ACTOR_ASLEEP && (!best || a->until < best->until))
			best = a;
	}
	return best;
}

/* Whose wait is over before all who sleep wake up. Where the attempt follows a recorded run, waits end as they did there. */
static struct actor *earliest_limit(const struct actor *sleeper)
{
	struct actor *best = NULL;
	for (uint32_t i = 0; i < twin_thread_count() && !sketch_has(RT_SKETCH_SYNC); i++) {
		struct actor *a = actor_at(i);
		if (a && a->timed && (a->state == ACTOR_BLOCKED || a->state == ACTOR_SIGNAL) && a->until < UINT64_MAX && (!best || a->until < best->until))
			best = a;
	}
	return best && sleeper && best->until < sleeper->until ? best : NULL;
}

/* A thread that waits for a signal that never came, although in the recorded run it went on: that needs no signal. */
static struct actor *find_spurious(void)
{
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct actor *a = actor_at(i);
		if (a && a->state == ACTOR_SIGNAL && sketch_has(RT_SKETCH_SYNC) && !a->follower.off && a->follower.log &&
		    a->follower.ops < a->follower.log->sync_done)
			return a;
	}
	return NULL;
}

/*
 * Nobody can run. Something has to give way: time, the attempt's own waits, the recorded order, in this order. False: a
 * thread is in a call, and comes back from it.
 */
static bool make_way(void)
{
	struct actor *a, *late;
	if (find_state(ACTOR_OUTSIDE) && !ignore_outside)
		return false;
	if ((a = earliest_sleeper()) && (late = earliest_limit(a))) {
		now_ns = late->until > now_ns ? late->until : now_ns;
		late->timed_out = late->woken = true;
	} else if (a) {
		now_ns = a->until;
	} else if ((a = find_state(ACTOR_AWAITS))) {
		attempt->dropped++;
		a->state = ACTOR_READY;
	} else if ((a = find_timed())) {
		a->timed_out = a->woken = true;
	} else if ((a = find_spurious())) {
		a->woken = true;
	} else if ((a = find_state(ACTOR_TURN))) {
		conductor_leaves(a, "thread %s waits for its turn at a lock, which never comes", a->thread->name);
	} else if (attempt->off && (a = find_state(ACTOR_HELD))) {
		a->follower.off = true;
		a->state = ACTOR_READY;
	} else if (find_state(ACTOR_HELD)) {
		attempt_over(RT_ATTEMPT_STUCK);
	} else {
		attempt_hangs();
	}
	return true;
}

static struct actor *choose(void)
{
	for (;;) {
		struct actor *best = NULL;
		uint64_t lowest_rank = 0;
		for (uint32_t i = 0; i < twin_thread_count(); i++) {
			struct actor *a = actor_at(i);
			if (!a || !can_run(a))
				continue;
			uint64_t r = rank(a);
			if (!best || r < lowest_rank || (r == lowest_rank && a == running)) {
				best = a;
				lowest_rank = r;
			}
		}
		if (best || !make_way())
			return best;
	}
}

static void wake(struct actor *a)
{
	atomic_fetch_add(&a->turn, 1);
	syscall(SYS_futex, &a->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Under the lock. */
static void pass_on(const struct actor *self)
{
	struct actor *next = choose();
	atomic_store(&running, next);
	reconsider = false;
	if (next && next != self)
		wake(next);
}

void baton_await(struct actor *self)
{
	int saved = errno;
	for (;;) {
		uint32_t seen = atomic_load(&self->turn);
		if (atomic_load(&running) == self)
			break;
		syscall(SYS_futex, &self->turn, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
	}
	self->state = ACTOR_READY;
	errno = saved;
}

void conductor_give_way(struct actor *self, enum actor_state state)
{
	lock();
	self->state = state;
	pass_on(self);
	unlock();
	baton_await(self);
}

void baton_enter(struct actor *self)
{
	if (atomic_load(&running) == self)
		return;
	lock();
	if (atomic_load(&running) != self) {
		self->state = ACTOR_READY;
		ignore_outside = false;
		if (!atomic_load(&running))
			pass_on(self);
	}
	unlock();
	baton_await(self);
}

void conductor_reconsiders(void)
{
	reconsider = true;
}

void conductor_wakes(void)
{
	lock();
	ignore_outside = false;
	unlock();
}

void conductor_sleep(struct actor *a, uint64_t ns)
{
	a->until = now_ns + ns;
	conductor_give_way(a, ACTOR_ASLEEP);
}

void baton_begin(struct actor *a)
{
	atomic_store(&running, a);
}

void baton_leave(struct actor *self)
{
	lock();
	self->state = ACTOR_ENDED;
	self->seen = NULL;
	self->done = UINT64_MAX;
	pass_on(self);
	unlock();
}

uint64_t baton_now(void)
{
	return now_ns;
}

void baton_tick(void)
{
	now_ns += STEP_NS;
}

bool baton_reconsiders(void)
{
	return reconsider;
}

void baton_set_reconsiders(bool now)
{
	reconsider = now;
}

static void *monitor(void *unused)
{
	(void)unused;
	const struct timespec tick = { .tv_nsec = TICK_MS * 1000 * 1000 };
	uint64_t last = 0;
	for (unsigned idle = 0;;) {
		syscall(SYS_nanosleep, &tick, NULL);
		uint64_t now = __atomic_load_n(&attempt->steps, __ATOMIC_RELAXED);
		idle = now == last ? idle + 1 : 0;
		last = now;
		if (idle < TICKS_IN_CALL)
			continue;
		lock();
		struct actor *a = atomic_load(&running);
		if (a && a->in_call && a->thread->tid && twin_thread_asleep(a->thread)) {
			a->state = ACTOR_OUTSIDE;
			pass_on(NULL);
			idle = 0;
		} else if (!a && idle >= TICKS_OUTSIDE) {
			ignore_outside = true;
			pass_on(NULL);
			idle = 0;
		}
		unlock();
	}
	return NULL;
}

void baton_start(void)
{
	twin_helper(monitor);
}
