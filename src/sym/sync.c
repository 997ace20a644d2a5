/*
 * Interposed functions in infer mode. Each is one SAP and one operation of the log (trace.h): it waits for its
 * turn in the recorded order, becomes an event, and carries vector clocks along the order that is known.
 * The real objects of the target are not touched: no lock is ever really held.
 */
#include "sym/sync.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the C library has for that. */
static bool is_once_running(const void *control)
{
	return (*(const volatile int *)control & 3) == 1;
}

static bool is_once_done(const void *control)
{
	return (*(const volatile int *)control & 3) == 2;
}

static bool asks_yet(const struct trace_thread *log)
{
	for (size_t i = 0; i < engine.threads.n; i++)
		if (engine.threads.at[i]->log == log)
			return !engine.threads.at[i]->ended && engine.threads.at[i]->next_input < log->ninputs;
	return log->ninputs != 0;
}

bool sync_others_ask(const struct ethread *t)
{
	for (size_t i = 0; i < engine.trace->nthreads; i++)
		if (&engine.trace->threads[i] != t->log && asks_yet(&engine.trace->threads[i]))
			return true;
	return false;
}

/*
 * A library's routine may ask the system, and a thread of which the log has no more inputs did not do that. Others that are yet to ask come first then, if
 * anybody can go on: it is one of them that ran the routine, if it asks at all.
 */
static bool leaves_routine_to_others(const struct ethread *t)
{
	static bool asking; /* whether others can go on may depend on whether this one can */
	bool can_go = false;
	if (asking || !t->log || t->next_input < t->log->ninputs || *(const volatile int *)(uintptr_t)t->wait_order)
		return false;
	bool asked = sync_others_ask(t);
	asking = true;
	for (size_t i = 0; i < engine.threads.n && asked && !can_go; i++) {
		const struct ethread *other = engine.threads.at[i];
		if (other != t && !other->ended && other->wait == WAIT_ROUTINE) /* not in turn, for ever */
			can_go = other->log && other->next_input < other->log->ninputs;
		else if (other != t && !other->ended)
			can_go = sync_can_go(other);
	}
	asking = false;
	return asked && can_go;
}

bool sync_can_go(const struct ethread *t)
{
	switch (t->wait) {
	case WAIT_NOTHING:
		return true;
	case WAIT_OBJECT:
		if (!engine.lock_order)
			return unordered_can_go(t);
		return (!t->wait_object->holder || (t->wait_dead && t->wait_object->holder->ended)) &&
		       (!t->wait_order || *object_steps(t->wait_object) + 1 >= t->wait_order);
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
	case WAIT_ROUTINE:
		return !is_once_running((const void *)(uintptr_t)t->wait_order) && !leaves_routine_to_others(t);
	case WAIT_LIBRARY:
		return !inside_is_asking(t);
	case WAIT_FOREVER:
		return false;
	default:
		return unordered_can_go(t);
	}
}

/* The log has no such step of the thread, but what it did afterwards, or its failure elsewhere. */
static bool goes_on_otherwise(const struct ethread *self)
{
	return self->log && !self->outside && !engine.free && (!path_reader_at_end(&self->path) || engine_goes_too_far(self));
}

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
		struct event *e = event_add(self, EVENT_CALL, on ? object_at(on)->number : 0, place_describe(self, "blocks here"));
		e->flags &= (uint16_t)~EVENT_OPTIONAL;
		e->count = self->joins;
		self->attempt = event_last(self);
	} else if (goes_on_otherwise(self)) {
		native_off_path(self, self->native ? self->native : "what waits for others", "nothing of that kind");
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
	if (engine_step_is_beyond(self))
		blocked_at_end(self, place, condition);
	if (engine.free)
		time_wander(self);
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

/* Without paths: what the SAP at hand returned, if that was not 0. */
static const struct rt_sync *entry_of_sap(struct ethread *self)
{
	static struct rt_sync e;
	const struct trace_thread *log = self->log;
	size_t *i = &self->next_sync;
	while (*i < log->norder && (log->order[*i].kind != RT_ORDER_RESULT || log->order[*i].first < self->saps))
		++*i;
	if (*i == log->norder || log->order[*i].first != self->saps)
		return NULL;
	e = (struct rt_sync){ .order = 1, .result = log->order[*i].value };
	return &e;
}

/* A step in which the thread is cancelled comes after the cancelling. */
const struct rt_sync *step_entry(struct ethread *self)
{
	const struct trace_thread *log = self->log;
	if (engine.free)
		return entry_of_sap(self);
	if (self->next_sync == log->nsync || log->sync[self->next_sync].op != self->ops + 1)
		return NULL;
	const struct rt_sync *e = &log->sync[self->next_sync++];
	if (is_cancelled(e))
		await_cancelling(self);
	return e;
}

/* The step at hand, which is done, was the one in which the thread was cancelled. */
_Noreturn static void cancelled_here(struct ethread *self)
{
	if (self->events.at[event_last(self).index].sap != self->saps)
		event_add(self, EVENT_CALL, 0, place_describe(self, "cancelled"));
	order_add(self->cancel_event, event_last(self));
	vclock_join(&self->clock, &self->cancel_clock);
	step_leave_thread(self, PTHREAD_CANCELED);
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

bool step_has_failed(const struct rt_sync *e)
{
	return e && !e->object && e->result;
}

static void await_turn(struct ethread *self, struct object *o, const struct rt_sync *e)
{
	self->wait = WAIT_OBJECT;
	self->wait_object = o;
	self->wait_order = e ? e->order : 0;
	self->wait_dead = e && e->result == EOWNERDEAD;
	/* A thread that is off its path is at another step than the entry. */
	if (e && e->object && e->object < RT_OBJECT_THREAD && !self->strayed)
		object_is(o, e->object);
	baton_wait(self);
	++*object_steps(o);
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

static struct event_ref holding_event(const struct object *o)
{
	struct ethread *t = o->holder;
	for (size_t i = t->events.n; i--;)
		if (t->events.at[i].kind == EVENT_LOCK && t->events.at[i].sap == o->hold_sap)
			return (struct event_ref){ t->number, (uint32_t)i };
	return event_add_late(t, EVENT_LOCK, o->number, o->hold_sap, o->hold_site);
}

/*
 * A robust mutex, whose owner ended with it: the next one's turn comes behind that end. A replay sees to that by itself when the owner has the
 * mutex before the next one asks for it.
 */
static void take_from_dead(struct ethread *self, struct object *o, const char *what)
{
	struct ethread *dead = o->holder;
	struct event_ref held = holding_event(o);
	vclock_join(&self->clock, &dead->clock);
	event_add(self, EVENT_LOCK, o->number, place_describe(self, what));
	order_add(held, event_last(self));
	order_add(dead->end, event_last(self));
	held_drop(dead, o);
}

int sync_acquire(const void *place, const char *what)
{
	if (!engine.lock_order)
		return unordered_acquire(place, what);
	struct ethread *self = step_begin(place);
	const struct rt_sync *e = step_entry(self);
	if (step_has_failed(e))
		return step_done(self, e);
	struct object *o = object_at(place);
	if (o->holder == self) { /* recursive */
		o->depth++;
		++*object_steps(o);
		return step_done(self, e);
	}
	await_turn(self, o, e);
	if (o->holder)
		take_from_dead(self, o, what);
	else
		step_follows_last(self, o, EVENT_UNLOCK, EVENT_LOCK, what);
	o->freed_by = NULL;
	o->holder = self;
	o->hold_sap = self->saps;
	o->hold_site = place_describe(self, what);
	o->depth = 1;
	held_take(self, o, false);
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
	held_drop(self, o);
	step_becomes_last(self, o, what);
}

void sync_renewed(struct ethread *self, const void *place, const char *what)
{
	struct object *o = object_known((const void *)(uintptr_t)recall_place((uint64_t)(uintptr_t)place));
	if (!o || !o->holder)
		return;
	held_drop(o->holder, o);
	o->holder = NULL;
	o->depth = 0;
	step_becomes_last(self, o, what);
}

void sync_freed(struct ethread *self, uint64_t start, uint64_t size)
{
	struct event_ref freed = { 0 };
	bool is_event = false;
	if (!engine.lock_order)
		unordered_freed(self, start, size);
	for (uint64_t at = start; engine.lock_order && objects_any() && at < start + size; at += 8) {
		struct object *o = object_known((const void *)(uintptr_t)recall_place(at));
		if (!o)
			continue;
		o->freed_by = self;
		o->freed_sap = self->saps;
		o->freed_site = place_describe(self, "free");
		if (!o->last || o->last == self)
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
	t->events.at[t->attempt.index].object = condition->number;
	struct event_ref start = event_add_late(t, EVENT_CALL, condition->number, t->waits_since, place_describe(t, "waits"));
	for (size_t i = 0; i < signals.n; i++) {
		const struct signal *s = &signals.at[i];
		/* One of several waiters may have got a single signal. */
		if (s->condition == condition && s->thread != t && (s->all || condition->steps < 2))
			order_add(event_add_late(s->thread, EVENT_CALL, condition->number, s->sap, s->site), start);
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
	notes_block(self, place_describe(self, what), (uint64_t)(uintptr_t)condition, 0, NOTE_WAITS);
	int result = sync_acquire(mutex, what);
	self->waits_for = NULL;
	notes_block(self, place_describe(self, what), (uint64_t)(uintptr_t)condition, self->waits_since, NOTE_WAITED);
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
	notes_block(self, place_describe(self, what), (uint64_t)(uintptr_t)condition, 0, NOTE_SIGNALLED);
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
	o->has_run = o->once_done = true;
	o->ran_at = vclock_of(&self->clock, self->number);
	vclock_join(&o->clock, &self->clock);
	vclock_tick(&self->clock, self->number);
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

/* Nobody but the runner comes back before the routine's end, if anybody was seen to run it: a library may have. */
static void await_routine(struct ethread *self, struct object *o)
{
	self->wait = WAIT_ONCE;
	self->wait_object = o;
	baton_wait(self);
}

/*
 * Who found it done has no place in the recorded order: it comes after the routine's end, which matters the first time only. Here it may have come before
 * whoever runs the routine; what was run where the control lay before is not meant then.
 */
static void once_was_done(struct ethread *self, struct object *o, const void *control, const char *what)
{
	if (!is_once_done(control)) {
		*vec_push(&o->early) = event_of_sap(self, what);
		return;
	}
	if (!o->has_run || vclock_of(&self->clock, o->runner->number) >= o->ran_at)
		return;
	vclock_join(&self->clock, &o->clock);
	order_add(o->ran, event_of_sap(self, what));
}

int sync_ordered(const void *place, enum rt_step step, const char *what)
{
	if (!engine.lock_order)
		return unordered_step(place, step, what);
	struct object *once = step == RT_STEP_ONCE || step == RT_STEP_ONCE_RUNS ? object_at(place) : NULL;
	bool ran = once && step == RT_STEP_ONCE && once->runner == engine_self() && !once->has_run;
	if (ran)
		once_ran(engine_self(), once);
	struct ethread *self = step_begin(place);
	const struct rt_sync *e = step_entry(self);
	if (step_has_failed(e))
		return step_done(self, e);
	if (step == RT_STEP_ONCE && !ran)
		await_routine(self, once);
	if (step == RT_STEP_ONCE && !ran && !e) {
		once_was_done(self, once, place, what);
		return step_done(self, e);
	}
	struct object *o = object_at(place);
	await_turn(self, o, e);
	step_follows_last(self, o, EVENT_ORDERED, EVENT_ORDERED, what);
	step_becomes_last(self, o, what);
	if (step == RT_STEP_READ_LOCK || step == RT_STEP_WRITE_LOCK)
		held_take(self, o, step == RT_STEP_READ_LOCK);
	else if (step == RT_STEP_UNLOCK)
		held_drop(self, o);
	if (step == RT_STEP_POST || step == RT_STEP_TAKE)
		notes_block(self, place_describe(self, what), (uint64_t)(uintptr_t)place, 0, step == RT_STEP_POST ? NOTE_POSTED : NOTE_TOOK);
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

/* Without paths: who comes first runs it, when its turn has come. */
static enum rt_once once_in_turn(struct ethread *self, const void *control)
{
	self->saps++;
	time_wander(self);
	self->saps--;
	if (object_at(control)->runner || *(const volatile int *)control)
		return RT_ONCE_DONE;
	sync_ordered(control, RT_STEP_ONCE_RUNS, "pthread_once");
	return RT_ONCE_RUNS;
}

enum rt_once sync_once(const void *control)
{
	struct ethread *self = engine_self();
	if (!self)
		return RT_ONCE_FOREIGN;
	if (!self->native || (strcmp(self->native, "pthread_once") && strcmp(self->native, "call_once"))) {
		/* A library's own, which the C library runs. Who waits there would do so with the baton. */
		self->wait = WAIT_ROUTINE;
		self->wait_order = (uint64_t)(uintptr_t)control;
		baton_wait(self);
		inside_came_back(self);
		return RT_ONCE_FOREIGN;
	}
	self->native = NULL;
	const struct trace_thread *log = self->log;
	if (log && engine.free)
		return once_in_turn(self, control);
	if (!log || self->next_sync == log->nsync)
		return RT_ONCE_DONE;
	const struct rt_sync *e = &log->sync[self->next_sync];
	if (e->op != self->ops + 1 || e->result != 1)
		return RT_ONCE_DONE;
	sync_ordered(control, RT_STEP_ONCE_RUNS, "pthread_once");
	engine.results.n--; /* the routine runs again by itself */
	return RT_ONCE_RUNS;
}

void sync_waits_in_freed(struct ethread *t, struct event_ref freed)
{
	order_add(freed, t->attempt);
	*vec_push(&engine.results) =
		(struct forced_result){ t->number, RT_NEVER, t->events.at[t->attempt.index].sap, FORCED_RESULT, 0 };
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
		else if (o && o->freed_by && o->freed_by != t)
			sync_waits_in_freed(t, event_add_late(o->freed_by, EVENT_CALL, o->number, o->freed_sap, o->freed_site));
		else if (o && o->last && o->last != t)
			/* Nobody holds a semaphore: it is the steps before that leave nothing to take. */
			order_add(last_step(o, EVENT_ORDERED), t->attempt);
	}
	return 0;
}

int sync_point(const char *what)
{
	(void)what;
	struct ethread *self = step_begin(NULL);
	return step_done(self, step_entry(self));
}
