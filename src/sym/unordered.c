/*
 * Synchronization whose order was not recorded (scheme `path`; CLAP §3.2). The threads are run in some order that
 * locks, tokens and signals allow, as near to the time stamps as that goes; where nobody could go on, one goes on in spite
 * of it (baton.c), since only guesses depend on this order. Every step becomes an event, from which the model infers the
 * order. Nothing is learnt from a lock here: whatever it protects counts as racy.
 *
 * What is known all the same: who ran a once routine, and who met whom at a barrier that just as many threads use as it
 * is for.
 */
#include "sym/sync.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static size_t doubtful; /* orders with what frees a lock */

/* ---- what can go on ---- */

static bool is_free(const struct object *o, bool shared)
{
	for (size_t i = 0; i < o->holders.n; i++)
		if (!shared || !o->holders.at[i].shared)
			return false;
	return true;
}

static bool is_complete(const struct object *o, uint32_t round)
{
	return round < o->arrived.n && o->arrived.at[round] >= o->count;
}

bool unordered_can_go(const struct ethread *t)
{
	const struct object *o = t->wait_object;
	switch (t->wait) {
	case WAIT_READ:
		return is_free(o, true);
	case WAIT_OBJECT:
		return is_free(o, false);
	case WAIT_SIGNAL:
		return t->woken;
	case WAIT_TOKEN:
		return o->tokens > 0;
	case WAIT_ROUND:
		return is_complete(o, t->round);
	case WAIT_ONCE:
		return o->once_done;
	default:
		return false;
	}
}

bool unordered_is_held_up(const struct ethread *t)
{
	if (engine.lock_order || (t->wait != WAIT_READ && t->wait != WAIT_OBJECT))
		return false;
	for (size_t i = 0; i < t->wait_object->holders.n; i++)
		if (t->wait_object->holders.at[i].thread->wait == WAIT_VALUE)
			return true;
	return false;
}

static void wait_for(struct ethread *self, struct object *o, enum wait_kind kind)
{
	self->wait = kind;
	self->wait_object = o;
	baton_wait(self);
}

static struct event *add_event(struct ethread *self, enum event_kind kind, struct object *o, const char *what)
{
	struct event *e = event_add(self, kind, o->number, place_describe(self, what));
	size_t i = 0;
	while (i < o->lasts.n && o->lasts.at[i].thread != self->number)
		i++;
	if (i == o->lasts.n)
		vec_push(&o->lasts);
	o->lasts.at[i] = event_last(self);
	return e;
}

/* The log's entry for a step that was about to happen at its time: what comes now comes after it. */
static const struct rt_sync *begins_at(struct ethread *self)
{
	const struct rt_sync *e = step_entry(self);
	if (e && e->time)
		time_passes(self, e->time);
	return e;
}

/* A step that blocked, as the log's entry says: those who are behind go first. */
static void falls_due(struct ethread *self, const struct rt_sync *e)
{
	self->due = e && !e->result ? e->time : 0;
	if (self->due)
		baton_yield(self);
}

/* ---- locks ---- */

static struct holding *holding_of(struct object *o, const struct ethread *t)
{
	for (size_t i = 0; i < o->holders.n; i++)
		if (o->holders.at[i].thread == t)
			return &o->holders.at[i];
	return NULL;
}

static void lock(struct ethread *self, struct object *o, bool shared, const char *what)
{
	struct holding *h = holding_of(o, self);
	if (h) { /* recursive */
		h->depth++;
		return;
	}
	wait_for(self, o, shared ? WAIT_READ : WAIT_OBJECT);
	struct event *e = add_event(self, EVENT_LOCK, o, what);
	e->flags |= shared ? EVENT_SHARED : 0;
	*vec_push(&o->holders) = (struct holding){ self, 1, shared, event_last(self) };
	held_take(self, o, shared);
}

/*
 * Who waits for a block that another thread allocates goes on when that has given up a lock: with the recorded order it
 * would have had to wait for the lock, and found the block as it is then.
 */
static void publish(void)
{
	for (size_t i = 0; i < engine.threads.n; i++) {
		struct ethread *t = engine.threads.at[i];
		if (t->wait == WAIT_BLOCK && recall_knows((uint32_t)t->wait_order))
			t->published = true;
	}
}

/* False: the thread still holds it, or never did. */
static bool unlock(struct ethread *self, struct object *o, const char *what)
{
	struct holding *h = holding_of(o, self);
	if (!h || --h->depth)
		return false;
	struct event *e = add_event(self, EVENT_UNLOCK, o, what);
	e->flags |= h->shared ? EVENT_SHARED : 0;
	*h = o->holders.at[--o->holders.n];
	held_drop(self, o);
	publish();
	return true;
}

/* An attempt that failed: because of whom, when it says so. */
static int failed(struct ethread *self, const struct rt_sync *e, enum event_kind kind, struct object *o, bool shared,
		  const char *what)
{
	if (e->result == EBUSY || e->result == ETIMEDOUT || e->result == EAGAIN) {
		struct event *v = add_event(self, kind, o, what);
		v->flags |= shared ? EVENT_SHARED : 0;
		v->count = o->count;
	}
	return step_done(self, e);
}

static bool has_failed(const struct rt_sync *e)
{
	return e && e->result && e->result != EOWNERDEAD;
}

int unordered_acquire(const void *place, const char *what)
{
	struct ethread *self = step_begin(place);
	const struct rt_sync *e = step_entry(self);
	struct object *o = object_at(place);
	if (has_failed(e))
		return failed(self, e, EVENT_BUSY, o, false, what);
	falls_due(self, e);
	lock(self, o, false, what);
	self->due = 0;
	return step_done(self, e);
}

void unordered_release(const void *place, const char *what)
{
	struct ethread *self = step_begin(place);
	unlock(self, object_at(place), what);
	step_done(self, step_entry(self));
	baton_yield(self); /* to somebody behind, who may have waited for it; stamps may all be inside of locks */
}

/* ---- condition variables ---- */

/* Nothing comes between the two steps of a wait in the model: handlers that ran there run before. */
static void run_handlers_of_wait(struct ethread *self)
{
	if (!self || !self->signals)
		return;
	self->ops++;
	signals_at(self, RT_SIGNAL_STEP);
	signals_at(self, RT_SIGNAL_CALL);
	self->ops--;
}

int unordered_wait(const void *condition, const void *mutex, const char *what)
{
	run_handlers_of_wait(engine_self());
	struct ethread *self = step_begin(mutex);
	struct object *c = object_at(condition), *m = object_at(mutex);
	const struct rt_sync *before = begins_at(self);
	bool released = unlock(self, m, what);
	step_done(self, before);
	step_begin_wait(mutex, released ? condition : NULL);
	const struct rt_sync *e = step_entry(self);
	if (released && !has_failed(e)) { /* else the time was over */
		self->woken = false;
		*vec_push(&c->waiting) = self;
		falls_due(self, e);
		wait_for(self, c, WAIT_SIGNAL);
		for (size_t i = 0; i < c->waiting.n; i++) /* where it went on without a signal */
			if (c->waiting.at[i] == self)
				c->waiting.at[i--] = c->waiting.at[--c->waiting.n];
		add_event(self, EVENT_WAIT, c, what);
	}
	lock(self, m, false, what);
	self->due = 0;
	return step_done(self, e);
}

void unordered_signal(const void *condition, bool all, const char *what)
{
	struct ethread *self = step_begin(NULL);
	struct object *c = object_at(condition);
	const struct rt_sync *before = begins_at(self);
	add_event(self, all ? EVENT_BROADCAST : EVENT_SIGNAL, c, what);
	size_t n = all ? c->waiting.n : c->waiting.n ? 1 : 0;
	for (size_t i = 0; i < n; i++)
		c->waiting.at[i]->woken = true;
	memmove(c->waiting.at, c->waiting.at + n, (c->waiting.n - n) * sizeof *c->waiting.at);
	c->waiting.n -= n;
	step_done(self, before);
}

/* ---- semaphores ---- */

/* The real one is never used in this mode: it has what it was initialised with. */
static void count_tokens(struct object *o)
{
	int value = 0;
	if (o->is_counted)
		return;
	o->is_counted = true;
	sem_getvalue((sem_t *)(uintptr_t)o->address, &value);
	o->count = (uint32_t)value;
	o->tokens = value;
}

static void use_token(struct ethread *self, struct object *o, bool post, const char *what)
{
	if (!post)
		wait_for(self, o, WAIT_TOKEN);
	o->tokens += post ? 1 : -1;
	add_event(self, post ? EVENT_POST : EVENT_TAKE, o, what)->count = o->count;
}

/* ---- barriers ---- */

/* What glibc has in a pthread_barrier_t; a barrier of our own tells whether that is so. */
static bool barrier_count(const pthread_barrier_t *b, uint32_t *count)
{
	enum { WORD = 2, PROBE = 77 };
	uint32_t words[sizeof *b / sizeof(uint32_t)];
	pthread_barrier_t probe;
	if (pthread_barrier_init(&probe, NULL, PROBE))
		return false;
	memcpy(words, &probe, sizeof words);
	pthread_barrier_destroy(&probe);
	if (words[WORD] != PROBE)
		return false;
	memcpy(words, b, sizeof words);
	*count = words[WORD];
	return true;
}

static bool is_known_open(uint64_t address)
{
	for (size_t i = 0; i < engine.open_barriers.n; i++)
		if (engine.open_barriers.at[i] == address)
			return true;
	return false;
}

static void count_barrier(struct object *o)
{
	if (o->is_counted)
		return;
	o->is_counted = true;
	if (!barrier_count((const pthread_barrier_t *)(uintptr_t)o->address, &o->count) || !o->count)
		engine_fatal("a barrier whose size this version cannot tell; record with --scheme path+sync");
	o->is_open = is_known_open(o->address);
}

/* One more at place i of a list of numbers; what it was. */
static uint32_t count_one(struct counts *c, size_t i)
{
	while (c->n <= i)
		*vec_push(c) = 0;
	return c->at[i]++;
}

static void arrive(struct ethread *self, struct object *o, const char *what)
{
	uint32_t own = count_one(&o->rounds, self->number);
	self->round = o->is_open ? (uint32_t)(o->visits.n / o->count) : own;
	count_one(&o->arrived, self->round);
	add_event(self, o->is_open ? EVENT_ARRIVE : EVENT_ORDERED, o, what)->count = o->count;
	self->visit = o->visits.n;
	struct visit *v = vec_push(&o->visits);
	*v = (struct visit){ .thread = self, .round = self->round, .arrived = event_last(self) };
	vclock_set(&v->clock, &self->clock);
	vclock_tick(&self->clock, self->number);
}

static void leave(struct ethread *self, struct object *o, const char *what)
{
	wait_for(self, o, WAIT_ROUND);
	add_event(self, o->is_open ? EVENT_LEAVE : EVENT_ORDERED, o, what)->count = o->count;
	o->visits.at[self->visit].left = true;
	o->visits.at[self->visit].leaves = event_last(self);
	/* The others of the round came about when it did: rounds follow one another. */
	for (size_t i = o->visits.n; i-- > 0 && !o->is_open;) {
		if (o->visits.at[i].round == self->round)
			vclock_join(&self->clock, &o->visits.at[i].clock);
		if (o->visits.at[i].round + 2 < self->round)
			break;
	}
}

static int by_round(const void *p, const void *q)
{
	const struct visit *a = p, *b = q;
	return a->round < b->round ? -1 : a->round > b->round;
}

/* Who left a round comes after all that arrived for it. */
static void order_rounds(struct object *o)
{
	qsort(o->visits.at, o->visits.n, sizeof *o->visits.at, by_round);
	for (size_t i = 0, end; i < o->visits.n; i = end) {
		for (end = i; end < o->visits.n && o->visits.at[end].round == o->visits.at[i].round; end++)
			;
		for (size_t k = i; k < end; k++)
			for (size_t l = i; o->visits.at[k].left && l < end; l++)
				if (l != k)
					order_add(o->visits.at[l].arrived, o->visits.at[k].leaves);
	}
}

static uint32_t users_of(const struct object *o)
{
	uint32_t n = 0;
	for (size_t i = 0; i < o->rounds.n; i++)
		n += o->rounds.at[i] != 0;
	return n;
}

/* ---- once ---- */

static void once_returns(struct ethread *self, struct object *o, const char *what)
{
	if (self->once == o) { /* it ran the routine */
		self->once = NULL;
		o->once_done = true;
		step_becomes_last(self, o, what);
		return;
	}
	wait_for(self, o, WAIT_ONCE);
	step_follows_last(self, o, EVENT_ORDERED, EVENT_ORDERED, what);
}

/* ---- all of them ---- */

int unordered_step(const void *place, enum rt_step step, const char *what)
{
	struct ethread *self = step_begin(place);
	const struct rt_sync *e = step == RT_STEP_POST || step == RT_STEP_ARRIVE ? begins_at(self) : step_entry(self);
	struct object *o = object_at(place);
	if (step == RT_STEP_TAKE || step == RT_STEP_POST)
		count_tokens(o);
	if (step == RT_STEP_ARRIVE)
		count_barrier(o);
	if (has_failed(e) && (step == RT_STEP_READ_LOCK || step == RT_STEP_WRITE_LOCK))
		return failed(self, e, EVENT_BUSY, o, step == RT_STEP_READ_LOCK, what);
	if (has_failed(e) && step == RT_STEP_TAKE)
		return failed(self, e, EVENT_EMPTY, o, false, what);
	if (step == RT_STEP_TAKE || step == RT_STEP_LEAVE)
		falls_due(self, e);
	switch (step) {
	case RT_STEP_READ_LOCK:
	case RT_STEP_WRITE_LOCK:
		lock(self, o, step == RT_STEP_READ_LOCK, what);
		break;
	case RT_STEP_UNLOCK:
		unlock(self, o, what);
		break;
	case RT_STEP_TAKE:
	case RT_STEP_POST:
		use_token(self, o, step == RT_STEP_POST, what);
		break;
	case RT_STEP_ARRIVE:
		arrive(self, o, what);
		break;
	case RT_STEP_LEAVE:
		leave(self, o, what);
		break;
	case RT_STEP_ONCE_RUNS:
		self->once = o;
		break;
	case RT_STEP_ONCE:
		once_returns(self, o, what);
		break;
	}
	self->due = 0;
	int result = step_done(self, e);
	if (step == RT_STEP_UNLOCK)
		baton_yield(self);
	return result;
}

/* ---- memory that is freed ---- */

/*
 * The C library writes to the first words of a block that it gets back. Nobody can get a lock that lies there any more: whoever did came
 * before that. Nearly always: the block may have been used again.
 */
void unordered_freed(struct ethread *self, uint64_t start, uint64_t size)
{
	for (uint64_t at = start; at < start + size && at < start + RT_FREED_SIZE; at += 8) {
		struct object *o = mirror_has(start) ? NULL : object_known((const void *)(uintptr_t)at);
		if (!o || o->is_freed)
			continue;
		event_add(self, EVENT_CALL, 0, place_describe(self, "free"));
		o->is_freed = true;
		o->freed = event_last(self);
	}
}

static size_t order_freed(const struct object *o)
{
	size_t n = 0;
	for (size_t i = 0; o->is_freed && i < o->lasts.n; i++) {
		if (o->lasts.at[i].thread == o->freed.thread)
			continue;
		order_add(o->lasts.at[i], o->freed);
		n++;
	}
	return n;
}

size_t unordered_doubtful(void)
{
	return doubtful;
}

/* ---- the end ---- */

/* Blocked for ever: after whoever holds it then; on a condition variable when nobody holds the mutex. */
static void order_blocked(struct ethread *t)
{
	struct object *o = object_at(t->blocked_on);
	for (size_t i = 0; i < o->holders.n; i++)
		if (o->holders.at[i].thread != t)
			order_add(o->holders.at[i].event, t->attempt);
	struct event *e = &t->events.at[t->attempt.index];
	if (!o->holders.n && t->blocked_condition) {
		e->kind = EVENT_HANG;
		e->object = object_at(t->blocked_condition)->number;
	} else if (!o->holders.n && o->is_freed && o->freed.thread != t->number) {
		engine.threads.at[o->freed.thread]->events.at[o->freed.index].object = o->number;
		sync_waits_in_freed(t, o->freed);
	}
}

size_t unordered_finish(void)
{
	size_t found = 0;
	for (size_t i = 0; i < engine.threads.n; i++)
		if (engine.threads.at[i]->blocked_on)
			order_blocked(engine.threads.at[i]);
	struct object *o;
	for (size_t i = 0; (o = object_number(i)); i++) {
		doubtful += order_freed(o);
		if (!o->visits.n || o->is_open)
			continue;
		if (users_of(o) > o->count) {
			*vec_push(&engine.open_barriers) = o->address;
			found++;
		}
		order_rounds(o);
	}
	return found;
}
