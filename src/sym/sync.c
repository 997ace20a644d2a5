/*
 * Interposed functions in infer mode. Each is one SAP and one operation of the log (trace.h): it waits for its
 * turn in the recorded order, becomes an event, and carries vector clocks along the order that is known.
 * The real objects of the target are not touched: no lock is ever really held.
 */
#include "sym/sync.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

static struct {
	struct object **at; /* open addressing by address */
	size_t slots, n;
	vec(struct object *) all; /* by number */
} objects;

void vclock_join(struct vclock *into, const struct vclock *other)
{
	if (into->n < other->n) {
		into->at = xrealloc(into->at, other->n * sizeof *into->at);
		memset(into->at + into->n, 0, (other->n - into->n) * sizeof *into->at);
		into->n = other->n;
	}
	for (uint32_t i = 0; i < other->n; i++)
		if (into->at[i] < other->at[i])
			into->at[i] = other->at[i];
}

void vclock_set(struct vclock *into, const struct vclock *other)
{
	if (into->n)
		memset(into->at, 0, into->n * sizeof *into->at);
	vclock_join(into, other);
}

void vclock_tick(struct vclock *c, uint32_t thread)
{
	if (c->n <= thread) {
		c->at = xrealloc(c->at, (thread + 1) * sizeof *c->at);
		memset(c->at + c->n, 0, (thread + 1 - c->n) * sizeof *c->at);
		c->n = thread + 1;
	}
	c->at[thread]++;
}

static size_t object_slot(uint64_t address)
{
	size_t i = (size_t)(address * 0x9e3779b97f4a7c15ull >> 24) & (objects.slots - 1);
	while (objects.at[i] && objects.at[i]->address != address)
		i = (i + 1) & (objects.slots - 1);
	return i;
}

static struct object *object_new(uint64_t address)
{
	struct object *o = xcalloc(1, sizeof *o);
	*vec_push(&objects.all) = o;
	o->address = address;
	o->number = (uint32_t)objects.all.n;
	return o;
}

struct object *object_known(const void *place)
{
	return objects.n ? objects.at[object_slot((uint64_t)(uintptr_t)place)] : NULL;
}

struct object *object_number(size_t i)
{
	return i < objects.all.n ? objects.all.at[i] : NULL;
}

void object_forget(const void *place)
{
	uint64_t address = (uint64_t)(uintptr_t)place;
	size_t i = objects.slots ? object_slot(address) : 0;
	if (objects.slots && objects.at[i])
		objects.at[i] = object_new(address);
}

struct object *object_at(const void *place)
{
	uint64_t address = (uint64_t)(uintptr_t)place;
	if (engine.lock_order)
		address = recall_place(address);
	if (objects.n * 2 >= objects.slots) {
		struct object **old = objects.at;
		size_t n = objects.slots;
		objects.slots = n ? n * 2 : 256;
		objects.at = xcalloc(objects.slots, sizeof *objects.at);
		for (size_t i = 0; i < n; i++)
			if (old[i])
				objects.at[object_slot(old[i]->address)] = old[i];
		free(old);
	}
	size_t i = object_slot(address);
	if (!objects.at[i]) {
		objects.at[i] = object_new(address);
		objects.at[i]->place = place;
		objects.n++;
		if (engine.lock_order)
			recall_check_place(address);
	}
	return objects.at[i];
}

bool sync_can_go(const struct ethread *t)
{
	switch (t->wait) {
	case WAIT_NOTHING:
		return true;
	case WAIT_OBJECT:
		if (!engine.lock_order)
			return unordered_can_go(t);
		return !t->wait_object->holder &&
		       (!t->wait_order || t->wait_object->steps + 1 >= t->wait_order);
	case WAIT_JOIN:
		return t->wait_thread->ended;
	case WAIT_CANCEL:
		return t->cancelled;
	case WAIT_TIME:
		return hear_can_go(t);
	case WAIT_BLOCK:
		return recall_knows((uint32_t)t->wait_order) && (engine.lock_order || t->published);
	case WAIT_FREE:
		return mirror_can_go(t);
	case WAIT_VALUE:
		return await_can_go(t);
	case WAIT_FOREVER:
		return false;
	default:
		return unordered_can_go(t);
	}
}

/* ---- steps ---- */

/*
 * The recorded run entered this step and never completed it. Where being blocked is the failure, the thread must get
 * as far as trying, after whoever holds the object has got it (sync_finish); else it is not let in.
 */
_Noreturn static void blocked_at_end(struct ethread *self, const void *place, const void *condition)
{
	if (engine_blocking_fails(self) || engine_fails_in_call(self)) {
		self->blocked_on = place;
		self->blocked_condition = condition;
		const void *on = condition ? condition : place;
		event_add(self, EVENT_CALL, on ? object_at(on)->number : 0, place_describe(self, "blocks here"))->flags &=
			(uint16_t)~EVENT_OPTIONAL;
		self->attempt = event_last(self);
	} else {
		self->saps--;
	}
	engine_thread_ends(self, engine_fails_in_call(self));
	engine_thread_over(self);
}

_Noreturn void sync_blocked(struct ethread *self)
{
	blocked_at_end(self, NULL, NULL);
}

struct ethread *step_begin_wait(const void *place, const void *condition)
{
	struct ethread *self = engine_self();
	if (!self)
		engine_fatal("a thread that rethread did not see start uses synchronization");
	if (self->signals) {
		signals_at(self, RT_SIGNAL_STEP);
		signals_at(self, RT_SIGNAL_CALL);
	}
	self->saps++;
	if (!self->log || self->ops >= self->log->info.sync_done)
		blocked_at_end(self, place, condition);
	return self;
}

struct ethread *step_begin(const void *place)
{
	return step_begin_wait(place, NULL);
}

static bool is_cancelled(const struct rt_sync *e)
{
	return e && e->result == RT_CANCELLED;
}

static void await_cancelling(struct ethread *self)
{
	self->wait = WAIT_CANCEL;
	baton_wait(self);
}

/* A step in which the thread is cancelled comes after the cancelling. */
const struct rt_sync *step_entry(struct ethread *self)
{
	const struct trace_thread *log = self->log;
	if (self->next_sync == log->nsync || log->sync[self->next_sync].op != self->ops + 1)
		return NULL;
	const struct rt_sync *e = &log->sync[self->next_sync++];
	if (is_cancelled(e))
		await_cancelling(self);
	return e;
}

/* Ends the thread, its cleanups first. */
_Noreturn static void leave_thread(struct ethread *self, void *result)
{
	self->result = result;
	_Unwind_RaiseException(ithread_exit_exception(self->interp));
	engine_fatal("thread %s ends in native code that cannot be unwound", self->name);
}

/* The step at hand, which is done, was the one in which the thread was cancelled. */
_Noreturn static void cancelled_here(struct ethread *self)
{
	if (self->events.at[event_last(self).index].sap != self->saps)
		event_add(self, EVENT_CALL, 0, place_describe(self, "cancelled"));
	order_add(self->cancel_event, event_last(self));
	vclock_join(&self->clock, &self->cancel_clock);
	leave_thread(self, PTHREAD_CANCELED);
}

static void force_result(struct ethread *self, uint32_t result)
{
	*vec_push(&engine.results) =
		(struct forced_result){ self->number, (int32_t)result, self->saps, FORCED_RESULT, 0 };
}

_Noreturn void sync_cancelled(struct ethread *self)
{
	await_cancelling(self);
	force_result(self, RT_CANCELLED);
	cancelled_here(self);
}

int step_done(struct ethread *self, const struct rt_sync *e)
{
	self->ops++;
	if (e && e->time)
		time_passes(self, e->time);
	if (!e || !e->result)
		return 0;
	force_result(self, e->result);
	if (is_cancelled(e))
		cancelled_here(self);
	return (int)e->result;
}

static bool has_failed(const struct rt_sync *e)
{
	return e && !e->object && e->result;
}

static void await_turn(struct ethread *self, struct object *o, const struct rt_sync *e)
{
	self->wait = WAIT_OBJECT;
	self->wait_object = o;
	self->wait_order = e ? e->order : 0;
	baton_wait(self);
	o->steps++;
}

/* The event of the last step on o; made now, of this kind, when it is none yet. */
static struct event_ref last_step(struct object *o, enum event_kind kind)
{
	if (!o->last_is_event) {
		o->last_event = event_add_late(o->last, kind, o->number, o->last_sap, o->last_site);
		o->last_is_event = true;
	}
	return o->last_event;
}

/*
 * The step on o at hand comes after the last one. With the order known only a change of threads matters: the
 * two steps become events then, the earlier one after the fact.
 */
void step_follows_last(struct ethread *self, struct object *o, enum event_kind earlier, enum event_kind kind,
		       const char *what)
{
	vclock_join(&self->clock, &o->clock);
	if (!o->last || o->last == self)
		return;
	struct event_ref before = last_step(o, earlier);
	event_add(self, kind, o->number, place_describe(self, what));
	order_add(before, event_last(self));
}

void step_becomes_last(struct ethread *self, struct object *o, const char *what)
{
	struct event_ref e = event_last(self);
	bool is_event = self->events.at[e.index].sap == self->saps;
	o->last = self;
	o->last_sap = self->saps;
	o->last_site = is_event ? 0 : place_describe(self, what);
	o->last_is_event = is_event;
	o->last_event = e;
	vclock_set(&o->clock, &self->clock);
	vclock_tick(&self->clock, self->number);
}

int sync_acquire(const void *place, const char *what)
{
	if (!engine.lock_order)
		return unordered_acquire(place, what);
	struct ethread *self = step_begin(place);
	const struct rt_sync *e = step_entry(self);
	if (has_failed(e))
		return step_done(self, e);
	struct object *o = object_at(place);
	if (o->holder == self) { /* recursive */
		o->depth++;
		o->steps++;
		return step_done(self, e);
	}
	await_turn(self, o, e);
	o->holder = self;
	o->hold_sap = self->saps;
	o->hold_site = place_describe(self, what);
	o->depth = 1;
	step_follows_last(self, o, EVENT_UNLOCK, EVENT_LOCK, what);
	return step_done(self, e);
}

void sync_release(const void *place, const char *what)
{
	if (!engine.lock_order) {
		unordered_release(place, what);
		return;
	}
	struct ethread *self = step_begin(place);
	const struct rt_sync *e = step_entry(self);
	struct object *o = object_at(place);
	step_done(self, e);
	if (o->holder != self || --o->depth)
		return;
	o->holder = NULL;
	step_becomes_last(self, o, what);
}

void sync_freed(struct ethread *self, uint64_t start, uint64_t size)
{
	struct event_ref freed = { 0 };
	bool is_event = false;
	if (!engine.lock_order)
		unordered_freed(self, start, size);
	for (uint64_t at = start; engine.lock_order && objects.n && at < start + size; at += 8) {
		struct object *o = objects.at[object_slot(recall_place(at))];
		if (!o || !o->last || o->last == self)
			continue;
		struct event_ref before = last_step(o, EVENT_UNLOCK);
		if (!is_event) {
			event_add(self, EVENT_CALL, 0, place_describe(self, "free"));
			freed = event_last(self);
			is_event = true;
		}
		order_add(before, freed);
	}
}

/*
 * Signals, for waits that hang. The order of locks says all else; who signals without the mutex is in no order with
 * who waits, but a wait that was never ended began after every signal that would have ended it.
 */
struct signal {
	struct object *condition;
	struct ethread *thread;
	uint64_t sap;
	uint32_t site;
	bool all;
};
static vec(struct signal) signals;

static void note_waiter(struct object *condition, struct ethread *t)
{
	if (condition->last && condition->last != t)
		condition->steps = 2; /* several threads wait here */
	condition->last = t;
}

static void order_signals(struct ethread *t)
{
	struct object *condition = object_at(t->waits_for);
	struct event_ref start = event_add_late(t, EVENT_CALL, 0, t->waits_since, place_describe(t, "waits"));
	for (size_t i = 0; i < signals.n; i++) {
		const struct signal *s = &signals.at[i];
		/* One of several waiters may have got a single signal. */
		if (s->condition == condition && s->thread != t && (s->all || condition->steps < 2))
			order_add(event_add_late(s->thread, EVENT_CALL, 0, s->sap, s->site), start);
	}
}

int sync_wait(const void *condition, const void *mutex, const char *what)
{
	if (!engine.lock_order)
		return unordered_wait(condition, mutex, what);
	sync_release(mutex, what);
	struct ethread *self = engine_self();
	self->waits_since = self->saps;
	self->waits_for = condition;
	note_waiter(object_at(condition), self);
	int result = sync_acquire(mutex, what);
	self->waits_for = NULL;
	/* It came back: in a replay the schedule ends it, should the signal come before it there. */
	if (!result)
		*vec_push(&engine.results) = (struct forced_result){ self->number, 0, self->saps, FORCED_RESULT, 0 };
	return result;
}

void sync_signal(const void *condition, bool all, const char *what)
{
	if (!engine.lock_order) {
		unordered_signal(condition, all, what);
		return;
	}
	sync_plain(what);
	struct ethread *self = engine_self();
	*vec_push(&signals) = (struct signal){ object_at(condition), self, self->saps, place_describe(self, what), all };
}

/* The event of the SAP at hand, made if there is none: of two, others could come in between, which no schedule can say. */
static struct event_ref event_of_sap(struct ethread *self, const char *what)
{
	if (!self->events.n || self->events.at[event_last(self).index].sap != self->saps)
		event_add(self, EVENT_CALL, 0, place_describe(self, what));
	return event_last(self);
}

/*
 * The recorded order is that of coming back from pthread_once, and the runner may be the last to. Whoever comes back does so
 * after the routine's end all the same: after its last access, whatever that is. No name of a step, which the replay would look for there.
 */
static void once_ran(struct ethread *self, struct object *o)
{
	o->ran = event_of_sap(self, "end of the once routine");
	o->has_run = true;
	for (size_t i = 0; i < o->early.n; i++)
		order_add(o->ran, o->early.at[i]);
	o->early.n = 0;
}

static void once_came_back(struct ethread *self, struct object *o, const char *what)
{
	struct event_ref back = event_of_sap(self, what);
	if (o->has_run)
		order_add(o->ran, back);
	else
		*vec_push(&o->early) = back;
}

int sync_ordered(const void *place, enum rt_step step, const char *what)
{
	if (!engine.lock_order)
		return unordered_step(place, step, what);
	struct object *once = step == RT_STEP_ONCE || step == RT_STEP_ONCE_RUNS ? object_at(place) : NULL;
	if (once && step == RT_STEP_ONCE && once->runner == engine_self() && !once->has_run)
		once_ran(engine_self(), once);
	struct ethread *self = step_begin(place);
	const struct rt_sync *e = step_entry(self);
	if (has_failed(e))
		return step_done(self, e);
	struct object *o = object_at(place);
	await_turn(self, o, e);
	step_follows_last(self, o, EVENT_ORDERED, EVENT_ORDERED, what);
	step_becomes_last(self, o, what);
	if (once && step == RT_STEP_ONCE_RUNS)
		once->runner = self, once->has_run = false;
	else if (once && once->runner && once->runner != self)
		once_came_back(self, once, what);
	return step_done(self, e);
}

void sync_plain(const char *what)
{
	(void)what;
	struct ethread *self = step_begin(NULL);
	step_done(self, step_entry(self));
}

enum rt_once sync_once(const void *control)
{
	struct ethread *self = engine_self();
	if (!self || !self->native || (strcmp(self->native, "pthread_once") && strcmp(self->native, "call_once")))
		return RT_ONCE_FOREIGN;
	self->native = NULL;
	const struct trace_thread *log = self->log;
	if (!log || self->next_sync == log->nsync)
		return RT_ONCE_DONE;
	const struct rt_sync *e = &log->sync[self->next_sync];
	if (e->op != self->ops + 1 || e->result != 1)
		return RT_ONCE_DONE;
	sync_ordered(control, RT_STEP_ONCE_RUNS, "pthread_once");
	engine.results.n--; /* the routine runs again by itself */
	return RT_ONCE_RUNS;
}

static struct event_ref holding_event(const struct object *o)
{
	struct ethread *t = o->holder;
	for (size_t i = t->events.n; i--;)
		if (t->events.at[i].kind == EVENT_LOCK && t->events.at[i].sap == o->hold_sap)
			return (struct event_ref){ t->number, (uint32_t)i };
	return event_add_late(t, EVENT_LOCK, o->number, o->hold_sap, o->hold_site);
}

size_t sync_finish(void)
{
	if (!engine.lock_order)
		return unordered_finish();
	for (size_t i = 0; i < engine.threads.n; i++) {
		struct ethread *t = engine.threads.at[i];
		struct object *o = t->blocked_on ? object_at(t->blocked_on) : NULL;
		if (o && o->holder && o->holder != t)
			order_add(holding_event(o), t->attempt);
		else if (o && t->waits_for)
			order_signals(t);
		else if (o && o->last && o->last != t)
			/* Nobody holds a semaphore: it is the steps before that leave nothing to take. */
			order_add(last_step(o, EVENT_ORDERED), t->attempt);
	}
	return 0;
}

/* ---- threads ---- */

struct start {
	void *(*routine)(void *);
	void *argument;
	struct ethread *thread;
};

static void *thread_main(void *p)
{
	engine_inside(1);
	struct start start = *(struct start *)p;
	free(p);
	struct ethread *self = start.thread;
	engine_self_set(self);
	baton_first(self);
	engine_inside(0);
	if (!setjmp(self->out))
		self->result = start.routine(start.argument);
	engine_thread_returns();
	return self->result;
}

/* Did the recorded run get as far as starting the thread that `self` creates next? */
static bool child_was_started(const struct ethread *self)
{
	char name[64];
	snprintf(name, sizeof name, "%.50s:%u", self->name, self->children + 1);
	const struct trace_thread *child = trace_thread_named(engine.trace, name);
	return child && child->info.tid;
}

static void create_child(struct ethread *self, pthread_t *id, const pthread_attr_t *attr,
			 void *(*routine)(void *), void *argument)
{
	struct ethread *child = engine_thread_new(self);
	event_add(self, EVENT_CREATE, child->number, place_describe(self, "pthread_create"));
	order_add(event_last(self), (struct event_ref){ child->number, 0 });
	vclock_set(&child->clock, &self->clock);
	vclock_tick(&child->clock, child->number);
	vclock_tick(&self->clock, self->number);
	struct start *start = xmalloc(sizeof *start);
	*start = (struct start){ routine, argument, child };
	int error = engine.config->real_create(&child->id, attr, thread_main, start);
	if (error)
		engine_fatal("cannot create thread %s: %s", child->name, strerror(error));
	*id = child->id;
}

int sync_create(pthread_t *id, const pthread_attr_t *attr, void *(*routine)(void *), void *argument)
{
	struct ethread *self = engine_self();
	if (self && self->log && self->ops >= self->log->info.sync_done && child_was_started(self)) {
		/* The run ended before the creator came back from the call. */
		self->saps++;
		create_child(self, id, attr, routine, argument);
		engine_thread_over(self);
	}
	self = step_begin(NULL);
	const struct rt_sync *e = step_entry(self);
	if (has_failed(e))
		return step_done(self, e);
	self->ops++;
	create_child(self, id, attr, routine, argument);
	return 0;
}

static struct ethread *thread_with_id(pthread_t id)
{
	for (size_t i = engine.threads.n; i--;)
		if (engine.threads.at[i]->number && pthread_equal(engine.threads.at[i]->id, id))
			return engine.threads.at[i];
	return NULL;
}

int sync_join(pthread_t id, void **result, const char *what)
{
	struct ethread *self = step_begin(NULL);
	const struct rt_sync *e = step_entry(self);
	struct ethread *target = thread_with_id(id);
	if (has_failed(e) || !target)
		return e ? step_done(self, e) : ESRCH;
	self->wait = WAIT_JOIN;
	self->wait_thread = target;
	baton_wait(self);
	event_add(self, EVENT_JOIN, target->number, place_describe(self, what));
	order_add(target->end, event_last(self));
	vclock_join(&self->clock, &target->clock);
	if (result)
		*result = target->result;
	return step_done(self, e);
}

_Noreturn void sync_exit(void *result)
{
	struct ethread *self = step_begin(NULL);
	self->ops++;
	leave_thread(self, result);
}

_Noreturn void host_exited(struct ithread *t)
{
	struct ethread *self = ithread_data(t);
	if (!self->number)
		engine_thread_over(self); /* the main thread; the process goes on */
	longjmp(self->out, 1);
}

void sync_cancel(pthread_t id)
{
	struct ethread *self = step_begin(NULL);
	struct ethread *target = thread_with_id(id);
	step_done(self, step_entry(self));
	if (!target || target->cancelled)
		return;
	event_add(self, EVENT_CALL, 0, place_describe(self, "pthread_cancel"));
	target->cancelled = true;
	target->cancel_event = event_last(self);
	vclock_set(&target->cancel_clock, &self->clock);
	vclock_tick(&self->clock, self->number);
}

int sync_point(const char *what)
{
	(void)what;
	struct ethread *self = step_begin(NULL);
	return step_done(self, step_entry(self));
}
