/*
 * Scheme rw (trace.h, "Order of accesses"): the twin as a recorder of the full order, in the mode `record`. Every SAP
 * asks at its gate. An access holds its locations' locks between the two halves of the gate, so that the order that is
 * logged is the order that was (order.c); a step of an interposed function is logged while its object is held.
 */
#include "replay/recorder.h"

#include "replay/alone.h"
#include "replay/order.h"
#include "rt/clock.h"
#include "rt/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic uint64_t calls_done, wakes_begun;
static bool shake;

uint64_t recorder_done(const struct twin_thread *t)
{
	const struct recorder *r = t->recorder;
	return r && r->thread ? __atomic_load_n(&r->thread->sync_done, __ATOMIC_ACQUIRE) : 0;
}

/* ---- the halves of a gate ---- */

/* A release is logged before it happens, anything else after it has. */
static bool is_release(const char *what)
{
	return strstr(what, "unlock") || !strcmp(what, "sem_post");
}

void recorder_settle(struct twin_thread *self)
{
	if (!self->recorder || !self->recorder->open)
		return;
	self->recorder->library.line = 0; /* its parameters may be gone */
	recorder_after(self, self->gate->count - 1);
}

void recorder_shake(bool on)
{
	shake = on;
}

/* One access in 32 gives way, one of those in 8 for longer. */
static void give_way(struct recorder *r)
{
	static const struct timespec moment = { .tv_nsec = 50 * 1000 };
	if (!r->chance)
		r->chance = rt_clock() | 1;
	r->chance ^= r->chance << 13;
	r->chance ^= r->chance >> 7;
	r->chance ^= r->chance << 17;
	if (r->chance % 32)
		return;
	int saved = errno;
	if (r->chance / 32 % 8)
		syscall(SYS_sched_yield);
	else
		syscall(SYS_nanosleep, &moment, NULL);
	errno = saved;
}

/*
 * What a function touches may change until it is held: then once more. Of what is unknown all is held, and so are the
 * functions that have a state of their own.
 */
static void begin_library(struct twin_thread *self)
{
	struct recorder *r = self->recorder;
	recorder_calls(self);
	if (library_reaches_anything(&r->library)) {
		alone_begin(self);
		return;
	}
	for (;;) {
		uint64_t extent = library_begins(self, &r->library);
		order_hold(self);
		if (!r->nheld || library_extent(&r->library) == extent)
			return;
		order_release(r);
	}
}

/* A step of an interposed function. */
static void begin_step(struct twin_thread *self, const char *what, const void *object)
{
	struct recorder *r = self->recorder;
	bool creates = !strcmp(what, "pthread_create");
	bool gives_up = object && (is_release(what) || self->releases);
	/* Neither waits for anybody; and others can be seen to come after it before it is done. */
	alone_pass(self, creates || gives_up ? ALONE_HARD : ALONE_SOFT);
	if (gives_up) {
		order_object(self, object);
	} else if (object) {
		r->object = object;
		__atomic_store_n(&r->thread->waits_for, order_place((uint64_t)(uintptr_t)object >> 3) + 1, __ATOMIC_RELEASE);
	} else if (creates) {
		r->thread->waits_for = RT_OBJECT_THREAD;
	} else if (!strcmp(what, "pthread_join")) {
		r->thread->waits_for = RT_OBJECT_THREAD + 1; /* somebody's end; whose does not matter */
	}
}

void recorder_before(struct twin_thread *self, const char *what, uint32_t kind, const void *address, uint64_t size)
{
	struct recorder *r = self->recorder;
	struct rt_gate *gate = self->gate;
	gate->next = 0;
	if (!r || !r->thread)
		return;
	if (shake)
		give_way(r);
	r->open = true;
	gate->signal = 1;
	r->result = 0;
	if (what) {
		begin_step(self, what, address);
	} else if (kind >> RT_ACCESS_LIBRARY) {
		alone_pass(self, ALONE_SOFT);
		r->library = (struct library_call){ kind >> RT_ACCESS_LIBRARY, size, address };
		begin_library(self);
	} else if (address && size) {
		r->writes = kind != RT_ACCESS_LOAD;
		order_add(r, address, size);
		alone_pass(self, r->large ? ALONE_SOFT : ALONE_HARD);
		order_hold(self);
	} else {
		alone_pass(self, ALONE_SOFT);
		if (kind == RT_ACCESS_NONE)
			recorder_calls(self);
	}
}

void recorder_calls(struct twin_thread *self)
{
	struct rt_order e = { .first = self->gate->count, .version = atomic_load(&calls_done), .count = 1,
			      .kind = RT_ORDER_CALL };
	if (!self->recorder || !self->recorder->open || self->recorder->call)
		return;
	self->recorder->call = recorder_entry(self, e);
	self->recorder->nfresh = 0;
}

void recorder_wakes(struct twin_thread *self)
{
	if (self->recorder && self->recorder->open)
		recorder_entry(self, (struct rt_order){ .first = self->gate->count, .count = 1, .kind = RT_ORDER_WAKE,
						   .version = atomic_fetch_add(&wakes_begun, 1) + 1 });
}

void recorder_hears(struct twin_thread *self)
{
	if (self->recorder && self->recorder->open)
		recorder_entry(self, (struct rt_order){ .first = self->gate->count, .count = 1, .kind = RT_ORDER_HEAR,
						   .version = atomic_load(&wakes_begun) });
}

/* Where a copy reads; locks are taken in one order, so once more from the beginning. */
void recorder_source(struct twin_thread *self, const void *address, uint64_t size)
{
	struct recorder *r = self->recorder;
	if (!r || !r->open || !size || self->alone)
		return;
	order_unlock(r);
	order_add(r, address, size);
	order_hold(self);
}

void recorder_after(struct twin_thread *self, uint64_t sap)
{
	struct recorder *r = self->recorder;
	self->gate->signal = 0;
	if (!r || !r->open)
		return;
	if (r->library.line) {
		order_note(self, sap);
		library_ends(self, &r->library);
		order_hold(self);
		r->library.line = 0;
	}
	r->open = false;
	order_note(self, sap);
	if (r->object && (!r->result || r->result == EOWNERDEAD || self->orders))
		order_object(self, r->object);
	if (r->result)
		recorder_entry(self, (struct rt_order){ .first = sap, .last = sap, .count = 1, .kind = RT_ORDER_RESULT,
						   .value = (uint32_t)r->result });
	r->object = NULL;
	if (r->call)
		__atomic_store_n(&r->call->last, atomic_fetch_add(&calls_done, 1) + 1, __ATOMIC_RELEASE);
	r->call = NULL;
	r->thread->waits_for = 0;
	__atomic_store_n(&r->thread->sync_done, sap, __ATOMIC_RELEASE);
	alone_done(self);
}

void recorder_touches(struct twin_thread *self, const void *address, uint64_t size, bool writes)
{
	struct recorder *r = self->recorder;
	if (!r || !r->open || !address || !size)
		return;
	r->writes = writes || (r->nheld && r->writes);
	order_add(r, address, size);
}

void recorder_holds(struct twin_thread *self)
{
	if (self->recorder && self->recorder->open)
		order_hold(self);
}

void recorder_lets_go(struct twin_thread *self)
{
	struct recorder *r = self->recorder;
	if (!r || !r->open)
		return;
	order_note(self, self->gate->count);
}

/* ---- signals ---- */

void recorder_signal(struct twin_thread *self, const siginfo_t *info, uint32_t place, uint64_t when)
{
	struct recorder *r = self->recorder;
	uint64_t sap = self->gate->count;
	if (!r || !r->thread)
		return;
	recorder_input_signal(self, info, place);
	if (place == RT_SIGNAL_FAULT)
		return;
	recorder_entry(self, (struct rt_order){ .first = sap, .last = sap, .count = 1, .kind = RT_ORDER_SIGNAL,
					   .value = (uint32_t)info->si_signo, .version = when });
	recorder_entry(self, (struct rt_order){ .first = sap, .count = 1, .kind = RT_ORDER_HEAR,
					   .version = atomic_load(&wakes_begun) });
	__atomic_store_n(&r->thread->sync_done, sap, __ATOMIC_RELEASE);
}

/* Not while it holds locations that the handler may want, or is alone. */
bool recorder_can_suspend(const struct twin_thread *self)
{
	const struct recorder *r = self->recorder;
	return r && r->thread && r->open && !r->nheld && !self->alone && !r->library.line;
}

struct recorder_step recorder_suspend(struct twin_thread *self)
{
	struct recorder *r = self->recorder;
	struct recorder_step s = { r->open, self->deep, r->call, r->object, r->result, r->thread->waits_for,
				   atomic_load(&self->state), atomic_load(&self->inside) };
	r->open = self->deep = false;
	r->call = NULL;
	r->object = NULL;
	r->thread->waits_for = 0;
	atomic_store(&self->state, TWIN_RUNS);
	atomic_store(&self->inside, 0);
	return s;
}

void recorder_resume(struct twin_thread *self, const struct recorder_step *s)
{
	struct recorder *r = self->recorder;
	recorder_settle(self);
	r->open = s->open;
	r->call = s->call;
	r->object = s->object;
	r->result = s->result;
	r->thread->waits_for = s->waits_for;
	if (r->call)
		r->call->first = self->gate->count;
	alone_pass(self, ALONE_SOFT);
	self->deep = s->deep;
	self->gate->signal = 1;
	atomic_store(&self->state, s->state);
}

void recorder_allocated(const void *p)
{
	struct twin_thread *self = twin_self();
	struct recorder *r = self ? self->recorder : NULL;
	if (r && r->call)
		r->fresh[r->nfresh++ % FRESH] = p;
}

/* Was it allocated by the call that goes on? Then only that has used it, and there is nothing to order. */
static bool is_fresh(const struct recorder *r, const void *p)
{
	for (uint32_t i = 0; i < r->nfresh && i < FRESH; i++)
		if (r->fresh[i] == p)
			return true;
	return false;
}

bool recorder_frees(const void *p, uint64_t size)
{
	struct twin_thread *self = twin_self();
	struct recorder *r = self ? self->recorder : NULL;
	if (!r || !r->thread || !r->call || r->nheld || !size || self->alone || is_fresh(r, p))
		return false;
	int saved = errno;
	order_add(r, p, size);
	order_hold(self);
	order_touch(self, self->gate->count, true);
	errno = saved;
	return true;
}

void recorder_freed(void)
{
	order_release(twin_self()->recorder);
}

void recorder_result(struct twin_thread *self, int result)
{
	if (self->recorder)
		self->recorder->result = result;
}
