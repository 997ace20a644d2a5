#include "model/sections.h"

#include <stdlib.h>

#define NONE UINT32_MAX

struct one {
	uint64_t object;
	uint32_t thread;
	uint32_t lock, unlock; /* events; unlock is NONE when it is held to the end */
	bool shared;
};

/* at[start[k] .. start[k + 1]): the sections of one lock and one thread, in program order. */
struct sections {
	vec(struct one) at;
	vec(uint32_t) start;
};

static int by_lock(const void *p, const void *q)
{
	const struct one *a = p, *b = q;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->lock < b->lock ? -1 : a->lock > b->lock; /* events are thread by thread */
}

/* The sections of one thread; nested locking of one lock makes one section. */
static void collect(struct sections *s, const struct execution *x, const struct execution_thread *t)
{
	struct open {
		size_t section;
		uint32_t depth;
	};
	vec(struct open) open = {0};
	for (uint32_t e = t->first; e < t->first + t->count; e++) {
		const struct event *v = &x->events.at[e];
		if (v->kind != EVENT_LOCK && v->kind != EVENT_UNLOCK)
			continue;
		size_t i = 0;
		while (i < open.n && s->at.at[open.at[i].section].object != v->object)
			i++;
		if (v->kind == EVENT_LOCK && i < open.n) {
			open.at[i].depth++;
		} else if (v->kind == EVENT_LOCK) {
			*vec_push(&open) = (struct open){s->at.n, 1};
			*vec_push(&s->at) = (struct one){v->object, v->thread, e, NONE, (v->flags & EVENT_SHARED) != 0};
		} else if (i < open.n && --open.at[i].depth == 0) {
			s->at.at[open.at[i].section].unlock = e;
			open.at[i] = open.at[--open.n];
		}
	}
	vec_free(&open);
}

struct sections *sections_new(const struct execution *x)
{
	struct sections *s = xcalloc(1, sizeof *s);
	for (size_t t = 0; !x->lock_order_known && t < x->threads.n; t++)
		collect(s, x, &x->threads.at[t]);
	if (s->at.n)
		qsort(s->at.at, s->at.n, sizeof *s->at.at, by_lock);
	for (uint32_t i = 0; i < s->at.n; i++)
		if (!i || s->at.at[i].object != s->at.at[i - 1].object || s->at.at[i].thread != s->at.at[i - 1].thread)
			*vec_push(&s->start) = i;
	*vec_push(&s->start) = (uint32_t)s->at.n;
	return s;
}

void sections_free(struct sections *s)
{
	vec_free(&s->at);
	vec_free(&s->start);
	free(s);
}

/* Has the section b to come after a: does it end after a begins, or never? */
static bool must_follow(const struct memory *m, const struct one *a, const struct one *b)
{
	return b->unlock == NONE || order_before(m->order, a->lock, b->unlock);
}

/* The first section of the group from..to that must follow a, and excludes it; NULL: none. */
static const struct one *first_to_follow(const struct sections *s, const struct memory *m, const struct one *a, uint32_t from,
					 uint32_t to)
{
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;
		if (must_follow(m, a, &s->at.at[mid]))
			to = mid;
		else
			from = mid + 1;
	}
	return from < s->at.n ? &s->at.at[from] : NULL;
}

static bool follow(const struct sections *s, struct memory *m, const struct one *a, uint32_t group, uint64_t *added)
{
	uint32_t end = s->start.at[group + 1];
	const struct one *b = first_to_follow(s, m, a, s->start.at[group], end), *last = s->at.at + end;
	while (b && b < last && a->shared && b->shared)
		b++;
	if (!b || b >= last)
		return true;
	if (a->unlock == NONE)
		return false;
	if (order_before(m->order, a->unlock, b->lock))
		return true;
	*vec_push(&m->edges) = (struct edge){a->unlock, b->lock};
	++*added;
	return true;
}

/* Groups first .. last - 1 are of one lock. */
static bool order_lock(const struct sections *s, struct memory *m, uint32_t first, uint32_t last, uint64_t *added,
		       struct error *err)
{
	for (uint32_t i = s->start.at[first]; i < s->start.at[last]; i++)
		for (uint32_t g = first; g < last; g++) {
			const struct one *a = &s->at.at[i], *b = &s->at.at[s->start.at[g]];
			if (a->thread != b->thread && !follow(s, m, a, g, added))
				return fail(err, "thread %s never releases a lock that thread %s takes later",
					    m->x->threads.at[a->thread].name, m->x->threads.at[b->thread].name);
		}
	return true;
}

uint64_t sections_order(const struct sections *s, struct memory *m, bool *ok, struct error *err)
{
	uint64_t added = 0;
	*ok = true;
	for (uint32_t first = 0, last; *ok && first + 1 < s->start.n; first = last) {
		uint64_t object = s->at.at[s->start.at[first]].object;
		for (last = first + 1; last + 1 < s->start.n && s->at.at[s->start.at[last]].object == object; last++)
			;
		*ok = order_lock(s, m, first, last, &added, err);
	}
	return added;
}
