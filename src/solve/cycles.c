#include "solve/cycles.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/*
 * Nodes of the execution get small numbers (number, by node; NONE: not in the graph). Edge i of the round is
 * edges[i]; out edges of node n are list[start[n] .. start[n + 1]). component: strongly connected component.
 */
struct cycles {
	struct formula *f;
	uint32_t *number;
	uint32_t nnodes;
	vec(struct chosen_edge) edges; /* a and b are small numbers */
	uint32_t *start, *list;
	size_t list_cap;
	uint32_t *component, *low, *index, *stack, *next;
	uint32_t *distance, *via, *queue, *epoch;
	uint32_t now;
	vec(literal) clause;
};

static void number_node(struct cycles *c, uint32_t node)
{
	if (c->number[node] == NONE)
		c->number[node] = c->nnodes++;
}

struct cycles *cycles_new(struct formula *f)
{
	struct cycles *c = xcalloc(1, sizeof *c);
	size_t all = f->p->m->nnodes;
	c->f = f;
	c->number = xmalloc(all * sizeof *c->number);
	memset(c->number, 0xff, all * sizeof *c->number);
	for (uint32_t v = 2; v < f->variables.n; v++)
		if (f->variables.at[v].kind == VARIABLE_ORDER) {
			number_node(c, f->variables.at[v].a);
			number_node(c, f->variables.at[v].b);
		}
	size_t n = (size_t)c->nnodes + 1;
	uint32_t **arrays[] = {&c->start, &c->component, &c->low, &c->index, &c->stack, &c->next,
			       &c->distance, &c->via, &c->epoch};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		*arrays[i] = xcalloc(n, sizeof **arrays[i]);
	return c;
}

void cycles_free(struct cycles *c)
{
	if (!c)
		return;
	uint32_t *arrays[] = {c->number, c->start,    c->list, c->component, c->low,  c->index,
			      c->stack,  c->distance, c->via,  c->queue,     c->next, c->epoch};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		free(arrays[i]);
	vec_free(&c->edges);
	vec_free(&c->clause);
	free(c);
}

static void build_graph(struct cycles *c, const struct chosen_edges *chosen)
{
	c->edges.n = 0;
	for (size_t i = 0; i < chosen->n; i++)
		*vec_push(&c->edges) = (struct chosen_edge){c->number[chosen->at[i].a],
							    c->number[chosen->at[i].b],
							    chosen->at[i].reason};
	for (size_t i = 0; i < c->f->known.n; i++)
		*vec_push(&c->edges) = (struct chosen_edge){c->number[c->f->known.at[i].a],
							    c->number[c->f->known.at[i].b], 0};
	if (c->edges.n > c->list_cap) {
		c->list_cap = c->edges.n * 2;
		free(c->list);
		free(c->queue);
		c->list = xmalloc(c->list_cap * sizeof *c->list);
		c->queue = xmalloc((4 * c->list_cap + 4) * sizeof *c->queue);
	}
	memset(c->start, 0, ((size_t)c->nnodes + 1) * sizeof *c->start);
	for (size_t i = 0; i < c->edges.n; i++)
		c->start[c->edges.at[i].a + 1]++;
	for (uint32_t n = 0; n < c->nnodes; n++)
		c->start[n + 1] += c->start[n];
	for (size_t i = 0; i < c->edges.n; i++)
		c->list[c->start[c->edges.at[i].a]++] = (uint32_t)i;
	memmove(c->start + 1, c->start, c->nnodes * sizeof *c->start);
	c->start[0] = 0;
}

/*
 * Tarjan's algorithm without recursion: `via` is the tree parent, next the next out edge, `distance` the stack
 * of open nodes, `stack` the nodes not yet in a component.
 */
static bool find_components(struct cycles *c)
{
	uint32_t counter = 0, depth = 0, components = 0;
	memset(c->index, 0, ((size_t)c->nnodes + 1) * sizeof *c->index); /* 0: not visited */
	memset(c->component, 0xff, ((size_t)c->nnodes + 1) * sizeof *c->component);
	for (uint32_t root = 0; root < c->nnodes; root++) {
		uint32_t at = root;
		if (c->index[root])
			continue;
		c->via[root] = NONE;
		c->index[at] = c->low[at] = ++counter;
		c->next[at] = c->start[at];
		c->stack[depth++] = at;
		while (at != NONE) {
			if (c->next[at] < c->start[at + 1]) {
				uint32_t to = c->edges.at[c->list[c->next[at]++]].b;
				if (!c->index[to]) {
					c->via[to] = at;
					c->index[to] = c->low[to] = ++counter;
					c->next[to] = c->start[to];
					c->stack[depth++] = to;
					at = to;
				} else if (c->component[to] == NONE && c->index[to] < c->low[at]) {
					c->low[at] = c->index[to];
				}
				continue;
			}
			if (c->low[at] == c->index[at]) {
				while (c->stack[depth - 1] != at)
					c->component[c->stack[--depth]] = components;
				c->component[c->stack[--depth]] = components++;
			}
			uint32_t parent = c->via[at];
			if (parent != NONE && c->low[at] < c->low[parent])
				c->low[parent] = c->low[at];
			at = parent;
		}
	}
	return components < c->nnodes;
}

/*
 * A path from `from` to `to` inside their component with the fewest chosen edges: breadth first, known edges
 * cost nothing (a queue with two ends). via[n]: the edge by which n was reached.
 */
static bool find_path(struct cycles *c, uint32_t from, uint32_t to)
{
	size_t head = 2 * c->list_cap + 2, tail = head; /* a node enters at most twice */
	c->now++;
	c->distance[from] = 0;
	c->epoch[from] = c->now;
	c->queue[tail++] = from;
	while (head < tail) {
		uint32_t at = c->queue[head++];
		if (at == to)
			return true;
		for (uint32_t i = c->start[at]; i < c->start[at + 1]; i++) {
			const struct chosen_edge *e = &c->edges.at[c->list[i]];
			uint32_t d = c->distance[at] + (e->reason != 0);
			if (c->component[e->b] != c->component[from] ||
			    (c->epoch[e->b] == c->now && c->distance[e->b] <= d))
				continue;
			c->epoch[e->b] = c->now;
			c->distance[e->b] = d;
			c->via[e->b] = c->list[i];
			if (e->reason)
				c->queue[tail++] = e->b;
			else
				c->queue[--head] = e->b;
		}
	}
	return false;
}

static void add_cycle_clause(struct cycles *c, uint32_t first, bool *used)
{
	c->clause.n = 0;
	*vec_push(&c->clause) = -c->edges.at[first].reason;
	used[first] = true;
	for (uint32_t at = c->edges.at[first].a; at != c->edges.at[first].b;) {
		uint32_t i = c->via[at];
		if (c->edges.at[i].reason) {
			*vec_push(&c->clause) = -c->edges.at[i].reason;
			used[i] = true;
		}
		at = c->edges.at[i].a;
	}
	formula_add_clause(c->f, c->clause.at, c->clause.n);
}

size_t cycles_exclude(struct cycles *c, const struct chosen_edges *chosen, size_t limit)
{
	build_graph(c, chosen);
	if (!find_components(c))
		return 0;
	bool *used = xcalloc(chosen->n, sizeof *used);
	size_t found = 0;
	for (uint32_t i = 0; i < chosen->n && found < limit; i++) {
		const struct chosen_edge *e = &c->edges.at[i];
		if (used[i] || c->component[e->a] != c->component[e->b])
			continue;
		if (find_path(c, e->b, e->a)) {
			add_cycle_clause(c, i, used);
			found++;
		}
	}
	free(used);
	return found;
}
