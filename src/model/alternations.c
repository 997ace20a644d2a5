#include "model/alternations.h"

#include <stdlib.h>

/* The nodes in an order that respects every edge, and the edges by where they lead to. */
struct graph {
	const struct memory *m;
	uint32_t *nodes;
	uint32_t *in, *in_start;
};

static uint32_t thread_of(const struct graph *g, uint32_t node)
{
	return g->m->x->events.at[g->m->event_of[node]].thread;
}

static void graph_init(struct graph *g, const struct memory *m, size_t nedges)
{
	struct linear l;
	struct error err;
	*g = (struct graph){.m = m, .nodes = xcalloc(m->nnodes + 1, sizeof *g->nodes), .in = xcalloc(nedges + 1, sizeof *g->in),
			    .in_start = xcalloc(m->nnodes + 2, sizeof *g->in_start)};
	if (!linear_init(&l, m, NULL, 0, NULL, &err)) /* memory_init has seen that there is an order */
		die(EXIT_ERROR, "%s", err.text);
	for (uint32_t i = 0, n = 0; i < l.steps.n; i++) {
		uint32_t e = l.steps.at[i].event;
		if (!l.steps.at[i].visible || m->visible[e] != e) /* else: no node of its own */
			g->nodes[n++] = l.steps.at[i].visible ? m->visible[e] : e;
	}
	linear_release(&l);
	for (size_t i = 0; i < nedges; i++)
		g->in_start[m->edges.at[i].b + 2]++;
	for (uint32_t n = 0; n < m->nnodes; n++)
		g->in_start[n + 2] += g->in_start[n + 1];
	for (size_t i = 0; i < nedges; i++)
		g->in[g->in_start[m->edges.at[i].b + 1]++] = m->edges.at[i].a;
}

static void graph_release(struct graph *g)
{
	free(g->nodes);
	free(g->in);
	free(g->in_start);
}

static void count_before(const struct graph *g, uint32_t *before)
{
	uint32_t *last = xcalloc(g->m->nchains + 1, sizeof *last); /* by chain: changes up to the last node */
	for (uint32_t i = 0; i < g->m->nnodes; i++) {
		uint32_t n = g->nodes[i], most = last[g->m->chain[n]];
		for (uint32_t k = g->in_start[n]; k < g->in_start[n + 1]; k++) {
			uint32_t changes = before[g->in[k]] + (thread_of(g, g->in[k]) != thread_of(g, n));
			most = changes > most ? changes : most;
		}
		before[n] = last[g->m->chain[n]] = most;
	}
	free(last);
}

/* Takes a longer way; NOT_NEEDED is none. */
static void lengthen(uint32_t *after, uint32_t changes)
{
	if (*after == NOT_NEEDED || changes > *after)
		*after = changes;
}

static void count_after(const struct graph *g, uint32_t *after)
{
	const struct execution *x = g->m->x;
	uint32_t *next = xmalloc((g->m->nchains + 1) * sizeof *next); /* by chain: of the node behind */
	bool fails = false;
	for (uint32_t e = 0; e < x->events.n; e++)
		fails |= (x->events.at[e].flags & EVENT_FAILS) != 0;
	for (uint32_t c = 0; c < g->m->nchains; c++)
		next[c] = NOT_NEEDED;
	for (uint32_t n = 0; n < g->m->nnodes; n++)
		after[n] = !fails || (n < x->events.n && x->events.at[n].flags & EVENT_FAILS) ? 0 : NOT_NEEDED;
	for (uint32_t i = g->m->nnodes; i-- > 0;) {
		uint32_t n = g->nodes[i];
		if (next[g->m->chain[n]] != NOT_NEEDED)
			lengthen(&after[n], next[g->m->chain[n]]);
		next[g->m->chain[n]] = after[n];
		for (uint32_t k = g->in_start[n]; after[n] != NOT_NEEDED && k < g->in_start[n + 1]; k++)
			lengthen(&after[g->in[k]], after[n] + (thread_of(g, g->in[k]) != thread_of(g, n)));
	}
	free(next);
}

static uint32_t count_least(const struct graph *g, const struct alternations *a)
{
	bool *runs = xcalloc(g->m->x->threads.n + 1, sizeof *runs);
	uint32_t least = 0, threads = 0;
	for (uint32_t n = 0; n < g->m->nnodes; n++) {
		if (a->after[n] == NOT_NEEDED)
			continue;
		threads += !runs[thread_of(g, n)];
		runs[thread_of(g, n)] = true;
		least = a->before[n] > least ? a->before[n] : least;
	}
	free(runs);
	return threads > least + 1 ? threads - 1 : least;
}

void alternations_init(struct alternations *a, const struct memory *m, bool certain)
{
	struct graph g;
	graph_init(&g, m, certain ? m->nhard : m->edges.n);
	a->before = xcalloc(m->nnodes + 1, sizeof *a->before);
	a->after = xcalloc(m->nnodes + 1, sizeof *a->after);
	count_before(&g, a->before);
	count_after(&g, a->after);
	a->least = count_least(&g, a);
	graph_release(&g);
}

void alternations_release(struct alternations *a)
{
	free(a->before);
	free(a->after);
}
