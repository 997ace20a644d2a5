#include "infer/guided.h"

#include "model/check.h"
#include "solve/solver.h"

#include <stdlib.h>
#include <string.h>

/* Seconds for the executor, and for the interleaving: whoever waits for an answer has it already. */
#define LONGEST_RUNS 6.0
#define LONGEST_SOLVING 3.0

struct guided {
	struct work *w;
	struct explorer *e;
	struct explore_stats stats;
	struct execution x;
};

/* ---- the attempt's order ---- */

/* By the thread's number in the attempt: that in the log; UINT32_MAX: it is not there. */
static uint32_t log_number(const struct trace *t, const char *name)
{
	for (uint32_t i = 0; i < t->nthreads; i++)
		if (!strcmp(t->threads[i].name, name))
			return t->threads[i].info.number;
	return UINT32_MAX;
}

static bool guide(const struct guided *g, const struct rt_attempt *a, struct error *err)
{
	if (!a->nruns || a->nruns > RT_RUNS || a->nthreads > RT_ATTEMPT_THREADS)
		return fail(err, "it is not known who ran when");
	vec(struct guide_run) runs = {0};
	for (uint64_t i = 0; i < a->nruns; i++) {
		const struct rt_run *r = &a->runs[i];
		uint32_t thread = r->thread < RT_ATTEMPT_THREADS ? log_number(g->w->trace, a->names[r->thread]) : UINT32_MAX;
		if (thread != UINT32_MAX)
			*vec_push(&runs) = (struct guide_run){.thread = thread, .sap = r->sap};
	}
	bool ok = explorer_guide(g->e, runs.at, runs.n, err);
	vec_free(&runs);
	return ok;
}

/* ---- an interleaving ---- */

static bool write_told(struct guided *g, const struct linear *l, struct error *err)
{
	uint64_t *symbols = xcalloc(g->x.nsymbols + 1, sizeof *symbols);
	char *path = xasprintf("%s/" WORK_INTERLEAVING, g->w->dir), *part = xasprintf("%s.part", path);
	double spent = 0;
	const struct rests_source source = {g->e, &g->stats, &g->x, symbols, &spent};
	bool ok = check_order(&g->x, MEMORY_SC, l->steps.at, l->steps.n, symbols, err) &&
		  result_write_interleaving(MEMORY_SC, l, symbols, &source, part, err) && (!rename(part, path) || fail(err, "cannot write %s", path));
	free(part);
	free(path);
	free(symbols);
	return ok;
}

/* One with few context switches, which has to replay as well. */
static bool tell_inferred(struct guided *g, struct error *err)
{
	struct infer_options options = infer_defaults();
	struct infer_state *state = NULL;
	struct schedule schedule;
	options.seconds = LONGEST_SOLVING;
	options.use_time = !g->w->request->no_time;
	options.time_margin = g->w->trace->header.time_margin;
	options.workers = g->w->request->workers;
	options.brief = true;
	options.doubted = g->stats.assumptions;
	bool ok = infer_schedule(&g->x, &options, &state, &schedule, NULL, err) == INFER_FOUND;
	if (ok) {
		unsigned unreliable = g->w->unreliable;
		struct proof last = g->w->last;
		char *interleaving = NULL;
		work_name_module(g->w, &schedule);
		ok = work_replays(g->w, &schedule, 10, err) == REPLAYS && write_told(g, infer_order(state), err) && work_keep(g->w, &schedule, &interleaving, err);
		g->w->figures.infer.waits = ok ? schedule.waits.n : g->w->figures.infer.waits;
		g->w->unreliable = unreliable;
		g->w->last = ok ? g->w->last : last;
		free(interleaving);
		schedule_release(&schedule);
	}
	if (state)
		infer_free(state);
	return ok;
}

/* By event: when the executor ran it; what it has no time of comes right behind its thread's event before it. A thread begins right behind where it was created. */
static uint32_t *times_run(const struct execution *x)
{
	uint32_t *when = xcalloc(x->events.n + 1, sizeof *when), *began = xcalloc(x->threads.n + 1, sizeof *began);
	for (size_t i = 0; i < x->events.n; i++)
		if (x->events.at[i].kind == EVENT_CREATE && x->events.at[i].object < x->threads.n)
			began[x->events.at[i].object] = x->events.at[i].run;
	for (size_t i = 0; i < x->threads.n; i++)
		for (uint32_t k = 0, last = 0; k < x->threads.at[i].count; k++) {
			uint32_t e = x->threads.at[i].first + k, run = k ? x->events.at[e].run : began[i];
			when[e] = last = run > last ? run : last;
		}
	free(began);
	return when;
}

struct ran {
	uint32_t when, event;
};

static int by_time(const void *p, const void *q)
{
	const struct ran *a = p, *b = q;
	return a->when != b->when ? a->when < b->when ? -1 : 1 : a->event < b->event ? -1 : a->event > b->event;
}

static void put_as_run(const struct execution *x, struct linear *l)
{
	uint32_t *when = times_run(x), last = UINT32_MAX;
	struct ran *all = xmalloc((x->events.n + 1) * sizeof *all);
	for (uint32_t i = 0; i < x->events.n; i++)
		all[i] = (struct ran){when[i], i};
	qsort(all, x->events.n, sizeof *all, by_time);
	for (size_t i = 0; i < x->events.n; i++) {
		const struct event *e = &x->events.at[all[i].event];
		*vec_push(&l->steps) = (struct step){all[i].event, false};
		if (e->flags & EVENT_FAILS)
			l->needed = i + 1;
		l->switches += last != UINT32_MAX && last != e->thread;
		last = e->thread;
	}
	free(all);
	free(when);
}

/* The attempt's own. */
static bool tell_as_run(struct guided *g, struct error *err)
{
	struct linear l = {0};
	put_as_run(&g->x, &l);
	bool ok = (l.needed || fail(err, "the failure did not come")) && write_told(g, &l, err);
	vec_free(&l.steps);
	return ok;
}

bool guided_tell(struct work *w, const struct rt_attempt *a)
{
	struct error err = {0};
	struct guided g = {.w = w};
	double left = work_left(w);
	g.e = explorer_new(w->trace, w->twin, w->dir, &err);
	bool ran = g.e && guide(&g, a, &err) && explorer_run(g.e, left < LONGEST_RUNS ? left : LONGEST_RUNS, &g.x, &g.stats, &err) == EXPLORE_DONE;
	bool ok = ran && (explore_on_path(&g.stats) ||
			  fail(&err, "%s", g.stats.mismatches ? g.stats.first_mismatch : g.stats.faults ? g.stats.first_fault : "the failure did not come"));
	ok = ok && (tell_inferred(&g, &err) || tell_as_run(&g, &err));
	if (!ok && w->request->verbose)
		warn("the attempt is not executed symbolically: %s", err.text);
	if (ran)
		execution_release(&g.x);
	if (g.e)
		explorer_free(g.e);
	return ok;
}
