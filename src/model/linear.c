#include "model/linear.h"

#include <stdlib.h>
#include <string.h>

/* How far a thread is followed to find out how long it could run. */
enum { LOOKAHEAD = 1024 };

/*
 * All edges, chains included, by source (out) and by target (in). missing: sources not done yet. A node is
 * ready when none is missing; ready nodes wait in their thread's list.
 */
struct scheduler {
	const struct memory *m;
	uint32_t *out, *out_start, *in, *in_start;
	uint32_t *missing;
	bool *needed;
	vec(uint32_t) *ready; /* by thread */
	vec(uint32_t) later;  /* ready, but not needed for the failure */
	vec(uint32_t) undo;
	bool needed_only;
	bool backwards; /* the graph is turned around */
	const struct linear_plan *plan;
	uint32_t now; /* run of the plan */
};

static uint32_t thread_of(const struct memory *m, uint32_t node)
{
	return m->x->events.at[m->event_of[node]].thread;
}

static struct edge *all_edges(const struct memory *m, size_t nknown, const struct chosen_edge *chosen,
			      size_t nchosen, size_t *count)
{
	vec(struct edge) all = {0};
	uint32_t *last = xmalloc(m->nchains * sizeof *last);
	memset(last, 0xff, m->nchains * sizeof *last);
	for (uint32_t n = 0; n < m->nnodes; n++) {
		if (last[m->chain[n]] != UINT32_MAX)
			*vec_push(&all) = (struct edge){last[m->chain[n]], n};
		last[m->chain[n]] = n;
	}
	for (size_t i = 0; i < nknown; i++)
		*vec_push(&all) = m->edges.at[i];
	for (size_t i = 0; i < nchosen; i++)
		*vec_push(&all) = (struct edge){chosen[i].a, chosen[i].b};
	free(last);
	*count = all.n;
	return all.at;
}

static void by_end(const struct edge *edges, size_t n, bool by_target, uint32_t nnodes, uint32_t **start,
		   uint32_t **list)
{
	uint32_t *s = xcalloc((size_t)nnodes + 1, sizeof *s), *l = xmalloc(n * sizeof *l);
	for (size_t i = 0; i < n; i++)
		s[(by_target ? edges[i].b : edges[i].a) + 1]++;
	for (uint32_t k = 0; k < nnodes; k++)
		s[k + 1] += s[k];
	for (size_t i = 0; i < n; i++)
		l[s[by_target ? edges[i].b : edges[i].a]++] = by_target ? edges[i].a : edges[i].b;
	memmove(s + 1, s, nnodes * sizeof *s);
	s[0] = 0;
	*start = s;
	*list = l;
}

typedef vec(uint32_t) nodes;

static void need_write(const struct scheduler *s, uint32_t event, nodes *stack)
{
	if (!event_writes(&s->m->x->events.at[event]))
		return;
	*vec_push(stack) = event;
	*vec_push(stack) = s->m->visible[event];
}

/*
 * A replay makes a call as a whole: with one piece of it come all, also those that the failure does not depend on (the second word that free
 * leaves). What they write must be right, too.
 */
static void need_pieces(const struct scheduler *s, uint32_t node, nodes *stack)
{
	const struct execution *x = s->m->x;
	if (node >= x->events.n)
		return;
	if (node && events_are_pieces(&x->events.at[node - 1], &x->events.at[node]))
		need_write(s, node - 1, stack);
	if (node + 1 < x->events.n && events_are_pieces(&x->events.at[node], &x->events.at[node + 1]))
		need_write(s, node + 1, stack);
}

/* Marks everything ordered before the end of a failing thread; all when there is no such end. */
static void find_needed(struct scheduler *s)
{
	const struct execution *x = s->m->x;
	nodes stack = {0};
	for (uint32_t e = 0; e < x->events.n; e++)
		if (x->events.at[e].flags & EVENT_FAILS)
			*vec_push(&stack) = e;
	s->needed_only = stack.n != 0;
	while (stack.n) {
		uint32_t n = stack.at[--stack.n];
		if (s->needed[n])
			continue;
		s->needed[n] = true;
		need_pieces(s, n, &stack);
		for (uint32_t i = s->in_start[n]; i < s->in_start[n + 1]; i++)
			*vec_push(&stack) = s->in[i];
	}
	vec_free(&stack);
}

static void make_ready(struct scheduler *s, uint32_t node)
{
	if (s->needed_only && !s->needed[node])
		*vec_push(&s->later) = node;
	else
		*vec_push(&s->ready[thread_of(s->m, node)]) = node;
}

/* Does the plan keep this node for a later run? */
static bool is_held(const struct scheduler *s, uint32_t node)
{
	return s->plan && s->plan->run[node] != UINT32_MAX && s->plan->run[node] > s->now;
}

/*
 * The ready node of a thread to run next: writes become visible as soon as they may; or UINT32_MAX.
 */
static uint32_t take_ready(struct scheduler *s, uint32_t thread)
{
	size_t best = SIZE_MAX, n = s->ready[thread].n;
	uint32_t *at = s->ready[thread].at, nevents = (uint32_t)s->m->x->events.n;
	for (size_t i = 0; i < n; i++) {
		if (is_held(s, at[i]))
			continue;
		if (best == SIZE_MAX) {
			best = i;
			continue;
		}
		bool visible = at[i] >= nevents, best_visible = at[best] >= nevents;
		bool first = visible != best_visible ? visible : at[i] < at[best];
		if (first != s->backwards)
			best = i;
	}
	if (best == SIZE_MAX)
		return UINT32_MAX;
	uint32_t node = at[best];
	at[best] = at[n - 1];
	s->ready[thread].n--;
	return node;
}

static void finish(struct scheduler *s, uint32_t node)
{
	for (uint32_t i = s->out_start[node]; i < s->out_start[node + 1]; i++)
		if (--s->missing[s->out[i]] == 0)
			make_ready(s, s->out[i]);
}

/* How many steps the thread could run now, up to LOOKAHEAD: tried out, and taken back. */
static uint32_t run_length(struct scheduler *s, uint32_t thread)
{
	size_t first = 0;
	uint32_t length = 0;
	s->undo.n = 0;
	for (size_t i = 0; i < s->ready[thread].n; i++)
		*vec_push(&s->undo) = s->ready[thread].at[i];
	for (; first < s->undo.n && length < LOOKAHEAD; first++, length++) {
		uint32_t node = s->undo.at[first];
		for (uint32_t i = s->out_start[node]; i < s->out_start[node + 1]; i++) {
			uint32_t to = s->out[i];
			if (--s->missing[to] == 0 && thread_of(s->m, to) == thread &&
			    (!s->needed_only || s->needed[to]))
				*vec_push(&s->undo) = to;
		}
	}
	for (size_t k = 0; k < first; k++) {
		uint32_t node = s->undo.at[k];
		for (uint32_t i = s->out_start[node]; i < s->out_start[node + 1]; i++)
			s->missing[s->out[i]]++;
	}
	return length;
}

/* The thread that can run longest, or UINT32_MAX when none can. */
static uint32_t choose_thread(struct scheduler *s)
{
	uint32_t best = UINT32_MAX, best_length = 0, others = 0;
	for (uint32_t t = 0; t < s->m->x->threads.n; t++)
		if (s->ready[t].n) {
			best = t;
			others++;
		}
	if (others < 2)
		return best;
	for (uint32_t t = 0; t < s->m->x->threads.n; t++) {
		uint32_t length = s->ready[t].n ? run_length(s, t) : 0;
		if (length > best_length) {
			best = t;
			best_length = length;
		}
	}
	return best;
}

static void emit(struct linear *l, const struct memory *m, uint32_t node)
{
	uint32_t e = m->event_of[node];
	*vec_push(&l->steps) = (struct step){e, node != e};
	/* A write that nobody else looks at is visible at once. */
	if (m->model != MEMORY_SC && m->visible[e] == e && m->x->events.at[e].kind == EVENT_WRITE)
		*vec_push(&l->steps) = (struct step){e, true};
}

/* The same thread while it can; else another, which counts as a change; UINT32_MAX: nobody can. */
static uint32_t thread_that_goes_on(struct scheduler *s, uint32_t thread, uint32_t *switches)
{
	if (thread != UINT32_MAX && s->ready[thread].n)
		return thread;
	uint32_t next = choose_thread(s);
	*switches += next != UINT32_MAX && thread != UINT32_MAX;
	return next;
}

/* Runs until nothing is ready; returns the number of changes of thread. */
static uint32_t run(struct scheduler *s, struct linear *l)
{
	uint32_t thread = UINT32_MAX, switches = 0;
	for (;;) {
		thread = thread_that_goes_on(s, thread, &switches);
		if (thread == UINT32_MAX)
			return switches;
		uint32_t node = take_ready(s, thread);
		emit(l, s->m, node);
		finish(s, node);
	}
}

/* The runs of the plan, one after another; returns the number of changes of thread. */
static uint32_t run_plan(struct scheduler *s, struct linear *l)
{
	uint32_t thread = UINT32_MAX, switches = 0;
	for (s->now = 0; s->now < s->plan->nruns; s->now++) {
		uint32_t next = s->plan->thread[s->now], node;
		if (next == UINT32_MAX)
			continue;
		while ((node = take_ready(s, next)) != UINT32_MAX) {
			switches += thread != UINT32_MAX && thread != next;
			thread = next;
			emit(l, s->m, node);
			finish(s, node);
		}
	}
	s->plan = NULL;
	return switches;
}

static uint32_t steps_wanted(const struct memory *m)
{
	uint32_t n = m->nnodes;
	for (uint32_t e = 0; e < m->x->events.n; e++)
		n += m->model != MEMORY_SC && m->visible[e] == e &&
		     m->x->events.at[e].kind == EVENT_WRITE;
	return n;
}

static void scheduler_init(struct scheduler *s, const struct memory *m, size_t nknown,
			   const struct chosen_edge *chosen, size_t nchosen)
{
	size_t n;
	struct edge *edges = all_edges(m, nknown, chosen, nchosen, &n);
	*s = (struct scheduler){.m = m};
	by_end(edges, n, false, m->nnodes, &s->out_start, &s->out);
	by_end(edges, n, true, m->nnodes, &s->in_start, &s->in);
	s->missing = xcalloc(m->nnodes, sizeof *s->missing);
	for (size_t i = 0; i < n; i++)
		s->missing[edges[i].b]++;
	free(edges);
	s->needed = xcalloc(m->nnodes, sizeof *s->needed);
	s->ready = xcalloc(m->x->threads.n, sizeof *s->ready);
	find_needed(s);
	for (uint32_t node = m->nnodes; node-- > 0;)
		if (!s->missing[node])
			make_ready(s, node);
}

static void scheduler_release(struct scheduler *s)
{
	free(s->out);
	free(s->out_start);
	free(s->in);
	free(s->in_start);
	free(s->missing);
	free(s->needed);
	for (size_t t = 0; t < s->m->x->threads.n; t++)
		vec_free(&s->ready[t]);
	free(s->ready);
	vec_free(&s->later);
	vec_free(&s->undo);
}

/* What the failure does not need comes last; then all must be there. */
static bool scheduler_finish(struct scheduler *s, struct linear *l, struct error *err)
{
	l->needed = l->steps.n;
	s->needed_only = false;
	for (size_t i = 0; i < s->later.n; i++)
		make_ready(s, s->later.at[i]);
	run(s, l);
	scheduler_release(s);
	if (l->steps.n == steps_wanted(s->m))
		return true;
	linear_release(l);
	return fail(err, "the chosen order contradicts itself: this is a defect of the solver part");
}

bool linear_init(struct linear *l, const struct memory *m, const struct chosen_edge *chosen, size_t nchosen,
		 const struct linear_plan *plan, struct error *err)
{
	struct scheduler s;
	scheduler_init(&s, m, m->edges.n, chosen, nchosen);
	*l = (struct linear){0};
	s.plan = plan;
	l->switches = plan ? run_plan(&s, l) : 0;
	l->switches += run(&s, l);
	return scheduler_finish(&s, l, err);
}

/* -------------------------------------------------- backwards ---------------------------- */

/*
 * The needed nodes from the failure backwards: the same greedy choice, on the reversed graph. `order` gets them in
 * the order in which they are to run; returns the number of changes of thread.
 */
static uint32_t run_backwards(struct scheduler *s, uint32_t *order, uint32_t count)
{
	uint32_t thread = UINT32_MAX, switches = 0;
	while (count) {
		thread = thread_that_goes_on(s, thread, &switches);
		if (thread == UINT32_MAX)
			return UINT32_MAX;
		uint32_t node = take_ready(s, thread);
		order[--count] = node;
		finish(s, node);
	}
	return switches;
}

/* Turns the graph around, among needed nodes only. */
static uint32_t reverse(struct scheduler *s)
{
	uint32_t *out = s->out, *out_start = s->out_start, count = 0;
	s->out = s->in;
	s->out_start = s->in_start;
	s->in = out;
	s->in_start = out_start;
	s->backwards = true;
	for (size_t t = 0; t < s->m->x->threads.n; t++)
		s->ready[t].n = 0;
	s->later.n = 0;
	for (uint32_t n = 0; n < s->m->nnodes; n++) {
		s->missing[n] = 0;
		if (s->needed_only && !s->needed[n])
			continue;
		count++;
		for (uint32_t i = s->in_start[n]; i < s->in_start[n + 1]; i++)
			s->missing[n] += !s->needed_only || s->needed[s->in[i]];
	}
	for (uint32_t n = 0; n < s->m->nnodes; n++)
		if (!s->missing[n] && (!s->needed_only || s->needed[n]))
			make_ready(s, n);
	return count;
}

/* Runs the nodes of `order`, and makes ready what is then left. */
static void run_order(struct scheduler *s, struct linear *l, const uint32_t *order, uint32_t count)
{
	bool *done = xcalloc(s->m->nnodes + 1, sizeof *done);
	for (uint32_t i = 0; i < count; i++) {
		emit(l, s->m, order[i]);
		done[order[i]] = true;
		for (uint32_t k = s->out_start[order[i]]; k < s->out_start[order[i] + 1]; k++)
			s->missing[s->out[k]]--;
	}
	for (size_t t = 0; t < s->m->x->threads.n; t++)
		s->ready[t].n = 0;
	s->later.n = 0;
	for (uint32_t n = 0; n < s->m->nnodes; n++)
		if (!done[n] && !s->missing[n])
			make_ready(s, n);
	free(done);
}

static bool linear_backwards(struct linear *l, const struct memory *m, const struct chosen_edge *edges, size_t nedges,
			     uint32_t fewer_than, struct error *err)
{
	struct scheduler s;
	scheduler_init(&s, m, m->nhard, edges, nedges);
	uint32_t count = reverse(&s), *order = xmalloc((count + 1) * sizeof *order);
	uint32_t switches = run_backwards(&s, order, count);
	scheduler_release(&s);
	bool better = switches < fewer_than;
	*l = (struct linear){.switches = switches};
	if (better) {
		scheduler_init(&s, m, m->nhard, edges, nedges);
		run_order(&s, l, order, count);
		better = scheduler_finish(&s, l, err);
	}
	free(order);
	return better;
}

bool linear_keep(struct linear *l, const struct memory *m, const struct chosen_edge *edges, size_t nedges,
		 struct error *err)
{
	struct scheduler s;
	struct linear other;
	scheduler_init(&s, m, m->nhard, edges, nedges);
	*l = (struct linear){0};
	l->switches = run(&s, l);
	if (!scheduler_finish(&s, l, err))
		return false;
	if (linear_backwards(&other, m, edges, nedges, l->switches, err)) {
		linear_release(l);
		*l = other;
	}
	return true;
}

/* -------------------------------------------------- preemptions -------------------------- */

/* Edges from other threads that are certain: a node that misses one of them is blocked, not preempted. */
static uint32_t *count_missing(const struct memory *m)
{
	uint32_t *missing = xcalloc(m->nnodes + 1, sizeof *missing);
	for (size_t i = 0; i < m->nhard; i++)
		if (thread_of(m, m->edges.at[i].a) != thread_of(m, m->edges.at[i].b))
			missing[m->edges.at[i].b]++;
	return missing;
}

uint32_t linear_preemptions(const struct linear *l, const struct memory *m)
{
	struct edge_list {
		uint32_t *start, *list;
	} out;
	uint32_t *missing = count_missing(m), preemptions = 0;
	uint32_t *left = xcalloc(m->x->threads.n + 1, sizeof *left); /* needed steps of each thread */
	uint32_t *next = xmalloc((m->x->threads.n + 1) * sizeof *next); /* its next event */
	by_end(m->edges.at, m->nhard, false, m->nnodes, &out.start, &out.list);
	for (size_t t = 0; t < m->x->threads.n; t++)
		next[t] = m->x->threads.at[t].first;
	for (size_t i = 0; i < l->needed; i++)
		left[m->x->events.at[l->steps.at[i].event].thread]++;
	for (size_t i = 0; i < l->needed; i++) {
		uint32_t e = l->steps.at[i].event, thread = m->x->events.at[e].thread;
		uint32_t node = l->steps.at[i].visible ? m->visible[e] : e;
		uint32_t before = i ? m->x->events.at[l->steps.at[i - 1].event].thread : thread;
		if (before != thread && left[before] && !missing[next[before]])
			preemptions++;
		left[thread]--;
		next[thread] = l->steps.at[i].visible ? next[thread] : e + 1;
		for (uint32_t k = out.start[node]; k < out.start[node + 1]; k++)
			if (thread_of(m, out.list[k]) != thread)
				missing[out.list[k]]--;
	}
	free(out.start);
	free(out.list);
	free(missing);
	free(left);
	free(next);
	return preemptions;
}

uint32_t *linear_places(const struct memory *m, const struct linear *l)
{
	uint32_t *place = xcalloc(m->nnodes + 1, sizeof *place);
	for (uint32_t i = 0; i < l->steps.n; i++) {
		uint32_t e = l->steps.at[i].event;
		if (!l->steps.at[i].visible)
			place[e] = i;
		else if (m->visible[e] != e)
			place[m->visible[e]] = i;
	}
	return place;
}

void linear_release(struct linear *l)
{
	vec_free(&l->steps);
	*l = (struct linear){0};
}
