#include "model/bound.h"

#include "model/alternations.h"

#include <stdlib.h>
#include <string.h>

/* The node's run is from .. to; `first` is the variable of reached(node, from + 1). */
struct placed {
	uint32_t node, from, to;
	literal first;
};

/*
 * nodes: those with a run number, `index` the other way round (UINT32_MAX: none). Variable reached(n, i) says that node n's run is i
 * or later; where that is known, it is no variable. top = switches + 1 is "after the failure".
 * Variable runs(i, t): run i is of thread t.
 */
struct bound {
	struct formula *f;
	uint32_t switches, top, nthreads;
	vec(struct placed) nodes;
	uint32_t *index;
	literal first_runs;
};

static literal reached(const struct bound *b, uint32_t node, uint32_t i)
{
	const struct placed *p = &b->nodes.at[b->index[node]];
	if (i <= p->from)
		return LITERAL_TRUE;
	if (i > p->to)
		return LITERAL_FALSE;
	return p->first + (literal)(i - p->from - 1);
}

static literal runs(const struct bound *b, uint32_t i, uint32_t thread)
{
	return b->first_runs + (literal)(i * b->nthreads + thread);
}

static uint32_t thread_of(const struct bound *b, uint32_t node)
{
	const struct memory *m = b->f->p->m;
	return m->x->events.at[m->event_of[node]].thread;
}

static void take_node(struct bound *b, uint32_t node)
{
	if (b->index[node] != UINT32_MAX)
		return;
	b->index[node] = 0;
	*vec_push(&b->nodes) = (struct placed){.node = node};
}

static int by_number(const void *p, const void *q)
{
	uint32_t a = ((const struct placed *)p)->node, c = ((const struct placed *)q)->node;
	return a < c ? -1 : a > c;
}

/* Everything that an order touches, and the ends that must be reached. */
static bool find_nodes(struct bound *b)
{
	const struct memory *m = b->f->p->m;
	const struct execution *x = m->x;
	bool fails = false;
	for (uint32_t v = 2; v < b->f->variables.n; v++)
		if (b->f->variables.at[v].kind == VARIABLE_ORDER) {
			take_node(b, b->f->variables.at[v].a);
			take_node(b, b->f->variables.at[v].b);
		}
	for (size_t i = 0; i < m->edges.n; i++) {
		take_node(b, m->edges.at[i].a);
		take_node(b, m->edges.at[i].b);
	}
	for (uint32_t e = 0; e < x->events.n; e++)
		fails |= (x->events.at[e].flags & EVENT_FAILS) != 0;
	for (uint32_t e = 0; e < x->events.n; e++)
		if (x->events.at[e].flags & EVENT_FAILS || (!fails && x->events.at[e].kind == EVENT_END))
			take_node(b, e);
	if (b->nodes.n)
		qsort(b->nodes.at, b->nodes.n, sizeof *b->nodes.at, by_number);
	for (uint32_t i = 0; i < b->nodes.n; i++)
		b->index[b->nodes.at[i].node] = i;
	return fails;
}

/* Where each node can be; false: some can be nowhere. */
static bool find_runs(struct bound *b)
{
	struct alternations known;
	bool possible = true;
	alternations_init(&known, b->f->p->m, false);
	for (size_t k = 0; k < b->nodes.n; k++) {
		struct placed *p = &b->nodes.at[k];
		uint32_t before = known.before[p->node], after = known.after[p->node];
		p->from = before < b->top ? before : b->top;
		p->to = after == NOT_NEEDED ? b->top : after > b->switches ? 0 : b->switches - after;
		possible &= p->from <= p->to && (after == NOT_NEEDED || after <= b->switches);
	}
	alternations_release(&known);
	return possible;
}

static void clause(struct bound *b, literal p, literal q, literal r)
{
	formula_add_clause(b->f, (literal[]){p, q, r}, 3);
}

/* If `given`, node p comes before node q: in an earlier run when they are of different threads. */
static void order_runs(struct bound *b, literal given, uint32_t p, uint32_t q)
{
	uint32_t step = thread_of(b, p) != thread_of(b, q), last = b->nodes.at[b->index[p]].to;
	for (uint32_t i = b->nodes.at[b->index[p]].from; i <= last; i++) {
		uint32_t least = i + step > b->top ? b->top : i + step;
		clause(b, -given, -reached(b, p, i), reached(b, q, least));
	}
}

static void add_node_clauses(struct bound *b)
{
	for (size_t k = 0; k < b->nodes.n; k++) {
		const struct placed *p = &b->nodes.at[k];
		uint32_t n = p->node;
		for (uint32_t i = p->from + 1; i < p->to; i++)
			clause(b, -reached(b, n, i + 1), reached(b, n, i), LITERAL_FALSE);
		for (uint32_t i = p->from; i <= p->to && i < b->top; i++) /* n is in run i: that is of its thread */
			clause(b, -reached(b, n, i), reached(b, n, i + 1), runs(b, i, thread_of(b, n)));
	}
	for (uint32_t i = 0; i < b->top; i++)
		for (uint32_t t = 0; t < b->nthreads; t++)
			for (uint32_t u = t + 1; u < b->nthreads; u++)
				clause(b, -runs(b, i, t), -runs(b, i, u), LITERAL_FALSE);
}

static void add_order_clauses(struct bound *b, size_t nvariables)
{
	const struct memory *m = b->f->p->m;
	uint32_t *last = xmalloc(m->nchains * sizeof *last);
	memset(last, 0xff, m->nchains * sizeof *last);
	for (size_t k = 0; k < b->nodes.n; k++) {
		uint32_t n = b->nodes.at[k].node;
		if (last[m->chain[n]] != UINT32_MAX)
			order_runs(b, LITERAL_TRUE, last[m->chain[n]], n);
		last[m->chain[n]] = n;
	}
	free(last);
	for (size_t i = 0; i < m->edges.n; i++)
		order_runs(b, LITERAL_TRUE, m->edges.at[i].a, m->edges.at[i].b);
	for (uint32_t v = 2; v < nvariables; v++) {
		struct variable var = b->f->variables.at[v];
		if (var.kind != VARIABLE_ORDER)
			continue;
		order_runs(b, (literal)v, var.a, var.b);
		order_runs(b, -(literal)v, var.b, var.a);
	}
}

/* The failure is reached in the last run at the latest; without one, everything is. */
static void add_end_clauses(struct bound *b, bool fails)
{
	const struct execution *x = b->f->p->m->x;
	for (size_t k = 0; k < b->nodes.n; k++) {
		uint32_t n = b->nodes.at[k].node;
		bool must = fails ? n < x->events.n && x->events.at[n].flags & EVENT_FAILS : true;
		if (must)
			clause(b, -reached(b, n, b->top), LITERAL_FALSE, LITERAL_FALSE);
	}
}

static uint64_t runs_of(const struct bound *b, uint32_t node)
{
	const struct placed *p = &b->nodes.at[b->index[node]];
	return p->to - p->from + 2;
}

/* How many clauses there will be, about. */
static uint64_t count_clauses(const struct bound *b)
{
	const struct formula *f = b->f;
	uint64_t n = (uint64_t)b->top * b->nthreads * b->nthreads;
	for (size_t k = 0; k < b->nodes.n; k++)
		n += 3 * runs_of(b, b->nodes.at[k].node);
	for (size_t i = 0; i < f->p->m->edges.n; i++)
		n += runs_of(b, f->p->m->edges.at[i].a);
	for (uint32_t v = 2; v < f->variables.n; v++)
		if (f->variables.at[v].kind == VARIABLE_ORDER)
			n += runs_of(b, f->variables.at[v].a) + runs_of(b, f->variables.at[v].b);
	return n;
}

static void add_variables(struct bound *b)
{
	struct formula *f = b->f;
	for (size_t k = 0; k < b->nodes.n; k++) {
		struct placed *p = &b->nodes.at[k];
		p->first = (literal)f->variables.n;
		for (uint32_t i = p->from + 1; i <= p->to; i++)
			*vec_push(&f->variables) = (struct variable){VARIABLE_RUN, p->node, i};
	}
	b->first_runs = (literal)f->variables.n;
	for (uint32_t i = 0; i < b->top * b->nthreads; i++)
		*vec_push(&f->variables) = (struct variable){VARIABLE_OWNER, i / b->nthreads, i % b->nthreads};
}

struct bound *bound_new(struct formula *f, uint32_t switches, uint64_t limit)
{
	struct bound *b = xcalloc(1, sizeof *b);
	const struct memory *m = f->p->m;
	size_t nvariables = f->variables.n;
	b->f = f;
	b->switches = switches;
	b->top = switches + 1;
	b->nthreads = (uint32_t)m->x->threads.n;
	b->index = xmalloc(m->nnodes * sizeof *b->index);
	memset(b->index, 0xff, m->nnodes * sizeof *b->index);
	bool fails = find_nodes(b);
	if (!find_runs(b)) { /* no order has so few */
		formula_add_clause(f, NULL, 0);
		return b;
	}
	uint64_t clauses = count_clauses(b);
	if (clauses > limit || clauses > INT32_MAX / 4) {
		bound_free(b);
		return NULL;
	}
	add_variables(b);
	add_node_clauses(b);
	add_order_clauses(b, nvariables);
	add_end_clauses(b, fails);
	return b;
}

void bound_free(struct bound *b)
{
	if (!b)
		return;
	vec_free(&b->nodes);
	free(b->index);
	free(b);
}

void bound_lower(struct bound *b, uint32_t switches)
{
	/* Runs beyond the new last one stay empty: who is past it is after the failure. */
	for (size_t k = 0; k < b->nodes.n; k++)
		for (uint32_t i = switches + 1; i <= b->switches; i++)
			clause(b, -reached(b, b->nodes.at[k].node, i), reached(b, b->nodes.at[k].node, i + 1),
			       LITERAL_FALSE);
	b->switches = switches;
}

bool bound_linear(const struct bound *b, const bool *model, const struct chosen_edges *chosen, struct linear *l,
		  struct error *err)
{
	const struct memory *m = b->f->p->m;
	struct linear_plan plan = {.run = xmalloc(m->nnodes * sizeof *plan.run),
				   .thread = xmalloc(b->top * sizeof *plan.thread),
				   .nruns = b->top};
	memset(plan.run, 0xff, m->nnodes * sizeof *plan.run);
	for (uint32_t i = 0; i < b->top; i++) {
		plan.thread[i] = UINT32_MAX;
		for (uint32_t t = 0; t < b->nthreads; t++)
			if (literal_holds(model, runs(b, i, t)))
				plan.thread[i] = t;
	}
	for (size_t k = 0; k < b->nodes.n; k++) {
		uint32_t run = 0;
		while (run < b->top && literal_holds(model, reached(b, b->nodes.at[k].node, run + 1)))
			run++;
		plan.run[b->nodes.at[k].node] = run;
	}
	bool ok = linear_init(l, m, chosen->at, chosen->n, &plan, err);
	free(plan.run);
	free(plan.thread);
	return ok;
}
