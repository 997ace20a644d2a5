/* Where threads stop or fail, and what their calls return (schedule_internal.h). */
#include "model/schedule_internal.h"

#include <stdlib.h>
#include <string.h>

static struct schedule_point point(const struct builder *b, const struct execution_thread *t, uint64_t sap)
{
	struct schedule_point p = {.sap = execution_replayed_sap(b->x, (uint32_t)(t - b->x->threads.at), sap)};
	memcpy(p.thread, t->name, sizeof p.thread);
	return p;
}

/* Is somebody known to come after the end of this thread: does it return in this run? */
static bool is_awaited(const struct builder *b, uint32_t end)
{
	for (size_t i = 0; i < b->x->orders.n; i++)
		if (b->x->orders.at[i].a == end)
			return true;
	return false;
}

/* Is a later piece of its access or call part of the order? */
static bool goes_on(const struct builder *b, uint32_t e, uint32_t end)
{
	for (uint32_t k = e + 1; k < end && events_are_pieces(event_at(b, e), event_at(b, k)); k++)
		if (b->place[k] != SIZE_MAX)
			return true;
	return false;
}

/* Is the last that the thread did a look at memory, and no step that does not come back? */
static bool polls(const struct builder *b, const struct execution_thread *t)
{
	uint32_t end = t->first + t->count - 1;
	return t->count > 1 && event_reads(event_at(b, end - 1)) && event_at(b, end - 1)->sap == event_at(b, end)->sap;
}

/* Those of a run that hangs. */
static bool several_fail(const struct execution *x)
{
	size_t n = 0;
	for (size_t i = 0; i < x->threads.n; i++) {
		const struct execution_thread *t = &x->threads.at[i];
		n += t->count && x->events.at[t->first + t->count - 1].flags & EVENT_FAILS;
	}
	return n > 1;
}

void schedule_stop_thread(struct builder *b, const struct execution_thread *t)
{
	uint32_t e = t->first, end = t->first + t->count;
	if (!t->count)
		return;
	while (e < end && (b->place[e] != SIZE_MAX || event_at(b, e)->kind == EVENT_START))
		e++;
	if (e == end) {
		if (event_at(b, end - 1)->flags & EVENT_FAILS) {
			uint64_t sap = event_at(b, end - 1)->sap;
			*vec_push(&b->s->fails) = point(b, t, sap ? sap : 1); /* 0: it did nothing but fail */
			/* It must not look again while others are on their way: it may find what it never found. */
			if (polls(b, t) && several_fail(b->x))
				*vec_push(&b->s->stops) = point(b, t, event_at(b, end - 1)->sap + 1);
		} else if (!is_awaited(b, end - 1)) {
			*vec_push(&b->s->stops) = point(b, t, event_at(b, end - 1)->sap + 1);
		}
		return;
	}
	uint64_t sap = event_at(b, e)->sap;
	bool inside = sap && ((e > t->first && event_at(b, e - 1)->sap == sap) || goes_on(b, e, end));
	/* Woken, but without the mutex: it need not be woken, and must not take what others are yet to take. */
	bool waits = inside && event_at(b, e)->kind == EVENT_LOCK && event_at(b, e - 1)->kind == EVENT_WAIT;
	bool entered = event_at(b, e)->kind == EVENT_END || (inside && !waits);
	*vec_push(&b->s->stops) = point(b, t, entered ? sap + 1 : sap ? sap : 1);
}

/* The SAP before which each thread is stopped. */
static uint64_t *stopped_at(const struct builder *b)
{
	uint64_t *at = xmalloc(b->nthreads * sizeof *at);
	for (uint32_t t = 0; t < b->nthreads; t++) {
		at[t] = UINT64_MAX;
		for (size_t i = 0; i < b->s->stops.n; i++)
			if (!strcmp(b->s->stops.at[i].thread, b->x->threads.at[t].name))
				at[t] = b->s->stops.at[i].sap;
	}
	return at;
}

void schedule_force_results(struct builder *b)
{
	uint64_t *stopped = stopped_at(b);
	for (size_t i = 0; i < b->x->results.n; i++) {
		const struct forced_result *r = &b->x->results.at[i];
		struct schedule_point p = point(b, &b->x->threads.at[r->thread], r->sap);
		p.result = r->result;
		p.when = r->when;
		if (r->kind == FORCED_SIGNAL)
			*vec_push(&b->s->signals) = p;
		else if (r->kind == FORCED_RESULT)
			*vec_push(&b->s->results) = p;
		else if (r->kind == FORCED_DISORDER)
			*vec_push(&b->s->disorders) = p;
		else if (p.sap < stopped[r->thread] && r->kind == FORCED_LEFT)
			*vec_push(&b->s->lefts) = p;
		else if (p.sap < stopped[r->thread]) /* there may be very many */
			*vec_push(&b->s->places) = p;
	}
	free(stopped);
}
