/* Synchronization whose order is not known: does everyone who goes on have the right to? (check_internal.h) */
#include "model/check_internal.h"

#include <inttypes.h>
#include <stdlib.h>

static int by_object(const void *p, const void *q)
{
	const struct object_state *a = p, *b = q;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

void check_find_objects(struct checker *c)
{
	vec(struct object_state) all = {0};
	for (size_t i = 0; i < c->x->events.n; i++) {
		const struct event *e = &c->x->events.at[i];
		if (event_sync_class(e) != SYNC_NONE)
			*vec_push(&all) = (struct object_state){.class = event_sync_class(e), .object = e->object,
								.tokens = e->count};
	}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_object);
	for (size_t i = 0; i < all.n; i++)
		if (!c->nobjects || by_object(&all.at[c->nobjects - 1], &all.at[i]))
			all.at[c->nobjects++] = all.at[i];
	c->objects = all.at;
}

static struct object_state *object_of(struct checker *c, const struct event *e)
{
	struct object_state key = {.class = event_sync_class(e), .object = e->object};
	return bsearch(&key, c->objects, c->nobjects, sizeof key, by_object);
}

bool check_lock(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	struct object_state *l = object_of(c, e);
	if (e->flags & EVENT_SHARED) {
		if (l->owner)
			return violated(c, event, "takes lock %" PRIu64 " that thread %s holds",
					e->object, c->x->threads.at[l->owner - 1].name);
		l->readers++;
		return true;
	}
	if (l->readers)
		return violated(c, event, "takes lock %" PRIu64 " that readers hold", e->object);
	if (l->owner && l->owner != e->thread + 1)
		return violated(c, event, "takes lock %" PRIu64 " that thread %s holds", e->object,
				c->x->threads.at[l->owner - 1].name);
	l->owner = e->thread + 1;
	l->depth++;
	return true;
}

bool check_unlock(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	struct object_state *l = object_of(c, e);
	if (e->flags & EVENT_SHARED) {
		if (!l->readers)
			return violated(c, event, "releases lock %" PRIu64 " that no reader holds",
					e->object);
		l->readers--;
		return true;
	}
	if (l->owner != e->thread + 1)
		return violated(c, event, "releases lock %" PRIu64 " that it does not hold", e->object);
	if (--l->depth == 0)
		l->owner = 0;
	return true;
}

bool check_semaphore(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	struct object_state *s = object_of(c, e);
	if (e->kind == EVENT_EMPTY)
		return !s->tokens || violated(c, event, "finds no token at semaphore %" PRIu64 ", which has %" PRIu64,
					      e->object, s->tokens);
	if (e->kind == EVENT_TAKE && !s->tokens)
		return violated(c, event, "takes a token from semaphore %" PRIu64 ", which has none", e->object);
	s->tokens += e->kind == EVENT_POST ? 1 : UINT64_MAX;
	return true;
}

bool check_barrier(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	struct object_state *b = object_of(c, e);
	if (e->kind == EVENT_LEAVE)
		return b->arrived >= c->leaves[e->thread] ||
		       violated(c, event, "leaves barrier %" PRIu64 " before all have arrived", e->object);
	c->leaves[e->thread] = (b->arrived / e->count + 1) * e->count;
	b->arrived++;
	return true;
}

bool check_busy(struct checker *c, uint32_t event)
{
	const struct event *e = &c->x->events.at[event];
	const struct object_state *l = object_of(c, e);
	return l->owner || (!(e->flags & EVENT_SHARED) && l->readers) ||
	       violated(c, event, "finds lock %" PRIu64 " held, which is free", e->object);
}

struct waiting {
	size_t from, to; /* steps */
	uint32_t event;
	bool woken;
};

/* When the wait began: where its thread released the mutex just before; the start otherwise. */
static size_t wait_began(const struct checker *c, uint32_t wait)
{
	const struct event *e = &c->x->events.at[wait];
	if (wait > c->x->threads.at[e->thread].first && c->x->events.at[wait - 1].kind == EVENT_UNLOCK)
		return c->executed[wait - 1];
	return 0;
}

static void collect_waits(struct checker *c, struct waiting **at, size_t *n)
{
	vec(struct waiting) waits = {0};
	for (size_t s = 0; s < c->nsteps; s++)
		if (c->x->events.at[c->steps[s].event].kind == EVENT_WAIT)
			*vec_push(&waits) = (struct waiting){wait_began(c, c->steps[s].event), s,
							     c->steps[s].event, false};
	for (uint32_t e = 0; e < c->x->events.n; e++) /* these never end */
		if (c->x->events.at[e].kind == EVENT_HANG)
			*vec_push(&waits) = (struct waiting){wait_began(c, e), SIZE_MAX, e, false};
	*at = waits.at;
	*n = waits.n;
}

/*
 * Every wait needs a broadcast while it lasts, or a signal of its own. Signals in the order they come, each
 * to the wait that lasts shortest: if any assignment exists, this finds one. Nobody wakes whoever hangs.
 */
bool check_waits(struct checker *c)
{
	struct waiting *waits;
	size_t n;
	bool ok = true;
	collect_waits(c, &waits, &n);
	for (size_t s = 0; s < c->nsteps && n; s++) {
		const struct event *e = &c->x->events.at[c->steps[s].event];
		if (e->kind != EVENT_SIGNAL && e->kind != EVENT_BROADCAST)
			continue;
		for (size_t i = 0; i < n; i++) { /* ascending by `to` */
			struct waiting *w = &waits[i];
			const struct event *we = &c->x->events.at[w->event];
			if (w->woken || we->object != e->object || we->thread == e->thread ||
			    s < w->from || s > w->to)
				continue;
			w->woken = true;
			if (e->kind == EVENT_SIGNAL)
				break;
		}
	}
	for (size_t i = 0; ok && i < n; i++)
		if (waits[i].woken != (waits[i].to != SIZE_MAX))
			ok = violated(c, waits[i].event, waits[i].woken ? "is woken, but never wakes"
									: "wakes, but nobody signalled");
	free(waits);
	return ok;
}
