#include "solve/guess.h"

#include <stdlib.h>
#include <string.h>

struct guessed {
	double time;
	uint32_t place, node;
};

static int by_guess(const void *p, const void *q)
{
	const struct guessed *a = p, *b = q;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

bool guess_has_time(const struct execution *x)
{
	for (size_t e = 0; e < x->events.n; e++)
		if (x->events.at[e].after)
			return true;
	return false;
}

/* Events between the same two stamps are spread evenly; what is later in its thread is not earlier in time. */
static void estimate(const struct execution *x, const struct execution_thread *t, uint64_t first, double *time)
{
	double latest = 0;
	for (uint32_t e = t->first, end; e < t->first + t->count; e = end) {
		const struct event *v = &x->events.at[e];
		for (end = e; end < t->first + t->count && x->events.at[end].after == v->after &&
			      x->events.at[end].before == v->before;
		     end++)
			;
		double from = v->after ? (double)(v->after - first) : latest;
		double to = v->before > v->after ? (double)(v->before - first) : from;
		for (uint32_t k = e; k < end; k++) {
			double at = from + (to - from) * (k - e + 1) / (end - e + 1);
			latest = time[k] = at > latest ? at : latest;
		}
	}
}

/* The nodes by the time of their event; what is of the same time stays in an order that is possible. */
static uint32_t *places_by(const struct memory *m, const double *time, struct error *err)
{
	struct linear l;
	if (!linear_init(&l, m, NULL, 0, NULL, err))
		return NULL;
	struct guessed *g = xmalloc((l.steps.n + 1) * sizeof *g);
	for (uint32_t i = 0; i < l.steps.n; i++) {
		uint32_t e = l.steps.at[i].event;
		g[i] = (struct guessed){time[e], i, l.steps.at[i].visible ? m->visible[e] : e};
	}
	qsort(g, l.steps.n, sizeof *g, by_guess);
	uint32_t *place = xcalloc(m->nnodes + 1, sizeof *place);
	for (uint32_t i = 0; i < l.steps.n; i++)
		place[g[i].node] = i;
	free(g);
	linear_release(&l);
	return place;
}

uint32_t *guess_places(const struct memory *m, struct error *err)
{
	const struct execution *x = m->x;
	uint64_t first = UINT64_MAX;
	for (size_t e = 0; e < x->events.n; e++)
		if (x->events.at[e].after && x->events.at[e].after < first)
			first = x->events.at[e].after;
	double *time = xcalloc(x->events.n + 1, sizeof *time);
	for (size_t t = 0; first != UINT64_MAX && t < x->threads.n; t++)
		estimate(x, &x->threads.at[t], first, time);
	uint32_t *place = places_by(m, time, err);
	free(time);
	return place;
}

uint32_t *guess_places_as_run(const struct memory *m, struct error *err)
{
	const struct execution *x = m->x;
	double *time = xcalloc(x->events.n + 1, sizeof *time), latest = 0;
	uint32_t thread = UINT32_MAX;
	for (size_t e = 0; e < x->events.n; e++) { /* events that were added late have no number of their own */
		const struct event *v = &x->events.at[e];
		latest = v->thread != thread || v->run > latest ? v->run : latest;
		thread = v->thread;
		time[e] = latest;
	}
	uint32_t *place = places_by(m, time, err);
	free(time);
	return place;
}
