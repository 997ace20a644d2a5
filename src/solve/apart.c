#include "solve/apart.h"

#include "model/keep.h"
#include "model/parts.h"
#include "solve/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct solved {
	enum infer_result result;
	struct infer_state *state;
	struct error err;
	volatile bool stop;
};

struct apart {
	const struct memory *m;
	struct parts parts;
	struct solved *solved; /* by part */
	/* The call at hand: */
	const struct infer_options *options;
	double end;
	atomic_size_t next;    /* part that nobody has begun with */
};

/* One part that has no interleaving, or cannot be solved, decides. */
static void stop_all(struct apart *a)
{
	for (size_t i = 0; i < a->parts.n; i++)
		a->solved[i].stop = true;
}

static void solve_part(struct apart *a, size_t i)
{
	struct solved *s = &a->solved[i];
	struct infer_options o = *a->options;
	struct schedule schedule;
	o.seconds = a->end - solver_clock();
	o.fewest_seconds = 0;
	o.stop = &s->stop;
	if (s->result == INFER_FOUND)
		return; /* by an earlier call */
	if (o.seconds > 0 && !s->stop)
		s->result = infer_schedule(&a->parts.at[i].x, &o, &s->state, &schedule, NULL, &s->err);
	if (s->result == INFER_FOUND)
		schedule_release(&schedule);
	else
		stop_all(a);
}

static void *work(void *arg)
{
	struct apart *a = arg;
	for (size_t i; (i = atomic_fetch_add(&a->next, 1)) < a->parts.n;)
		solve_part(a, i);
	return NULL;
}

static void solve_all(struct apart *a)
{
	pthread_t threads[MOST_WORKERS];
	size_t n = workers_for(a->options->workers, a->parts.n), started = 0;
	while (started + 1 < n && !pthread_create(&threads[started], NULL, work, a))
		started++;
	work(a);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

static uint32_t whole_node(const struct memory *m, const struct memory *part, const uint32_t *event, uint32_t node)
{
	uint32_t e = event[part->event_of[node]];
	return node == part->event_of[node] ? e : m->visible[e];
}

static void add_edges(const struct memory *m, const struct part *p, const struct infer_state *s, struct chosen_edges *out)
{
	const struct problem *problem = infer_problem(s);
	uint32_t *place = linear_places(problem->m, infer_order(s));
	uint32_t *seen = xmalloc((problem->pieces.n + 1) * sizeof *seen);
	struct chosen_edges edges = {0};
	for (uint32_t i = 0; i < problem->pieces.n; i++)
		seen[i] = infer_writer(s, i);
	keep_orders(problem, place, seen, &edges);
	for (size_t i = 0; i < edges.n; i++)
		*vec_push(out) = (struct chosen_edge){.a = whole_node(m, problem->m, p->event, edges.at[i].a),
						      .b = whole_node(m, problem->m, p->event, edges.at[i].b)};
	vec_free(&edges);
	free(place);
	free(seen);
}

/* The worst of them. */
static enum infer_result judge(const struct apart *a, struct error *err)
{
	enum infer_result r = INFER_FOUND;
	for (size_t i = 0; i < a->parts.n; i++) {
		const struct solved *s = &a->solved[i];
		if (s->result == INFER_NONE)
			return INFER_NONE;
		if (s->result == INFER_ERROR)
			*err = s->err;
		if (s->result == INFER_ERROR || (s->result == INFER_BUDGET && r == INFER_FOUND))
			r = s->result;
	}
	return r;
}

struct apart *apart_new(const struct memory *m)
{
	struct apart *a = xcalloc(1, sizeof *a);
	a->m = m;
	if (!parts_init(&a->parts, m->x, &m->atoms)) {
		free(a);
		return NULL;
	}
	a->solved = xcalloc(a->parts.n, sizeof *a->solved);
	for (size_t i = 0; i < a->parts.n; i++)
		a->solved[i].result = INFER_BUDGET;
	return a;
}

void apart_free(struct apart *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->parts.n; i++)
		infer_free(a->solved[i].state);
	free(a->solved);
	parts_release(&a->parts);
	free(a);
}

size_t apart_parts(const struct apart *a)
{
	return a->parts.n;
}

enum infer_result apart_solve(struct apart *a, const struct infer_options *o, struct chosen_edges *edges, struct error *err)
{
	a->options = o;
	a->end = solver_clock() + o->seconds;
	a->next = 0;
	for (size_t i = 0; i < a->parts.n; i++)
		a->solved[i].stop = false;
	solve_all(a);
	enum infer_result r = judge(a, err);
	for (size_t i = 0; r == INFER_FOUND && i < a->parts.n; i++)
		add_edges(a->m, &a->parts.at[i], a->solved[i].state, edges);
	return r;
}
