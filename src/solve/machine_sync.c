/*
 * Synchronization in the machine, where its order is open: who holds what, how many tokens there are, who waits.
 *
 * Which waiting thread a signal wakes is not decided when it comes: of every thread that waits, it is counted how many
 * signals came since that nobody used up. The sets of those signals are suffixes of each other, so the numbers tell them
 * apart. A thread that wakes uses up the first signal of its set: whoever can use a later one still can.
 */
#include "solve/machine_internal.h"

#include <stdlib.h>

/* -------------------------------------------------- building ----------------------------- */

struct numbered {
	enum sync_class class;
	uint64_t object;
	uint32_t event;
};

static int by_object(const void *p, const void *q)
{
	const struct numbered *a = p, *b = q;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static void note_event(struct sync_object *o, const struct event *e)
{
	switch (e->kind) {
	case EVENT_WAIT:
		o->is_awaited = true;
		break;
	case EVENT_HANG:
		o->is_awaited = o->is_tested = true;
		break;
	case EVENT_BUSY:
	case EVENT_EMPTY:
		o->is_tested = true;
		break;
	case EVENT_TAKE:
		o->many_take |= o->taker && o->taker != e->thread + 1;
		o->taker = e->thread + 1;
		break;
	default:
		break;
	}
	if (event_sync_class(e) == SYNC_SEMAPHORE)
		o->tokens = e->count;
	if (event_sync_class(e) == SYNC_BARRIER)
		o->size = e->count;
}

void machine_sync_build(struct machine *m)
{
	vec(struct numbered) all = {0};
	if (m->x->lock_order_known)
		return;
	m->object_of = xcalloc(m->x->events.n + 1, sizeof *m->object_of);
	m->waiters = xcalloc(m->x->threads.n + 1, sizeof *m->waiters);
	for (uint32_t e = 0; e < m->x->events.n; e++) {
		enum sync_class class = event_sync_class(&m->x->events.at[e]);
		if (class != SYNC_NONE)
			*vec_push(&all) = (struct numbered){class, m->x->events.at[e].object, e};
	}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_object);
	m->objects = xcalloc(all.n + 1, sizeof *m->objects);
	uint32_t number = 0;
	for (size_t i = 0; i < all.n; i++) {
		number += i && by_object(&all.at[i - 1], &all.at[i]);
		m->object_of[all.at[i].event] = number;
		note_event(&m->objects[number], &m->x->events.at[all.at[i].event]);
	}
	vec_free(&all);
}

/* -------------------------------------------------- questions ---------------------------- */

static struct sync_object *object_of(const struct machine *m, uint32_t event)
{
	return &m->objects[m->object_of[event]];
}

static const struct event *event_at(const struct machine *m, uint32_t event)
{
	return &m->x->events.at[event];
}

/* The condition variable that the thread starts to wait on at this event, or NONE. */
static uint32_t starts_wait(const struct machine *m, uint32_t event)
{
	if (event_at(m, event)->kind != EVENT_UNLOCK)
		return NONE;
	uint8_t next = event_at(m, event)[1].kind; /* there is an END behind it */
	return next == EVENT_WAIT || next == EVENT_HANG ? m->object_of[event + 1] : NONE;
}

bool machine_sync_can(const struct machine *m, uint32_t event)
{
	const struct event *e = event_at(m, event);
	if (!m->object_of || event_sync_class(e) == SYNC_NONE)
		return true;
	const struct sync_object *o = object_of(m, event);
	const struct waiter *w = &m->waiters[e->thread];
	bool shared = e->flags & EVENT_SHARED;
	switch (e->kind) {
	case EVENT_LOCK:
		return shared ? !o->owner : !o->readers && (!o->owner || o->owner == e->thread + 1);
	case EVENT_BUSY:
		return o->owner || (!shared && o->readers);
	case EVENT_WAIT:
		return w->woken || w->signals;
	case EVENT_TAKE:
		return o->tokens != 0;
	case EVENT_EMPTY:
		return o->tokens == 0;
	case EVENT_LEAVE:
		return o->arrived >= w->round;
	default:
		return true;
	}
}

bool machine_sync_is_local(const struct machine *m, uint32_t event)
{
	const struct event *e = event_at(m, event);
	if (!m->object_of || event_sync_class(e) == SYNC_NONE)
		return true;
	const struct sync_object *o = object_of(m, event);
	uint32_t condition = starts_wait(m, event);
	switch (e->kind) {
	case EVENT_UNLOCK:
		return !o->is_tested && (condition == NONE || !m->objects[condition].is_tested);
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
		return !o->is_awaited;
	case EVENT_WAIT:
		return m->waiters[e->thread].woken;
	case EVENT_POST:
		return !o->is_tested;
	case EVENT_TAKE:
		return !o->is_tested && !o->many_take;
	case EVENT_LEAVE:
	case EVENT_HANG:
		return true;
	default:
		return false;
	}
}

bool machine_sync_is_done(const struct machine *m)
{
	for (size_t t = 0; m->object_of && t < m->x->threads.n; t++)
		if (m->waiters[t].condition && (m->waiters[t].woken || m->waiters[t].signals))
			return false;
	return true;
}

/* Objects count behind all atoms. */
void machine_sync_touches(const struct machine *m, uint32_t event, struct machine_atoms *atoms)
{
	uint32_t natoms = (uint32_t)m->m->atoms.at.n;
	if (!m->object_of || event_sync_class(event_at(m, event)) == SYNC_NONE)
		return;
	uint32_t condition = starts_wait(m, event);
	machine_add_atom(atoms, natoms + m->object_of[event]);
	if (condition != NONE)
		machine_add_atom(atoms, natoms + condition);
}

/* -------------------------------------------------- steps -------------------------------- */

static void toggle_object(struct machine *m, uint32_t number)
{
	const struct sync_object *o = &m->objects[number];
	machine_toggle(m, PART_LOCK, number,
		       (uint64_t)o->owner << 32 ^ (uint64_t)o->readers << 16 ^ o->depth ^ (uint64_t)o->tokens << 20 ^
			       (uint64_t)o->arrived << 40);
}

static void toggle_waiter(struct machine *m, uint32_t thread)
{
	const struct waiter *w = &m->waiters[thread];
	machine_toggle(m, PART_WAITER, thread,
		       (uint64_t)w->condition << 40 ^ (uint64_t)w->signals << 1 ^ w->woken ^ (uint64_t)w->round << 20);
}

static void set_waiter(struct machine *m, uint32_t thread, uint32_t condition, uint32_t signals, bool woken)
{
	struct waiter *w = &m->waiters[thread];
	toggle_waiter(m, thread);
	machine_set32(m, &w->condition, condition);
	machine_set32(m, &w->signals, signals);
	machine_set32(m, &w->woken, woken);
	toggle_waiter(m, thread);
}

static void lock(struct machine *m, const struct event *e, struct sync_object *o)
{
	bool shared = e->flags & EVENT_SHARED;
	if (e->kind == EVENT_LOCK && shared) {
		machine_set32(m, &o->readers, o->readers + 1);
	} else if (e->kind == EVENT_LOCK) {
		machine_set32(m, &o->owner, e->thread + 1);
		machine_set32(m, &o->depth, o->depth + 1);
	} else if (shared) {
		machine_set32(m, &o->readers, o->readers - !!o->readers);
	} else if (o->depth) {
		machine_set32(m, &o->depth, o->depth - 1);
		if (!o->depth)
			machine_set32(m, &o->owner, 0);
	}
}

static void signal_waiters(struct machine *m, const struct event *e, uint32_t condition)
{
	for (uint32_t t = 0; t < m->x->threads.n; t++) {
		const struct waiter *w = &m->waiters[t];
		if (w->condition != condition + 1 || t == e->thread)
			continue;
		bool all = e->kind == EVENT_BROADCAST;
		set_waiter(m, t, w->condition, w->signals + !all, w->woken || all);
	}
}

static void wake(struct machine *m, uint32_t thread)
{
	struct waiter w = m->waiters[thread];
	for (uint32_t t = 0; !w.woken && t < m->x->threads.n; t++) {
		const struct waiter *o = &m->waiters[t];
		if (t != thread && o->condition == w.condition && o->signals >= w.signals)
			set_waiter(m, t, o->condition, o->signals - 1, o->woken);
	}
	set_waiter(m, thread, 0, 0, false);
}

/* Arrives at the barrier: may leave when its round is complete. */
static void arrive(struct machine *m, uint32_t thread, struct sync_object *o)
{
	uint32_t size = o->size ? o->size : 1;
	machine_set32(m, &o->arrived, o->arrived + 1);
	toggle_waiter(m, thread);
	machine_set32(m, &m->waiters[thread].round, (o->arrived + size - 1) / size * size);
	toggle_waiter(m, thread);
}

void machine_sync_do(struct machine *m, uint32_t event)
{
	const struct event *e = event_at(m, event);
	if (!m->object_of || event_sync_class(e) == SYNC_NONE)
		return;
	uint32_t number = m->object_of[event], condition = starts_wait(m, event);
	struct sync_object *o = &m->objects[number];
	toggle_object(m, number);
	switch (e->kind) {
	case EVENT_LOCK:
	case EVENT_UNLOCK:
		lock(m, e, o);
		break;
	case EVENT_SIGNAL:
	case EVENT_BROADCAST:
		signal_waiters(m, e, number);
		break;
	case EVENT_WAIT:
		wake(m, e->thread);
		break;
	case EVENT_POST:
		machine_set32(m, &o->tokens, o->tokens + 1);
		break;
	case EVENT_TAKE:
		machine_set32(m, &o->tokens, o->tokens - 1);
		break;
	case EVENT_ARRIVE:
		arrive(m, e->thread, o);
		break;
	default:
		break;
	}
	toggle_object(m, number);
	if (condition != NONE)
		set_waiter(m, e->thread, condition + 1, 0, false);
}
