#include "infer/told.h"

#include <stdlib.h>

/* With more of them nothing is told of what does not race: who reads it would not see it anyway. */
enum { MOST_NOTES = 1 << 20 };

static bool has_delayed_stores(const struct linear *l)
{
	for (size_t i = 0; i < l->steps.n; i++)
		if (l->steps.at[i].visible)
			return true;
	return false;
}

struct maker {
	struct told *t;
	const struct execution *x;
	uint32_t *place; /* by event of x: which one it is in t */
	bool delayed, notes; /* stores are; they are told */
};

/* Where stores are delayed, it counts that such a store is a fence. */
static void put_event(struct maker *m, uint32_t event)
{
	struct event e = m->x->events.at[event];
	if (e.kind == EVENT_UPDATE && e.flags & EVENT_STORES && !m->delayed)
		e.kind = EVENT_WRITE;
	m->place[event] = (uint32_t)m->t->x.events.n;
	*vec_push(&m->t->x.events) = e;
}

/* Of an event and a note of one thread. A block is allocated when its place is free, which is an event of the same SAP, and before anything is put there. */
static bool comes_before(const struct event *e, const struct event *note)
{
	if (e->sap != note->sap)
		return e->sap < note->sap;
	return e->kind != EVENT_END && (e->kind == EVENT_CALL || !(note->flags & EVENT_ALLOCATES));
}

/* The thread's events, and its notes from the given one on behind those of the same SAP, but before its end. Returns the next thread's first note. */
static size_t put_thread(struct maker *m, uint32_t thread, size_t note)
{
	struct execution_thread *t = &m->t->x.threads.at[thread];
	uint32_t at = t->first, end = t->first + t->count;
	t->first = (uint32_t)m->t->x.events.n;
	for (; m->notes && note < m->x->notes.n && m->x->notes.at[note].thread == thread; note++) {
		struct event e = m->x->notes.at[note];
		while (at < end && comes_before(&m->x->events.at[at], &e))
			put_event(m, at++);
		e.flags |= EVENT_NOTE;
		*vec_push(&m->t->x.events) = e;
	}
	while (at < end)
		put_event(m, at++);
	t->count = (uint32_t)m->t->x.events.n - t->first;
	return note;
}

/* Each step, and behind it its thread's notes up to the next event: what they depend on is behind an event of theirs. */
static void put_steps(struct maker *m, const struct linear *l)
{
	struct told *t = m->t;
	for (size_t i = 0; i < l->steps.n; i++) {
		if (i == l->needed)
			t->l.needed = t->l.steps.n;
		uint32_t at = m->place[l->steps.at[i].event];
		*vec_push(&t->l.steps) = (struct step){at, l->steps.at[i].visible};
		while (++at < t->x.events.n && t->x.events.at[at].flags & EVENT_NOTE && t->x.events.at[at].thread == t->x.events.at[at - 1].thread)
			*vec_push(&t->l.steps) = (struct step){at, false};
	}
	if (l->needed >= l->steps.n)
		t->l.needed = t->l.steps.n;
	t->l.switches = l->switches;
}

static void copy_threads(struct told *t, const struct execution *x)
{
	t->x.threads = (__typeof__(t->x.threads)){0};
	for (size_t i = 0; i < x->threads.n; i++)
		*vec_push(&t->x.threads) = x->threads.at[i];
}

static bool has_zero(uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		if (!(value >> 8 * i & 0xff))
			return true;
	return false;
}

/* The executor reads a text as far as it may go in any order. What is behind its end in this one was not read. */
static void leave_out_behind_texts(struct told *t, const uint64_t *values)
{
	const struct event *before = NULL;
	bool ended = false;
	for (size_t i = 0; i < t->x.events.n; i++) {
		struct event *e = &t->x.events.at[i];
		if (e->kind != EVENT_READ)
			continue;
		bool goes_on = before && e->flags & EVENT_TEXT && e->thread == before->thread && e->sap == before->sap && e->object == before->object + before->size;
		ended = goes_on && (ended || has_zero(values[before->read], before->size));
		before = e;
		if (ended)
			e->kind = EVENT_CALL;
	}
}

void told_init(struct told *t, const struct execution *x, const struct linear *l, const uint64_t *values)
{
	struct maker m = {t, x, xcalloc(x->events.n + 1, sizeof *m.place), has_delayed_stores(l), x->notes.n <= MOST_NOTES};
	m.notes &= !m.delayed;
	*t = (struct told){.x = *x};
	t->x.events = (__typeof__(t->x.events)){0};
	t->x.conditions = (__typeof__(t->x.conditions)){0};
	copy_threads(t, x);
	size_t note = 0;
	for (uint32_t i = 0; i < x->threads.n; i++)
		note = put_thread(&m, i, note);
	for (size_t i = 0; i < x->conditions.n; i++) {
		struct condition c = x->conditions.at[i];
		c.event = m.place[c.event];
		*vec_push(&t->x.conditions) = c;
	}
	leave_out_behind_texts(t, values);
	put_steps(&m, l);
	free(m.place);
}

bool told_is_renewed(const struct execution *x, const struct linear *l, size_t first, size_t second)
{
	enum { BACK = 100000 };
	uint64_t address = x->events.at[l->steps.at[second].event].object;
	for (size_t i = second; i-- > first && second - i < BACK;) {
		const struct event *e = &x->events.at[l->steps.at[i].event];
		if (e->flags & EVENT_ALLOCATES && address - e->object < e->before)
			return true;
	}
	return false;
}

void told_release(struct told *t)
{
	vec_free(&t->x.threads);
	vec_free(&t->x.events);
	vec_free(&t->x.conditions);
	vec_free(&t->l.steps);
}
