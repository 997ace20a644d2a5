/* Waits for synchronization whose order was inferred (schedule_internal.h). */
#include "model/schedule_internal.h"

#include <stdlib.h>

static int by_object(const void *p, const void *q)
{
	const struct used *a = p, *b = q;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static void after_all(struct builder *b, uint32_t e, const uint32_t *events, size_t n)
{
	for (size_t i = n; i-- > 0;)
		schedule_require(b, e, events[i]);
}

/* A lock is taken after its last release by a writer; by a writer, after those of readers since. */
static void use_lock(struct builder *b, uint32_t e, struct used *u)
{
	const struct event *v = event_at(b, e);
	bool shared = v->flags & EVENT_SHARED;
	if (v->kind == EVENT_UNLOCK && shared) {
		*vec_push(&u->reads) = e;
	} else if (v->kind == EVENT_UNLOCK) {
		u->unlock = e;
	} else if (v->kind == EVENT_LOCK) {
		if (u->unlock != NOBODY)
			schedule_require(b, e, u->unlock);
		if (!shared) {
			after_all(b, e, u->reads.at, u->reads.n);
			u->reads.n = 0;
		}
	}
}

/* A wait is over after the last signal that came while it lasted: some of those woke it. */
static void use_condition(struct builder *b, uint32_t e, struct used *u)
{
	const struct event *v = event_at(b, e);
	if (v->kind == EVENT_SIGNAL || v->kind == EVENT_BROADCAST) {
		*vec_push(&u->reads) = e;
		return;
	}
	uint32_t start = execution_wait_start(b->x, e);
	for (size_t i = v->kind == EVENT_WAIT ? u->reads.n : 0; i-- > 0;) {
		if (start == NOBODY || b->place[u->reads.at[i]] < b->place[start])
			break;
		if (event_at(b, u->reads.at[i])->thread != v->thread) {
			schedule_require(b, e, u->reads.at[i]);
			break;
		}
	}
}

/* The k-th token that is taken is the k-th there was. */
static void use_semaphore(struct builder *b, uint32_t e, struct used *u)
{
	const struct event *v = event_at(b, e);
	if (v->kind == EVENT_POST)
		*vec_push(&u->reads) = e;
	if (v->kind != EVENT_TAKE || u->taken++ < v->count || u->taken > v->count + u->reads.n)
		return;
	schedule_require(b, e, u->reads.at[u->taken - v->count - 1]);
}

/* Who arrives after somebody has left, arrives for the next round: all of the one before are really inside then. */
static void use_barrier(struct builder *b, uint32_t e, struct used *u)
{
	if (event_at(b, e)->kind == EVENT_LEAVE)
		u->unlock = e;
	else if (u->unlock != NOBODY)
		schedule_require(b, e, u->unlock);
}

/* A wait that is never ended starts after the signals that came before: one that comes later would end it. */
static void start_hanging(struct builder *b, uint32_t e)
{
	const struct event *v = event_at(b, e), *next = e + 1 < b->x->events.n ? event_at(b, e + 1) : NULL;
	if (!next || v->kind != EVENT_UNLOCK || next->kind != EVENT_HANG || next->thread != v->thread)
		return;
	struct used key = {.class = SYNC_CONDITION, .object = next->object};
	const struct used *u = bsearch(&key, b->used, b->nused, sizeof key, by_object);
	if (u)
		after_all(b, e, u->reads.at, u->reads.n);
}

void schedule_use_object(struct builder *b, uint32_t e)
{
	static void (*const use[])(struct builder *, uint32_t, struct used *) = {
		[SYNC_LOCK] = use_lock,
		[SYNC_CONDITION] = use_condition,
		[SYNC_SEMAPHORE] = use_semaphore,
		[SYNC_BARRIER] = use_barrier,
	};
	struct used key = {.class = event_sync_class(event_at(b, e)), .object = event_at(b, e)->object};
	if (key.class != SYNC_NONE && !b->x->lock_order_known)
		use[key.class](b, e, bsearch(&key, b->used, b->nused, sizeof key, by_object));
	start_hanging(b, e);
}

void schedule_find_objects(struct builder *b)
{
	vec(struct used) all = {0};
	for (size_t i = 0; !b->x->lock_order_known && i < b->x->events.n; i++) {
		const struct event *e = &b->x->events.at[i];
		if (event_sync_class(e) != SYNC_NONE)
			*vec_push(&all) = (struct used){.class = event_sync_class(e), .object = e->object,
							.unlock = NOBODY};
	}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_object);
	for (size_t i = 0; i < all.n; i++)
		if (!b->nused || by_object(&all.at[b->nused - 1], &all.at[i]))
			all.at[b->nused++] = all.at[i];
	b->used = all.at;
}
