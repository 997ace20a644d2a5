#include "search/trail.h"

#include "infer/told.h"

#include <rethread/instrument.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is kept of an attempt ---- */

static int by_number(const void *p, const void *q)
{
	const struct rt_trail *a = *(const struct rt_trail *const *)p, *b = *(const struct rt_trail *const *)q;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* Appends those of a ring with numbers from one up to another. */
static void read_ring(const struct rt_trail **steps, uint64_t *n, const struct rt_trail *ring, uint64_t all, uint64_t size, uint64_t from, uint64_t to)
{
	for (uint64_t i = all < size ? 0 : all - size; i < all; i++)
		if (ring[i % size].number >= from && ring[i % size].number < to)
			steps[(*n)++] = &ring[i % size];
}

const struct rt_trail **trail_read(const struct rt_attempt *a, uint64_t *n, uint64_t *recent)
{
	uint64_t first = a->ntrail < RT_TRAIL ? 0 : a->trail[a->ntrail % RT_TRAIL].number;
	const struct rt_trail **steps = xcalloc(2 * RT_TRAIL + RT_EARLY + 1, sizeof *steps);
	*n = 0;
	read_ring(steps, n, a->older, a->nolder, RT_TRAIL, 0, first);
	read_ring(steps, n, a->early, a->nearly, RT_EARLY, 0, first);
	*recent = *n;
	read_ring(steps, n, a->trail, a->ntrail, RT_TRAIL, first, UINT64_MAX);
	read_ring(steps, n, a->early, a->nearly, RT_EARLY, first, UINT64_MAX);
	qsort(steps, *recent, sizeof *steps, by_number);
	qsort(steps + *recent, *n - *recent, sizeof *steps, by_number);
	return steps;
}

/* ---- as an execution ---- */

/* A lock that a thread has. */
struct hold {
	uint32_t thread, lock;
	uint64_t from;
};

struct maker {
	const struct trail *t;
	struct execution x;
	struct linear l;
	vec(uint64_t) locks; /* by number less 1: where it lies */
	vec(struct hold) holds;
};

static enum event_kind kind_of(const struct rt_trail *step)
{
	switch (step->kind) {
	case RT_ACCESS_LOAD:
		return EVENT_READ;
	case RT_ACCESS_STORE:
		return EVENT_WRITE;
	case RT_ACCESS_UPDATE:
		return EVENT_UPDATE;
	default:
		return EVENT_CALL;
	}
}

static uint32_t lock_at(struct maker *m, uint64_t place)
{
	for (uint32_t i = 0; i < m->locks.n; i++)
		if (m->locks.at[i] == place)
			return i + 1;
	*vec_push(&m->locks) = place;
	return (uint32_t)m->locks.n;
}

static struct hold *hold_of(struct maker *m, uint32_t thread, uint32_t lock)
{
	for (size_t i = m->holds.n; i-- > 0;)
		if (m->holds.at[i].thread == thread && m->holds.at[i].lock == lock)
			return &m->holds.at[i];
	return NULL;
}

/* The first of the thread's that nothing is left out behind. */
static uint64_t first_recent(const struct trail *t, uint32_t thread)
{
	for (size_t i = t->recent; i < t->n; i++)
		if (t->steps[i]->thread == thread)
			return t->steps[i]->sap;
	return UINT64_MAX;
}

/* One that it has not taken in the trail it has had from before: of what is older nobody knows. */
static void give_up(struct maker *m, const struct rt_trail *step, uint32_t lock)
{
	struct hold *h = hold_of(m, step->thread, lock);
	uint64_t from = h ? h->from : m->t->recent ? first_recent(m->t, step->thread) : 0;
	*vec_push(&m->x.held) = (struct held_lock){step->thread, lock & INT32_MAX, false, from, step->sap};
	if (h)
		*h = m->holds.at[--m->holds.n];
}

/* A wait for a condition is a step on the mutex, which the thread has behind it. */
static bool is_about_lock(const char *what)
{
	if (strstr(what, "cond_") && strstr(what, "wait"))
		return true;
	return strstr(what, "lock") && !strstr(what, "rdlock") && !strstr(what, "try");
}

/* "pthread_mutex_lock" and its kin; readers do not count, nor do attempts, which may have failed. */
static void take_lock_step(struct maker *m, const struct rt_trail *step, struct event *e)
{
	if (step->kind || step->blocked || !step->place || !is_about_lock(step->what))
		return;
	uint32_t lock = lock_at(m, step->place);
	e->object = lock;
	e->kind = strstr(step->what, "unlock") ? EVENT_UNLOCK : EVENT_LOCK;
	if (e->kind == EVENT_UNLOCK)
		give_up(m, step, lock);
	else if (!hold_of(m, step->thread, lock))
		*vec_push(&m->holds) = (struct hold){step->thread, lock, step->sap};
}

static void make_event(struct maker *m, const struct rt_trail *step)
{
	struct event e = {.thread = step->thread, .kind = (uint8_t)kind_of(step), .sap = step->sap, .object = step->place,
			  .size = (uint8_t)(step->size < 8 ? step->size : 8), .site = step->site <= m->t->nsites ? step->site : 0};
	e.written = e.kind == EVENT_WRITE || e.kind == EVENT_UPDATE; /* something */
	take_lock_step(m, step, &e);
	if (!step->kind && (strstr(step->what, "_create") || strstr(step->what, "_join"))) {
		e.kind = strstr(step->what, "_create") ? EVENT_CREATE : EVENT_JOIN;
		e.object = UINT64_MAX; /* which thread is not known */
	}
	*vec_push(&m->l.steps) = (struct step){(uint32_t)m->x.events.n, false};
	*vec_push(&m->x.events) = e;
}

static void make_sites(struct maker *m)
{
	for (size_t i = 0; i < m->t->nsites; i++) {
		const struct site_line *l = &m->t->sites[i];
		struct site_info *s = vec_push(&m->x.sites);
		*s = (struct site_info){0};
		snprintf(s->where, sizeof s->where, "%s:%d", l->file, l->line);
		snprintf(s->function, sizeof s->function, "%s", l->function);
	}
}

void trail_execution(const struct trail *t, struct execution *x, struct linear *l)
{
	struct maker m = {.t = t};
	execution_init(&m.x);
	make_sites(&m);
	for (size_t i = 0; i < t->n; i++)
		make_event(&m, t->steps[i]);
	for (size_t i = 0; i < m.holds.n; i++)
		*vec_push(&m.x.held) = (struct held_lock){m.holds.at[i].thread, m.holds.at[i].lock & INT32_MAX, false, m.holds.at[i].from, UINT64_MAX};
	m.l.needed = m.l.steps.n;
	vec_free(&m.locks);
	vec_free(&m.holds);
	*x = m.x;
	*l = m.l;
}

const struct rt_block *trail_block(const struct rt_attempt *a, uint64_t place, uint64_t number)
{
	uint64_t oldest = a->nblocks < RT_BLOCKS ? 0 : a->nblocks - RT_BLOCKS;
	for (uint64_t i = a->nblocks; i-- > oldest;) {
		const struct rt_block *b = &a->blocks[i % RT_BLOCKS];
		if (place - b->start < b->size && b->trail <= number)
			return b;
	}
	return NULL;
}

/* Memory that was given out again is another place: nobody comes in between two accesses to different blocks. */
static void tell_blocks_apart(const struct trail *t, struct execution *x)
{
	enum { LARGEST = 24 }; /* bits; no block lies at an address below RT_BLOCKS times that */
	for (size_t i = 0; i < t->n && t->attempt; i++) {
		struct event *e = &x->events.at[i];
		const struct rt_block *b = told_accesses(e) ? trail_block(t->attempt, t->steps[i]->place, t->steps[i]->number) : NULL;
		if (b && b->size < UINT64_C(1) << LARGEST)
			e->object = (uint64_t)(b - t->attempt->blocks + 1) << LARGEST | (e->object - b->start);
	}
}

bool trail_between(const struct trail *t, struct between *b)
{
	struct execution x;
	struct linear l;
	trail_execution(t, &x, &l);
	tell_blocks_apart(t, &x);
	struct slice s = {.matters = (bool *)t->matters};
	bool found = between_find(b, &s, &x, &l, NULL);
	vec_free(&l.steps);
	execution_release(&x);
	return found;
}
