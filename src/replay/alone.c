/*
 * One thread at a time is alone. Who wants to be says so in `holder`; then everybody else waits at the next SAP, and once
 * nobody is HARD any more it is alone. The log gets how far each of the others had come (trace.h, ALONE and SEEN): all
 * of that comes before, all else after. A SAP that another thread is in the middle of, SOFT, has no order with it, unless
 * it touches memory later on: then it says that it came after (AFTER).
 *
 * Nobody waits for ever. An access that blocks in the kernel (text into a pipe that nobody empties) makes who wants to be
 * alone give up; who is alone and blocks is alone no longer, and only what came before it is in the log.
 */
#include "replay/alone.h"

#include "replay/recorder.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPINS 100u
#define ASLEEP_NS 10000000ull  /* blocked in the kernel, and not only for a moment */
#define LONG_NS 1000000000ull  /* it runs, but does not end */

/* What the thread in `holder` does there. */
enum { WANTS = 1, HOLDS = 2, ENDS = 3 };

/* Who is alone or wants to be: number of the thread + 1, what it does, and a number that is used once. 0: nobody. */
static _Atomic uint64_t holder;
static _Atomic uint64_t tickets;
static _Atomic uint64_t rounds; /* how often somebody was alone */
static _Atomic uint32_t epoch = 1; /* grows where an order was lost */

/*
 * The group of entries that was written last. Guarded by being alone; others look when they are HARD, and nobody can
 * be alone.
 */
static struct {
	struct rt_order *entry; /* its ALONE */
	uint32_t thread;
	uint32_t epoch;         /* it was written in */
	uint64_t sum;           /* of the SAPs that the others had done or begun */
	uint64_t sap;           /* of the thread, the last one that it was alone in to the end; 0: none */
} group;

static uint64_t holder_of(const struct twin_thread *t, uint64_t ticket, unsigned does)
{
	return ticket << 34 | (uint64_t)does << 32 | (t->number + 1);
}

static bool holds(uint64_t who)
{
	return (who >> 32 & 3) == HOLDS;
}

static uint64_t now_ns(void)
{
	struct timespec t;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Waiting for a thread that may have to be waited for no longer. */
struct patience {
	unsigned spins;
	uint64_t since;  /* it began */
	uint64_t asleep; /* the thread was seen asleep first, and each time after that; 0: not the last time */
};

/* A moment passes. True: the thread has been asleep, or has taken, too long. */
static bool lose_patience(struct patience *p, const struct twin_thread *t)
{
	if (p->spins++ < SPINS) {
		__builtin_ia32_pause();
		return false;
	}
	syscall(SYS_sched_yield);
	if (p->spins % 64)
		return false;
	uint64_t now = now_ns();
	if (!p->since)
		p->since = now;
	/* One that waits for a processor may be asleep for a moment as well, for a page that it touches. */
	if (!twin_thread_asleep(t))
		p->asleep = 0;
	else if (!p->asleep)
		p->asleep = now;
	return now - p->since > LONG_NS || (p->asleep && now - p->asleep > ASLEEP_NS);
}

/* ---- others ---- */

/* Somebody else is alone: wait until it is done, or can be taken not to be. */
static void wait_for(uint64_t who)
{
	const struct twin_thread *t = twin_thread_at((uint32_t)who - 1);
	struct patience p = { 0 };
	while (atomic_load(&holder) == who)
		if (lose_patience(&p, t) && holds(who)) {
			uint64_t expected = who;
			if (atomic_compare_exchange_strong(&holder, &expected, 0))
				atomic_fetch_add(&epoch, 1);
			return;
		}
}

static bool is_mine(uint64_t who, const struct twin_thread *self)
{
	return (uint32_t)who == self->number + 1;
}

/* HARD once nobody else is alone; the state in the meantime is the one that it was. */
static void harden(struct twin_thread *self)
{
	uint32_t was = atomic_load_explicit(&self->inside, memory_order_relaxed);
	for (;;) {
		atomic_store(&self->inside, ALONE_HARD);
		uint64_t who = atomic_load(&holder);
		if (!who || is_mine(who, self))
			return;
		atomic_store(&self->inside, was);
		wait_for(who);
	}
}

void alone_pass(struct twin_thread *self, enum alone_state as)
{
	harden(self);
	self->rounds = atomic_load_explicit(&rounds, memory_order_relaxed);
	if (as != ALONE_HARD)
		atomic_store_explicit(&self->inside, as, memory_order_release);
}

/* Somebody was alone since the SAP began: that came before what it does from now on. */
void alone_touches(struct twin_thread *self)
{
	if (atomic_load_explicit(&self->inside, memory_order_relaxed) == ALONE_HARD || is_mine(atomic_load(&holder), self))
		return;
	harden(self);
	uint64_t now = atomic_load_explicit(&rounds, memory_order_relaxed);
	if (now != self->rounds && group.sap && group.thread != self->number)
		recorder_entry(self, (struct rt_order){ .first = self->gate->count, .count = 1, .kind = RT_ORDER_AFTER,
							.value = group.thread, .version = group.sap });
	self->rounds = now;
}

/* ---- who is alone ---- */

/* Does anybody access anything? */
static struct twin_thread *anybody_hard(const struct twin_thread *self)
{
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct twin_thread *t = twin_thread_at(i);
		if (t && t != self && atomic_load(&t->inside) == ALONE_HARD)
			return t;
	}
	return NULL;
}

static bool wait_for_others(const struct twin_thread *self)
{
	struct patience p = { 0 };
	for (struct twin_thread *t; (t = anybody_hard(self));)
		if (lose_patience(&p, t))
			return false;
	return true;
}

/* How many SAPs the thread has done, and how many it has begun beyond that, 0 or 1. */
static uint64_t look_at(const struct twin_thread *t, uint32_t *begun)
{
	for (;;) {
		uint64_t done = recorder_done(t);
		*begun = atomic_load(&t->inside) == ALONE_SOFT;
		if (recorder_done(t) == done)
			return done;
	}
}

/* A thread that is over needs to be said only once. */
static bool is_old(const struct twin_thread *t)
{
	return atomic_load(&t->state) == TWIN_ENDED && t->seen == atomic_load(&epoch);
}

static uint64_t sum_of_others(const struct twin_thread *self)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		const struct twin_thread *t = twin_thread_at(i);
		uint32_t begun;
		uint64_t done = t && t != self ? look_at(t, &begun) : 0;
		if (t && t != self)
			sum += 2 * done + begun + 1;
	}
	return sum;
}

static void write_group(struct twin_thread *self)
{
	uint64_t sap = self->gate->count;
	group.thread = self->number;
	group.epoch = atomic_load(&epoch);
	group.sap = 0;
	group.sum = sum_of_others(self);
	group.entry = recorder_entry(self, (struct rt_order){ .first = sap, .count = 1, .kind = RT_ORDER_ALONE });
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct twin_thread *t = twin_thread_at(i);
		if (!t || t == self || is_old(t))
			continue;
		bool over = atomic_load(&t->state) == TWIN_ENDED; /* before it is looked at: there is nothing to come */
		uint32_t begun;
		uint64_t done = look_at(t, &begun);
		recorder_entry(self, (struct rt_order){ .first = sap, .count = 1 + begun, .kind = RT_ORDER_SEEN,
							.value = t->number, .version = done });
		t->seen = over ? group.epoch : 0;
	}
}

/* Is it as last time, and has nobody else done anything since? Then the same run goes on. */
static bool goes_on(const struct twin_thread *self)
{
	return group.entry && group.thread == self->number && group.epoch == atomic_load(&epoch) &&
	       group.sum == sum_of_others(self);
}

bool alone_begin(struct twin_thread *self)
{
	uint64_t ticket = atomic_fetch_add(&tickets, 1);
	atomic_store(&self->inside, ALONE_SOFT);
	for (uint64_t who = 0; !atomic_compare_exchange_strong(&holder, &who, holder_of(self, ticket, WANTS)); who = 0)
		wait_for(who);
	if (!wait_for_others(self)) {
		atomic_store(&holder, 0);
		return false;
	}
	atomic_fetch_add(&rounds, 1);
	if (!goes_on(self))
		write_group(self);
	self->alone = holder_of(self, ticket, HOLDS);
	atomic_store(&holder, self->alone);
	return true;
}

static void end(struct twin_thread *self)
{
	uint64_t mine = self->alone;
	self->alone = 0;
	if (!atomic_compare_exchange_strong(&holder, &mine, (mine & ~(3ull << 32)) | (uint64_t)ENDS << 32))
		return; /* it blocked, and others went on */
	group.sap = recorder_done(self);
	if (group.entry)
		__atomic_store_n(&group.entry->last, group.sap, __ATOMIC_RELEASE);
	atomic_store(&holder, 0);
}

void alone_done(struct twin_thread *self)
{
	atomic_store_explicit(&self->inside, ALONE_OUT, memory_order_release);
	if (self->alone)
		end(self);
}
