/*
 * Enforcing a schedule. A thread asks at its gate only where the schedule has a point for it: there it waits
 * for the SAPs of others that the point names, and announces its own SAP once passed if anyone waits for
 * it. Waiting is on a futex per waited-for thread; a watchdog thread sees when nobody can go on.
 */
#include "replay/twin.h"
#include "rt/real.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Bumped and woken at every announcement and whenever a thread ends. */
static _Atomic uint32_t bell;
static _Atomic uint32_t released; /* stops no longer hold */
static unsigned timeout_seconds;
static __thread bool forced; /* by the point just met */
static __thread int forced_result;

static void bell_ring(void)
{
	atomic_fetch_add(&bell, 1);
	syscall(SYS_futex, &bell, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void bell_wait(uint32_t seen)
{
	syscall(SYS_futex, &bell, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

_Noreturn static void give_up(void)
{
	_exit(125);
}

/* Has `plan`'s thread passed `sap`? */
static bool has_passed(const struct wait *w)
{
	const struct twin_thread *t = w->thread->thread;
	return t && atomic_load(&t->passed) >= w->sap;
}

static void wait_for(struct twin_thread *self, const struct wait *w)
{
	for (int spins = 0; spins < 200 && !has_passed(w); spins++)
		__builtin_ia32_pause();
	while (!has_passed(w)) {
		uint32_t seen = atomic_load(&bell);
		if (has_passed(w))
			break;
		const struct twin_thread *other = w->thread->thread;
		if (other && atomic_load(&other->state) == TWIN_ENDED && !has_passed(w)) {
			report_outcome(RT_REPLAY_DIVERGED, self,
				       "thread %s ended after %llu shared accesses, but the schedule has thread %s "
				       "wait at its access %llu for access %llu of it",
				       other->name, (unsigned long long)other->passed, self->name,
				       (unsigned long long)self->gate->count, (unsigned long long)w->sap);
			give_up();
		}
		self->waits_for = w->thread->thread;
		self->waits_sap = w->sap;
		atomic_store(&self->state, TWIN_AT_WAIT);
		bell_wait(seen);
	}
	atomic_store(&self->state, TWIN_RUNS);
	__atomic_fetch_add(&twin_report->waits_done, 1, __ATOMIC_RELAXED);
}

static void stop_here(struct twin_thread *self)
{
	while (!atomic_load(&released)) {
		uint32_t seen = atomic_load(&bell);
		if (atomic_load(&released))
			break;
		atomic_store(&self->state, TWIN_AT_STOP);
		bell_wait(seen);
	}
	atomic_store(&self->state, TWIN_RUNS);
}

void __rethread_gate_wait(uint32_t site)
{
	(void)site;
	struct twin_thread *self = twin_self();
	struct rt_gate *gate = &__rethread_gate;
	if (!self || !self->plan) {
		gate->next = UINT64_MAX;
		return;
	}
	int saved = errno;
	struct plan *plan = self->plan;
	if (gate->signal) { /* the previous access never came back to its second half */
		gate->signal = 0;
		atomic_store(&self->passed, gate->count - 1);
		bell_ring();
	}
	while (self->next_point < plan->npoints && plan->points[self->next_point].sap <= gate->count) {
		struct point *at = &plan->points[self->next_point++];
		for (uint32_t i = 0; i < at->waits; i++)
			wait_for(self, schedule_wait(at->first_wait + i));
		if (at->stop)
			stop_here(self);
		if (at->announce)
			gate->signal = 1;
		forced = at->forced;
		forced_result = at->result;
	}
	gate->next = self->next_point < plan->npoints ? plan->points[self->next_point].sap : UINT64_MAX;
	if (gate->signal)
		gate->next = gate->count + 1;
	errno = saved;
}

void __rethread_gate_passed(void)
{
	int saved = errno;
	struct twin_thread *self = twin_self();
	__rethread_gate.signal = 0;
	if (self) {
		atomic_store(&self->passed, __rethread_gate.count);
		bell_ring();
	}
	errno = saved;
}

bool gate_enter(int *result)
{
	forced = false;
	if (++__rethread_gate.count >= __rethread_gate.next)
		__rethread_gate_wait(0);
	if (forced) {
		*result = forced_result;
		return true;
	}
	gate_blocks();
	return false;
}

void gate_blocks(void)
{
	struct twin_thread *self = twin_self();
	if (self)
		atomic_store(&self->state, TWIN_IN_CALL);
}

void gate_leave(void)
{
	struct twin_thread *self = twin_self();
	if (self)
		atomic_store(&self->state, TWIN_RUNS);
	if (__rethread_gate.signal)
		__rethread_gate_passed();
}

void gate_step(void)
{
	int unused;
	gate_enter(&unused);
	gate_leave();
}

bool gate_is_scheduled(void)
{
	const struct twin_thread *self = twin_self();
	return self && self->plan && self->next_point < self->plan->npoints && !atomic_load(&released);
}

/* ---- the watchdog ---- */

/* Changes whenever any thread gets on. */
static uint64_t progress(void)
{
	uint64_t sum = atomic_load(&bell);
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct twin_thread *t = twin_thread_at(i);
		struct rt_gate *gate = t ? *(struct rt_gate *volatile *)&t->gate : NULL;
		if (gate)
			sum += *(volatile uint64_t *)&gate->count;
	}
	return sum;
}

/* Who stands where. */
struct survey {
	bool runs;                   /* somebody may get on by itself */
	uint32_t stopped;            /* held at a stop of the schedule, and could go on without it */
	uint32_t blocked;            /* in a call of the program's own, or in a wait nobody will end */
	struct twin_thread *waiting; /* at a wait of the schedule */
};

static struct survey survey(void)
{
	struct survey s = { 0 };
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct twin_thread *t = twin_thread_at(i);
		if (!t)
			continue;
		switch (atomic_load(&t->state)) {
		case TWIN_RUNS:
			s.runs = true;
			break;
		case TWIN_AT_STOP:
			if (t->cond && !cond_can_wake(t->cond))
				s.blocked++;
			else
				s.stopped++;
			break;
		case TWIN_AT_WAIT:
			s.waiting = t;
			break;
		case TWIN_IN_CALL:
			s.blocked++;
			break;
		default:
			break;
		}
	}
	return s;
}

static void say_stuck(const struct twin_thread *waiting)
{
	const struct twin_thread *other = waiting->waits_for;
	report_outcome(RT_REPLAY_STUCK, waiting,
		       "thread %s waits at its access %llu for access %llu of thread %s, which stands at %llu",
		       waiting->name, (unsigned long long)waiting->gate->count,
		       (unsigned long long)waiting->waits_sap, other ? other->name : "(not started)",
		       (unsigned long long)(other && other->gate ? other->gate->count : 0));
}

/* Nobody can go on, and the schedule holds nobody back: the target itself is deadlocked. */
static void say_deadlock(void)
{
	char names[RT_MESSAGE_SIZE] = "";
	size_t n = 0;
	for (uint32_t i = 0; i < twin_thread_count() && n < sizeof names; i++) {
		struct twin_thread *t = twin_thread_at(i);
		uint32_t state = t ? atomic_load(&t->state) : TWIN_ENDED;
		if (state == TWIN_IN_CALL || (state == TWIN_AT_STOP && t->cond))
			n += (size_t)snprintf(names + n, sizeof names - n, "%s ", t->name);
	}
	twin_report->failure.kind = RT_FAIL_DEADLOCK;
	snprintf(twin_report->failure.message, sizeof twin_report->failure.message, "%s", names);
	twin_report->failure.state = 2;
	report_outcome(RT_REPLAY_FAILED, NULL, "every thread that is left is blocked: %s", names);
}

static void *watchdog(void *unused)
{
	(void)unused;
	const struct timespec tick = { .tv_nsec = 50 * 1000 * 1000 };
	uint64_t last = progress();
	for (unsigned idle = 0;;) {
		nanosleep(&tick, NULL);
		uint64_t now = progress();
		idle = now == last ? idle + 1 : 0;
		last = now;
		struct survey s = survey();
		if (idle >= 4 && !s.runs && !s.waiting && s.blocked) {
			say_deadlock();
			give_up();
		} else if (idle >= 4 && !s.runs && s.stopped && !atomic_load(&released)) {
			atomic_store(&released, 1);
			bell_ring();
			idle = 0;
		} else if ((idle >= 20 && !s.runs) || idle >= timeout_seconds * 20) {
			if (s.waiting)
				say_stuck(s.waiting);
			else
				report_outcome(RT_REPLAY_STUCK, NULL, "the program went on without end");
			give_up();
		}
	}
	return NULL;
}

void scheduler_start(unsigned seconds)
{
	timeout_seconds = seconds;
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_t id;
	rt_real.pthread_create(&id, &attr, watchdog, NULL);
	pthread_attr_destroy(&attr);
}
