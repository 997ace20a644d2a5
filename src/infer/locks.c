#include "infer/locks.h"

#include <stdlib.h>
#include <string.h>

/* How many critical sections may end before the one that is looked for. */
enum { AHEAD = 10000 };

static int by_end(const void *p, const void *q)
{
	const struct held_lock *a = p, *b = q;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

void locks_init(struct locks_index *l, const struct execution *x)
{
	size_t n = x->held.n;
	*l = (struct locks_index){x, xmalloc((n + 1) * sizeof *l->held)};
	if (n)
		memcpy(l->held, x->held.at, n * sizeof *l->held);
	qsort(l->held, n, sizeof *l->held, by_end);
}

void locks_release(struct locks_index *l)
{
	free(l->held);
}

/* The first that the thread of the event still has there, or takes later. */
static size_t first_ending(const struct locks_index *l, const struct event *e)
{
	size_t low = 0, high = l->x->held.n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (by_end(&l->held[mid], &(struct held_lock){.thread = e->thread, .to = e->sap}) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

locks locks_at(const struct locks_index *l, const struct event *e, bool readers)
{
	locks held = {0};
	size_t from = first_ending(l, e);
	for (size_t i = from; i < l->x->held.n && i - from < AHEAD && l->held[i].thread == e->thread; i++)
		if (l->held[i].from <= e->sap && (readers || !l->held[i].shared))
			*vec_push(&held) = l->held[i].lock;
	return held;
}

bool locks_have(const locks *v, uint32_t lock)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->at[i] == lock)
			return true;
	return false;
}

uint32_t locks_common(const locks *some, const locks *others)
{
	for (size_t i = 0; i < some->n; i++)
		if (locks_have(others, some->at[i]))
			return some->at[i];
	return NO_LOCK;
}

bool locks_kept(const struct locks_index *l, uint32_t lock, const struct event *first, const struct event *second)
{
	size_t from = first_ending(l, second);
	for (size_t i = from; i < l->x->held.n && i - from < AHEAD && l->held[i].thread == second->thread; i++)
		if (l->held[i].lock == lock && l->held[i].from <= first->sap)
			return true;
	return false;
}

uint32_t locks_event(const struct execution *x, uint32_t lock)
{
	uint32_t any = UINT32_MAX;
	for (uint32_t i = 0; i < x->events.n; i++) {
		const struct event *e = &x->events.at[i];
		if (e->object == lock && e->kind == EVENT_LOCK)
			return i;
		if (e->object == lock && (e->kind == EVENT_UNLOCK || e->kind == EVENT_ORDERED))
			any = i;
	}
	return any;
}
