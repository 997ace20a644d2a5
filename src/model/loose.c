#include "model/loose.h"

#include <stdlib.h>

/* So many chains, edges, and numbers in the clocks of order.c are spent on loose pieces. */
enum { MOST_CHAINS = 512, MOST_EDGES = 1 << 20, MOST_CLOCKS = 1 << 26 };

/* So much of an expression is looked at for the reads it depends on. */
enum { MOST_NODES = 256 };

uint32_t loose_first(const struct memory *m, uint32_t event)
{
	while (m->loose && m->loose[event] && event && m->loose[event - 1] &&
	       events_are_pieces(&m->x->events.at[event - 1], &m->x->events.at[event]))
		event--;
	return event;
}

uint32_t loose_end(const struct memory *m, uint32_t event)
{
	return m->loose && m->loose[event] ? execution_pieces_end(m->x, event) : event + 1;
}

/* -------------------------------------------------- which are ---------------------------- */

/* What has been spent so far, and the thread + 1 that an atom has a chain for. */
struct spending {
	uint32_t *has_chain;
	uint64_t chains, edges, most_chains;
};

static bool touches_shared(const struct memory *m, uint32_t event)
{
	for (uint32_t k = 0; k < m->atoms.count[event]; k++)
		if (m->atoms.at.at[m->atoms.first[event] + k].shared)
			return true;
	return false;
}

/* Can others see in which order they come? */
static bool order_shows(const struct memory *m, uint32_t first, uint32_t end)
{
	uint32_t shared = 0;
	for (uint32_t e = first; e < end && shared < 2; e++)
		shared += touches_shared(m, e);
	return shared > 1;
}

/* Spends what these pieces need, where there are `before` steps that come right before them; false: it would be too much. */
static bool afford(struct spending *s, const struct memory *m, uint32_t first, uint32_t end, uint32_t before)
{
	uint64_t edges = 2 * (uint64_t)(end - first) * (before + 4), chains = 0;
	uint32_t thread = m->x->events.at[first].thread;
	for (uint32_t e = first; e < end; e++)
		chains += s->has_chain[m->atoms.first[e]] != thread + 1;
	chains *= m->model == MEMORY_TSO ? 2 : 1;
	if (s->edges + edges > MOST_EDGES || s->chains + chains > s->most_chains)
		return false;
	s->edges += edges;
	s->chains += chains;
	for (uint32_t e = first; e < end; e++)
		s->has_chain[m->atoms.first[e]] = thread + 1;
	return true;
}

static void find_in_thread(struct memory *m, const struct execution_thread *t, struct spending *s, bool wanted)
{
	uint32_t before = 1;
	for (uint32_t e = t->first, end; e < t->first + t->count; e = end) {
		end = execution_pieces_end(m->x, e);
		bool shows = end > e + 1 && order_shows(m, e, end), loose = shows && wanted && afford(s, m, e, end, before);
		for (uint32_t k = e; loose && k < end; k++)
			m->loose[k] = true;
		m->in_order |= shows && !loose;
		before = loose ? end - e : 1;
	}
}

void loose_find(struct memory *m, bool wanted)
{
	struct spending s = {.has_chain = xcalloc(m->atoms.at.n + 1, sizeof *s.has_chain),
			     .most_chains = MOST_CLOCKS / (m->nnodes + 1)};
	if (s.most_chains > MOST_CHAINS)
		s.most_chains = MOST_CHAINS;
	m->loose = wanted ? xcalloc(m->x->events.n + 1, sizeof *m->loose) : NULL;
	for (size_t t = 0; t < m->x->threads.n; t++)
		find_in_thread(m, &m->x->threads.at[t], &s, wanted);
	free(s.has_chain);
}

/* -------------------------------------------------- their order -------------------------- */

/* In a chain the nodes are in order anyway. */
static void add_edge(struct memory *m, uint32_t a, uint32_t b)
{
	if (m->chain[a] != m->chain[b])
		*vec_push(&m->edges) = (struct edge){a, b};
}

/* Each of the one call, or the one event, before each of the other. */
static void add_program_order(struct memory *m, const struct execution_thread *t)
{
	for (uint32_t e = t->first, end, before = e; e < t->first + t->count; before = e, e = end) {
		end = loose_end(m, e);
		for (uint32_t a = before; a < e; a++)
			for (uint32_t b = e; b < end; b++)
				add_edge(m, a, b);
	}
}

/* The same of stores that become visible, under TSO. */
static void add_visible_order(struct memory *m, const struct execution_thread *t)
{
	vec(uint32_t) before = {0}, now = {0};
	for (uint32_t e = t->first, end; e < t->first + t->count; e = end) {
		end = loose_end(m, e);
		now.n = 0;
		for (uint32_t k = e; k < end; k++)
			if (m->visible[k] != k)
				*vec_push(&now) = m->visible[k];
		if (!now.n)
			continue;
		for (size_t a = 0; a < before.n; a++)
			for (size_t b = 0; b < now.n; b++)
				add_edge(m, before.at[a], now.at[b]);
		before.n = 0;
		for (size_t b = 0; b < now.n; b++)
			*vec_push(&before) = now.at[b];
	}
	vec_free(&before);
	vec_free(&now);
}

/* By atom: the last event that accessed it, + 1. Of stores that overlap memory.c orders when they become visible. */
static void add_overlaps(struct memory *m, uint32_t first, uint32_t end, uint32_t *last)
{
	for (uint32_t e = first; e < end; e++)
		for (uint32_t k = 0; k < m->atoms.count[e]; k++) {
			uint32_t *at = &last[m->atoms.first[e] + k];
			if (*at > first)
				add_edge(m, *at - 1, e);
			*at = e + 1;
		}
}

/* The write comes after those reads of its call whose symbols are in what it writes. */
static void add_dependencies(struct memory *m, uint32_t first, uint32_t write, const uint32_t *reader)
{
	const struct expr_node *nodes = expr_nodes(m->x->exprs);
	expr stack[2 * MOST_NODES + 4];
	size_t n = 0, looked = 0;
	for (stack[n++] = m->x->events.at[write].written; n && looked < MOST_NODES; looked++) {
		const struct expr_node *at = &nodes[stack[--n]];
		const expr below[3] = {at->a, at->b, at->c};
		uint32_t read = at->op == EXPR_SYM ? reader[at->value] : 0;
		if (read > first && read <= write)
			add_edge(m, read - 1, write);
		for (int i = 0; i < 3; i++)
			if (below[i])
				stack[n++] = below[i];
	}
	if (!n)
		return;
	for (uint32_t e = first; e < write; e++) /* too long: it may be any of them */
		if (event_reads(&m->x->events.at[e]))
			add_edge(m, e, write);
	m->in_order = true;
}

/* By symbol: the event that reads it, + 1. */
static uint32_t *find_readers(const struct execution *x)
{
	uint32_t *reader = xcalloc(x->nsymbols + 1, sizeof *reader);
	for (uint32_t e = 0; e < x->events.n; e++) {
		expr read = event_reads(&x->events.at[e]) ? x->events.at[e].read : EXPR_NONE;
		if (read && expr_node(x->exprs, read)->op == EXPR_SYM)
			reader[expr_node(x->exprs, read)->value] = e + 1;
	}
	return reader;
}

void loose_add_edges(struct memory *m)
{
	if (!m->loose)
		return;
	uint32_t *last = xcalloc(m->atoms.at.n + 1, sizeof *last), *reader = find_readers(m->x);
	for (size_t t = 0; t < m->x->threads.n; t++) {
		add_program_order(m, &m->x->threads.at[t]);
		if (m->model == MEMORY_TSO)
			add_visible_order(m, &m->x->threads.at[t]);
	}
	for (uint32_t e = 0, end; e < m->x->events.n; e = end) {
		end = loose_end(m, e);
		if (!m->loose[e])
			continue;
		add_overlaps(m, e, end, last);
		for (uint32_t k = e; k < end; k++)
			if (m->x->events.at[k].kind == EVENT_WRITE && m->x->events.at[k].written)
				add_dependencies(m, e, k, reader);
	}
	free(last);
	free(reader);
}
