#include "search/recent.h"

#include "infer/lost.h"
#include "infer/outdated.h"
#include "infer/table.h"
#include "infer/through.h"

#include <stdlib.h>
#include <string.h>

struct order {
	struct told told;
	struct slice slice;
	uint64_t *values; /* of all expressions */
	size_t *place_of; /* by event: its step */
	size_t from;      /* the first step's place in the trail */
};

/* ---- values ---- */

/* By place: what was found or left there last, and of how many bytes; 0: not known. */
enum { VALUE, SIZE };

/* Numbers that nothing else is. */
static uint64_t unknown(size_t i)
{
	return UINT64_C(0xa5c3) << 48 | i;
}

static bool is_known(const struct rt_trail *step)
{
	return step->size && step->size <= sizeof step->value;
}

static void give_value(struct execution *x, struct event *e, const struct rt_trail *step, size_t i, struct table *memory)
{
	size_t *was = table_at(memory, step->place);
	unsigned width = e->size * 8u;
	expr after = expr_const(x->exprs, width, is_known(step) ? step->value : unknown(i)), before;
	before = was[SIZE] == step->size && is_known(step) ? expr_const(x->exprs, width, was[VALUE]) : expr_const(x->exprs, width, unknown(i));
	e->read = e->kind == EVENT_READ ? after : e->kind == EVENT_UPDATE ? before : EXPR_NONE;
	/* An exchange that found something else than it expected writes nothing. */
	e->written = e->kind == EVENT_WRITE || (e->kind == EVENT_UPDATE && before != after) ? after : EXPR_NONE;
	was[VALUE] = is_known(step) ? step->value : 0;
	was[SIZE] = is_known(step) ? step->size : 0;
}

static void give_values(struct execution *x, const struct rt_trail *const *steps)
{
	struct table memory = {0};
	for (size_t i = 0; i < x->events.n; i++)
		if (told_accesses(&x->events.at[i]))
			give_value(x, &x->events.at[i], steps[i], i, &memory);
	table_release(&memory);
}

/* ---- threads ---- */

/* The events of each thread stand together in an execution. */
static void group_by_thread(struct order *o)
{
	struct execution *x = &o->told.x;
	__typeof__(x->events) all = {0};
	uint32_t most = 0;
	for (size_t i = 0; i < x->events.n; i++)
		most = x->events.at[i].thread >= most ? x->events.at[i].thread + 1 : most;
	o->place_of = xcalloc(x->events.n + 1, sizeof *o->place_of);
	for (uint32_t t = 0; t < most; t++) {
		struct execution_thread *thread = vec_push(&x->threads);
		*thread = (struct execution_thread){.log_number = t, .first = (uint32_t)all.n};
		for (size_t i = 0; i < x->events.n; i++)
			if (x->events.at[i].thread == t) {
				o->told.l.steps.at[i].event = (uint32_t)all.n;
				o->place_of[all.n] = i;
				*vec_push(&all) = x->events.at[i];
			}
		thread->count = (uint32_t)all.n - thread->first;
	}
	vec_free(&x->events);
	x->events.at = all.at;
	x->events.n = all.n;
	x->events.cap = all.cap;
}

/* ---- what was seen ---- */

/* Calls write memory as well, and are not in the trail: where a read found something else than the last write left, who wrote that is not known. */
static void forget_unlikely(struct order *o)
{
	for (size_t i = 0; i < o->told.l.steps.n; i++) {
		const struct event *r = told_event(&o->told, i);
		size_t saw = o->slice.saw[i];
		if (r->kind != EVENT_READ || saw == SLICE_NONE)
			continue;
		const struct event *w = told_event(&o->told, saw);
		if (w->object == r->object && w->size == r->size && o->values[w->written] != o->values[r->read])
			o->slice.saw[i] = SLICE_NONE;
	}
}

static void init(struct order *o, const struct trail *t, const struct place_name *names, size_t nnames, const uint64_t *asked, size_t nasked)
{
	struct trail recent = {t->steps + t->recent, t->n - t->recent, 0, t->matters + t->recent, t->sites, t->nsites, t->attempt};
	*o = (struct order){.from = t->recent};
	trail_execution(&recent, &o->told.x, &o->told.l);
	give_values(&o->told.x, recent.steps);
	group_by_thread(o);
	for (size_t i = 0; i < nnames; i++)
		*vec_push(&o->told.x.names) = names[i];
	o->values = xcalloc(expr_count(o->told.x.exprs) + 1, sizeof *o->values);
	expr_eval_all(o->told.x.exprs, (uint64_t[]){0}, o->values);
	slice_init(&o->slice, &o->told.x, &o->told.l);
	forget_unlikely(o);
	for (size_t i = 0; i < nasked; i++)
		if (asked[i] >= t->recent)
			*vec_push(&o->slice.asked) = asked[i] - t->recent;
	o->slice.last_reads = o->slice.asked.n;
	memcpy(o->slice.matters, recent.matters, recent.n * sizeof *recent.matters);
}

static void release(struct order *o)
{
	slice_release(&o->slice);
	vec_free(&o->told.l.steps);
	execution_release(&o->told.x);
	free(o->values);
	free(o->place_of);
}

/* ---- all of it ---- */

/* As finds.c has it. */
static void find(struct recent *r, struct order *o, bool between)
{
	struct stale other;
	r->came_again = again_find(&r->again, &o->told, o->values);
	bool certain = r->came_again;
	r->was_stale = !certain && stale_find(&r->stale, &o->slice, &o->told, o->values);
	certain |= r->was_stale && r->stale.certain;
	if (!certain && (lost_find(&other, &o->slice, &o->told, o->values) || through_find(&other, &o->slice, &o->told, o->values) ||
			 outdated_find_copy(&other, &o->slice, &o->told, o->values, true))) {
		r->stale = other;
		r->was_stale = certain = true;
	}
	r->was_passed = !certain && passed_find(&r->passed, &o->slice, &o->told, o->values);
	certain |= r->was_passed && r->passed.by_value;
	r->was_stale &= (certain && !r->was_passed) || (!certain && !between);
	r->was_undone = !certain && !between && !r->was_stale && undone_find(&r->undone, &o->slice, &o->told, o->values);
	r->too_early = !certain && !between && !r->was_stale && !r->was_undone && published_find_behind(&r->published, &o->slice, &o->told, o->values);
	r->was_passed &= certain || (!between && !r->was_stale && !r->was_undone && !r->too_early);
	if (!certain && !between && !r->was_stale && !r->was_undone && !r->too_early && !r->was_passed)
		r->was_stale = outdated_find_copy(&r->stale, &o->slice, &o->told, o->values, false) || outdated_find_pair(&r->stale, &o->slice, &o->told, o->values);
}

static void count_from(size_t *step, size_t from)
{
	*step += *step == SLICE_NONE ? 0 : from;
}

static void place_event(uint32_t *event, const struct order *o)
{
	*event = *event == UINT32_MAX ? UINT32_MAX : (uint32_t)(o->place_of[*event] + o->from);
}

bool recent_find(struct recent *r, const struct trail *t, const struct place_name *names, size_t nnames, const uint64_t *asked, size_t nasked, bool between)
{
	struct order o;
	*r = (struct recent){0};
	init(&o, t, names, nnames, asked, nasked);
	find(r, &o, between);
	size_t *const steps[] = {&r->again.read, &r->again.behind, &r->again.away, &r->again.back, &r->again.changed, &r->again.swapped,
				 &r->stale.first, &r->stale.other, &r->stale.second, &r->stale.also, &r->stale.before, &r->stale.found,
				 &r->undone.first, &r->undone.other, &r->undone.seen, &r->undone.second,
				 &r->passed.first, &r->passed.then, &r->passed.other, &r->passed.second,
				 &r->published.shown, &r->published.seen, &r->published.read, &r->published.filled, &r->published.led};
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		count_from(steps[i], o.from);
	if (r->was_stale)
		place_event(&r->stale.given_up, &o);
	if (r->was_undone)
		place_event(&r->undone.given_up, &o);
	if (r->was_passed)
		place_event(&r->passed.given_up, &o);
	if (r->too_early)
		place_event(&r->published.given_up, &o);
	release(&o);
	return r->came_again || r->was_stale || r->was_undone || r->was_passed || r->too_early;
}

bool recent_spins(struct spin *out, const struct trail *t, uint32_t thread)
{
	struct trail all = *t;
	struct order o;
	all.recent = 0;
	init(&o, &all, NULL, 0, NULL, 0);
	bool found = spins_find(out, &o.told, o.values, thread);
	release(&o);
	return found;
}
