/*
 * Enforcing a schedule. A thread asks at its gate only where the schedule has a point for it, or while it has stores
 * that others do not see yet: there it waits for the SAPs of others that the point names, and announces its own SAP
 * once executed if anyone waits for it. Waiting is on one futex, the bell; watchdog.c sees when nobody can go on.
 */
#include "replay/conductor.h"
#include "replay/recorder.h"
#include "replay/twin.h"
#include "rt/caught.h"
#include "rt/failure.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint32_t bell;
static __thread bool forced; /* by the point just met */
static __thread int forced_result;

uint32_t bell_look(void)
{
	return atomic_load(&bell);
}

void bell_ring(void)
{
	atomic_fetch_add(&bell, 1);
	syscall(SYS_futex, &bell, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void bell_wait(uint32_t seen)
{
	syscall(SYS_futex, &bell, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

_Noreturn void gate_give_up(void)
{
	_exit(125);
}

/* ---- waiting ---- */

bool gate_has_passed(const struct wait *w)
{
	const struct twin_thread *t = w->thread->thread;
	return t && atomic_load(&t->passed) >= w->sap && !buffers_hold(t, w->sap);
}

/* The thread that is waited for has ended, and will not do what is waited for. */
static void check_awaited(const struct twin_thread *self, const struct wait *w)
{
	const struct twin_thread *other = w->thread->thread;
	if (!other || atomic_load(&other->state) != TWIN_ENDED || gate_has_passed(w))
		return;
	report_outcome(RT_REPLAY_DIVERGED, self,
		       "thread %s ended after %llu shared accesses, but the schedule has thread %s wait at its "
		       "access %llu for access %llu of it",
		       other->name, (unsigned long long)other->passed, self->name,
		       (unsigned long long)self->gate->count, (unsigned long long)w->sap);
	gate_give_up();
}

void gate_await(struct twin_thread *self, const struct wait *w)
{
	for (int spins = 0; spins < 200 && !gate_has_passed(w); spins++)
		__builtin_ia32_pause();
	while (!gate_has_passed(w)) {
		uint32_t seen = bell_look();
		if (gate_has_passed(w))
			break;
		check_awaited(self, w);
		self->waits_for = w->thread;
		self->waits_sap = w->sap;
		atomic_store(&self->state, TWIN_AT_WAIT);
		bell_wait(seen);
	}
	atomic_store(&self->state, TWIN_RUNS);
}

/* Behind the place where it hangs: until everybody has come to his. Else until nobody else can go on. */
static bool may_go_on(const struct twin_thread *self)
{
	return watchdog_released() || (self->hangs && watchdog_all_there());
}

static void stop_here(struct twin_thread *self)
{
	while (!may_go_on(self)) {
		uint32_t seen = bell_look();
		if (may_go_on(self))
			break;
		atomic_store(&self->state, TWIN_AT_STOP);
		bell_wait(seen);
	}
	atomic_store(&self->state, TWIN_RUNS);
}

/* ---- points of the schedule ---- */

/* What a thread meets at a gate: an access of the program, or a step of an interposed function. */
struct met {
	uint32_t site;
	uint32_t kind;    /* enum rt_access */
	const char *what; /* name of the interposed function, or NULL */
	void *address;
	uint64_t size;
};

__attribute__((noinline)) void __rethread_before_failure(void)
{
	__asm__ volatile("" ::: "memory");
}

/* The thread is somewhere else than the schedule has it: its path differs. */
_Noreturn static void diverge(const struct twin_thread *self, const struct point *at, const struct met *m)
{
	char came[80];
	if (m->what)
		snprintf(came, sizeof came, "%.70s", m->what);
	else
		snprintf(came, sizeof came, "site %u", m->site);
	report_outcome(RT_REPLAY_DIVERGED, self,
		       "thread %s left the schedule at its access %llu: expected %s%.40s%s%.200s, came %s", self->name,
		       (unsigned long long)at->sap, at->site[0] >= '0' && at->site[0] <= '9' ? "site " : "", at->site,
		       at->comment ? " at " : "", at->comment ? at->comment : "", came);
	/* The backtrace goes to the report; the tool finds the source line in it. */
	rt_failure_report(RT_FAIL_NONE, 0, "", NULL);
	gate_give_up();
}

static void check_site(const struct twin_thread *self, const struct point *at, const struct met *m)
{
	if (!at->site)
		return;
	bool number = at->site[0] >= '0' && at->site[0] <= '9';
	if (m->what ? number || strcmp(at->site, m->what) : !number || strtoul(at->site, NULL, 10) != m->site)
		diverge(self, at, m);
}

static void meet(struct twin_thread *self, const struct point *at, const struct met *m)
{
	if (at->sap == self->gate->count)
		check_site(self, at, m);
	for (uint32_t i = 0; i < at->waits; i++) {
		gate_await(self, schedule_wait(at->first_wait + i));
		__atomic_fetch_add(&twin_report->waits_done, 1, __ATOMIC_RELAXED);
	}
	if (at->stop)
		stop_here(self);
	if (at->announce)
		self->announces = self->gate->signal = 1;
	if (at->fails) {
		self->hangs = !self->cond;
		watchdog_failure_point();
		if (watchdog_all_there()) /* of a deadlock: where the last thread blocks */
			__rethread_before_failure();
	}
	/* It never comes back from its wait: nobody signals any more. The watchdog sees whether that is so. */
	if (at->fails && self->cond)
		stop_here(self);
	forced = at->forced;
	forced_result = at->result;
	if (at->place && at->sap == self->gate->count) {
		heap_place_next(at->place);
		self->gate->signal = 1;
	}
	if (at->left && at->sap == self->gate->count) {
		placed_leave(at->left);
		self->gate->signal = 1;
	}
	if (at->disorder && at->sap == self->gate->count) {
		disorder_expect(at->disorder);
		self->gate->signal = 1;
	}
}

/* The SAP just executed is done: it counts for others, and what it held back may go on. */
static void announce(struct twin_thread *self, uint64_t sap)
{
	self->announces = false;
	self->gate->signal = 0;
	buffers_stored(self);
	atomic_store(&self->passed, sap);
	buffers_advance();
	bell_ring();
}

static bool drains(const struct met *m)
{
	return m->what || m->kind == RT_ACCESS_UPDATE || m->kind == RT_ACCESS_FENCE;
}

/* Where the access is to be done. */
static void *place_of(struct twin_thread *self, const struct point *at, const struct met *m)
{
	if (m->kind == RT_ACCESS_STORE) {
		void *place = buffers_store(self, at, m->address, m->size);
		if (place != m->address)
			self->announces = self->gate->signal = 1;
		return place;
	}
	return m->kind == RT_ACCESS_LOAD ? buffers_load(self, m->address, m->size) : m->address;
}

static uint64_t next_sap(const struct twin_thread *self)
{
	return self->next_point < self->plan->npoints ? self->plan->points[self->next_point].sap : UINT64_MAX;
}

enum { AT_SAP = 0 };

/* `now`: as in struct point's `when`. At a SAP every handler that was to run before it is due. */
static bool handler_is_due(const struct twin_thread *self, uint64_t now)
{
	const struct point *at = &self->plan->points[self->next_point];
	if (next_sap(self) != __rethread_gate.count || !at->signal)
		return false;
	return now == AT_SAP || (now == RT_SIGNAL_AFTER_STEP ? at->when == now : at->when && at->when <= now);
}

/*
 * What comes before the SAP that the thread has just counted: it is a handler that runs instead, and what the handler does. The
 * interrupted SAP is counted again afterwards.
 */
static void run_handlers(struct twin_thread *self, uint64_t now)
{
	struct rt_gate *gate = &__rethread_gate;
	while (handler_is_due(self, now)) {
		const struct point *at = &self->plan->points[self->next_point++];
		int error = errno;
		if (self->announces)
			announce(self, gate->count - 1);
		meet(self, at, &(struct met){ .what = "signal" });
		if (self->announces)
			announce(self, gate->count);
		gate->next = next_sap(self);
		errno = error;
		signals_replay(self, at);
		gate->count++;
	}
}

/* No SAP is at hand: it has come back from a step, or its path has so many bits, or it ends. */
static void run_handlers_between(struct twin_thread *self, uint64_t now)
{
	if (!self->plan || conductor_on)
		return;
	__rethread_gate.count++;
	run_handlers(self, now);
	__rethread_gate.count--;
}

/* The thread has a plan. */
static void *meet_plan(struct twin_thread *self, const struct met *m)
{
	struct rt_gate *gate = &__rethread_gate;
	int saved = errno;
	struct plan *plan = self->plan;
	const struct point *at = NULL;
	if (self->announces) /* the previous access never came back to its second half */
		announce(self, gate->count - 1);
	if (drains(m) && buffers_used(self))
		buffers_drain(self);
	while (self->next_point < plan->npoints && plan->points[self->next_point].sap <= gate->count) {
		at = &plan->points[self->next_point++];
		meet(self, at, m);
	}
	void *place = place_of(self, at && at->sap == gate->count ? at : NULL, m);
	gate->next = next_sap(self);
	if (gate->signal || buffers_used(self))
		gate->next = gate->count + 1;
	errno = saved;
	return place;
}

static void *gate_met(const struct met *m)
{
	struct twin_thread *self = twin_self();
	bool records = self && twin_mode == TWIN_RECORD;
	if (self)
		self->where = TWIN_RUNTIME;
	if (records)
		recorder_settle(self);
	if (records && rt_caught_waiting)
		rt_caught_run(RT_SIGNAL_GATE);
	if (self && self->plan && !conductor_on)
		run_handlers(self, AT_SAP);
	forced = false; /* a handler's steps may have been */
	void *place = m->address;
	if (self && conductor_on)
		forced = conductor_before(self, m->site, m->kind, m->what, m->address, m->size, &forced_result);
	else if (self && self->plan)
		place = meet_plan(self, m);
	else
		__rethread_gate.next = UINT64_MAX;
	if (records)
		recorder_before(self, m->what, m->kind, m->address, m->size);
	if (self && conductor_on)
		__rethread_gate.signal = 1;
	if (self && m->kind == RT_ACCESS_NONE)
		self->where = TWIN_CALL;
	return place;
}

/* ---- gates ---- */

void *__rethread_gate_wait(uint32_t site, uint32_t kind, void *address, uint64_t size)
{
	return gate_met(&(struct met){ site, kind, NULL, address, size });
}

void *__rethread_gate_source(void *address, uint64_t size)
{
	struct twin_thread *self = twin_self();
	if (self && twin_mode == TWIN_RECORD)
		recorder_source(self, address, size);
	if (self && conductor_on)
		conductor_source(self, address, size);
	return self ? buffers_source(self, address, size) : address;
}

void __rethread_gate_passed(void)
{
	int saved = errno;
	struct twin_thread *self = twin_self();
	__rethread_gate.signal = 0;
	heap_place_none();
	placed_leave(0);
	disorder_expect(0);
	if (self)
		self->where = TWIN_RUNTIME;
	if (self && twin_mode == TWIN_RECORD) {
		recorder_after(self, __rethread_gate.count);
		if (conductor_on)
			conductor_after(self);
	}
	if (self && self->announces)
		announce(self, __rethread_gate.count);
	if (self)
		self->where = TWIN_PROGRAM;
	errno = saved;
}

/* A step with a time limit: nobody is deadlocked who is in it. Under a schedule its result is the recorded one. */
static bool ends_by_itself(const char *what)
{
	if (strstr(what, "sleep"))
		return true;
	return twin_mode == TWIN_RECORD && (strstr(what, "timed") || strstr(what, "clock"));
}

static bool is_deep(void)
{
	const struct twin_thread *self = twin_self();
	return self && self->deep;
}

_Noreturn static void never_returns(void)
{
	gate_blocks();
	for (;;)
		syscall(SYS_pause);
}

bool gate_enter_as(const char *what, const void *object, int *result)
{
	forced = false;
	if (is_deep())
		return false;
	shake_here(twin_self());
	if (++__rethread_gate.count >= __rethread_gate.next)
		gate_met(&(struct met){ 0, RT_ACCESS_NONE, what, (void *)object, 0 });
	if (forced && forced_result == RT_NEVER)
		never_returns();
	if (forced && forced_result != EOWNERDEAD) { /* that one is found dead by itself, and the lock is to be taken */
		*result = forced_result;
		return true;
	}
	if (!ends_by_itself(what))
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
	if (self && self->deep)
		return;
	if (self)
		atomic_store(&self->state, TWIN_RUNS);
	if (__rethread_gate.signal)
		__rethread_gate_passed();
	if (self)
		self->where = TWIN_PROGRAM;
	if (self && twin_mode == TWIN_RECORD && rt_caught_waiting)
		rt_caught_run(RT_SIGNAL_STEP);
	if (self)
		run_handlers_between(self, RT_SIGNAL_AFTER_STEP);
}

bool gate_awaits_path(void)
{
	const struct twin_thread *self = twin_self();
	const struct plan *plan = self ? self->plan : NULL;
	for (size_t i = plan ? self->next_point : 0; plan && i < plan->npoints; i++)
		if (plan->points[i].signal && plan->points[i].when && plan->points[i].when != RT_SIGNAL_AFTER_STEP)
			return true;
	return false;
}

void gate_path(uint64_t bits)
{
	struct twin_thread *self = twin_self();
	if (self && !self->deep)
		run_handlers_between(self, bits);
}

void gate_returns(int result)
{
	struct twin_thread *self = twin_self();
	if (self)
		self->where = TWIN_RUNTIME;
	if (self && twin_mode == TWIN_RECORD)
		recorder_result(self, result);
	if (self && conductor_on)
		conductor_result(self, result);
}

void gate_step_as(const char *what, const void *object)
{
	int unused;
	gate_enter_as(what, object, &unused);
	gate_leave();
}

bool gate_is_scheduled(void)
{
	const struct twin_thread *self = twin_self();
	return self && self->plan && self->next_point < self->plan->npoints && !watchdog_released();
}

void gate_no_further(void)
{
	struct twin_thread *self = twin_self();
	struct plan *plan = self ? self->plan : NULL;
	for (uint32_t i = plan ? self->next_point : 0; plan && i < plan->npoints; i++)
		if (plan->points[i].stop)
			stop_here(self);
}

/* By which signal the failure is expected when the thread is over; 0: it is not. The thread has passed the last point, then. */
static int fails_as_it_ends(const struct twin_thread *self)
{
	const struct plan *plan = self->plan;
	if (!plan || !plan->npoints || !plan->points[plan->npoints - 1].fails)
		return 0;
	for (uint32_t i = self->next_point; i < plan->npoints; i++)
		if (plan->points[i].disorder)
			return plan->points[i].disorder;
	return SIGABRT;
}

/* What the C library does as the thread ends comes behind its last SAP, and may have to wait for others. */
static void await_rest(struct twin_thread *self)
{
	const struct plan *plan = self->plan;
	for (uint32_t i = self->next_point; plan && i < plan->npoints; i++)
		for (uint32_t k = 0; k < plan->points[i].waits; k++)
			gate_await(self, schedule_wait(plan->points[i].first_wait + k));
	if (plan && self->next_point < plan->npoints && plan->points[plan->npoints - 1].fails) {
		watchdog_failure_point();
		if (watchdog_all_there())
			__rethread_before_failure();
	}
}

void gate_end(void)
{
	struct twin_thread *self = twin_self();
	if (!self)
		return;
	run_handlers_between(self, AT_SAP);
	gate_no_further();
	buffers_stored(self);
	buffers_drain(self);
	if (twin_mode == TWIN_REPLAY)
		await_rest(self);
	if (twin_mode == TWIN_REPLAY)
		placed_over(fails_as_it_ends(self));
	if (twin_mode == TWIN_RECORD)
		recorder_thread_ends(self);
	if (conductor_on)
		conductor_ends(self);
	twin_thread_end(self);
	buffers_advance();
	bell_ring();
}
