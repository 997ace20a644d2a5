#include "solve/simplify.h"

#include "model/check.h"
#include "solve/solver.h"

#include <stdlib.h>
#include <string.h>

/* Steps of one thread, one after another. */
struct run {
	uint32_t thread;
	size_t first, count;
};

struct simplifier {
	const struct simplify_request *request;
	struct linear *order;
	struct linear tried; /* has room for as many steps */
	vec(struct run) runs; /* of `order`, up to the failure */
	uint32_t splits;      /* of `order` */
	double end;
};

static uint32_t thread_of(const struct simplifier *s, const struct step *step)
{
	return s->request->x->events.at[step->event].thread;
}

static void find_runs(struct simplifier *s)
{
	s->runs.n = 0;
	for (size_t i = 0; i < s->order->needed; i++) {
		uint32_t thread = thread_of(s, &s->order->steps.at[i]);
		if (s->runs.n && s->runs.at[s->runs.n - 1].thread == thread)
			s->runs.at[s->runs.n - 1].count++;
		else
			*vec_push(&s->runs) = (struct run){thread, i, 1};
	}
}

static uint32_t switches_of(const struct execution *x, const struct linear *l)
{
	uint32_t n = 0;
	for (size_t i = 1; i < l->needed; i++)
		n += x->events.at[l->steps.at[i].event].thread != x->events.at[l->steps.at[i - 1].event].thread;
	return n;
}

static bool is_access(const struct event *e)
{
	return e->kind == EVENT_READ || e->kind == EVENT_WRITE;
}

/* Is the SAP that this event belongs to not over with it? */
static bool goes_on(const struct execution *x, uint32_t event)
{
	const struct event *e = &x->events.at[event];
	const struct execution_thread *t = &x->threads.at[e->thread];
	return event + 1 < t->first + t->count && e[1].sap == e->sap && is_access(e) && is_access(e + 1);
}

uint32_t simplify_splits(const struct execution *x, const struct linear *order)
{
	uint32_t n = 0;
	for (size_t i = 0; i + 1 < order->needed; i++) {
		uint32_t event = order->steps.at[i].event;
		n += x->events.at[event].thread != x->events.at[order->steps.at[i + 1].event].thread && goes_on(x, event);
	}
	return n;
}

/* The event that completes the step of a wait on a condition variable which begins with this one: it has the mutex again. */
static uint32_t lock_of_wait(const struct execution *x, uint32_t event)
{
	const struct event *e = &x->events.at[event];
	const struct execution_thread *t = &x->threads.at[e->thread];
	bool has = e->kind == EVENT_WAIT && event + 1 < t->first + t->count && e[1].sap == e->sap && e[1].kind == EVENT_LOCK;
	return has ? event + 1 : UINT32_MAX;
}

bool simplify_waits(const struct execution *x, enum memory_model model, struct linear *order)
{
	bool *needed = xcalloc(x->events.n + 1, sizeof *needed);
	vec(struct step) steps = {0};
	for (size_t i = 0; i < order->needed; i++)
		needed[order->steps.at[i].event] = true;
	for (size_t i = 0; i < order->steps.n; i++) {
		struct step step = order->steps.at[i];
		uint32_t lock = lock_of_wait(x, step.event);
		const struct event *e = &x->events.at[step.event];
		if (lock != UINT32_MAX && needed[lock] == needed[step.event])
			continue; /* it comes with its lock */
		if (e->kind == EVENT_LOCK && step.event && lock_of_wait(x, step.event - 1) == step.event &&
		    needed[step.event - 1] == needed[step.event])
			*vec_push(&steps) = (struct step){step.event - 1, false};
		*vec_push(&steps) = step;
	}
	bool changes = steps.n == order->steps.n && memcmp(steps.at, order->steps.at, steps.n * sizeof *steps.at);
	bool ok = changes && check_order(x, model, steps.at, steps.n, NULL, NULL);
	if (ok) {
		memcpy(order->steps.at, steps.at, steps.n * sizeof *steps.at);
		order->switches = switches_of(x, order);
	}
	free(needed);
	vec_free(&steps);
	return ok;
}

/* Takes what was tried, if it is better and right. */
static bool take(struct simplifier *s)
{
	const struct simplify_request *r = s->request;
	uint32_t splits = simplify_splits(r->x, &s->tried);
	s->tried.switches = switches_of(r->x, &s->tried);
	if (splits > s->splits || (splits == s->splits && s->tried.switches >= s->order->switches) ||
	    !check_order(r->x, r->model, s->tried.steps.at, s->tried.steps.n, NULL, NULL) ||
	    (r->accepts && !r->accepts(r->data, &s->tried)))
		return false;
	memcpy(s->order->steps.at, s->tried.steps.at, s->order->steps.n * sizeof *s->order->steps.at);
	s->order->switches = s->tried.switches;
	s->splits = splits;
	find_runs(s);
	return true;
}

/* The steps [a, b) and [b, c) change places. */
static bool try_exchange(struct simplifier *s, size_t a, size_t b, size_t c)
{
	const struct step *from = s->order->steps.at;
	struct step *to = s->tried.steps.at;
	memcpy(to, from, a * sizeof *to);
	memcpy(to + a, from + b, (c - b) * sizeof *to);
	memcpy(to + a + (c - b), from + a, (b - a) * sizeof *to);
	memcpy(to + c, from + c, (s->order->steps.n - c) * sizeof *to);
	return take(s);
}

/* Joins run i with the next one of its thread: it comes later, or that one earlier. */
static bool join_next(struct simplifier *s, size_t i)
{
	size_t k = i + 1;
	while (k < s->runs.n && s->runs.at[k].thread != s->runs.at[i].thread)
		k++;
	if (k == s->runs.n)
		return false;
	struct run a = s->runs.at[i], b = s->runs.at[k];
	bool is_last = b.first + b.count == s->order->needed; /* the failure stays where it is */
	return try_exchange(s, a.first, a.first + a.count, b.first) ||
	       (!is_last && try_exchange(s, a.first + a.count, b.first, b.first + b.count));
}

/* The SAP at whose middle run i ends: its events so far come later, or the rest of them earlier. */
static bool mend(struct simplifier *s, size_t i)
{
	const struct execution *x = s->request->x;
	const struct step *steps = s->order->steps.at;
	size_t a = s->runs.at[i].first + s->runs.at[i].count, b = a, first = a - 1, last;
	uint64_t sap = x->events.at[steps[first].event].sap;
	if (!goes_on(x, steps[first].event))
		return false;
	while (b < s->order->needed && thread_of(s, &steps[b]) != s->runs.at[i].thread)
		b++;
	while (first > s->runs.at[i].first && x->events.at[steps[first - 1].event].sap == sap)
		first--;
	for (last = b; last < s->order->needed && thread_of(s, &steps[last]) == s->runs.at[i].thread &&
		       x->events.at[steps[last].event].sap == sap;)
		last++;
	return b < s->order->needed && (try_exchange(s, first, a, b) || try_exchange(s, a, b, last));
}

static void mend_all(struct simplifier *s)
{
	for (size_t i = s->runs.n; i-- > 0 && s->splits && solver_clock() < s->end;)
		if (i < s->runs.n && mend(s, i))
			i = s->runs.n;
}

/* From the failure backwards: what is nearest to it is what a reader looks at first. */
static bool pass(struct simplifier *s)
{
	bool better = false;
	for (size_t i = s->runs.n; i-- > 0 && solver_clock() < s->end;)
		while (i < s->runs.n && join_next(s, i))
			better = true;
	return better;
}

void simplify(const struct simplify_request *r, struct linear *order)
{
	struct simplifier s = {.request = r, .order = order, .end = solver_clock() + r->seconds};
	s.tried = (struct linear){.needed = order->needed};
	s.tried.steps.at = xmalloc((order->steps.n + 1) * sizeof *s.tried.steps.at);
	s.tried.steps.n = order->steps.n;
	s.splits = simplify_splits(r->x, order);
	find_runs(&s);
	mend_all(&s);
	while (s.runs.n > 2 && solver_clock() < s.end && pass(&s))
		;
	free(s.tried.steps.at);
	vec_free(&s.runs);
}
