#include "model/parts.h"

#include <stdlib.h>
#include <string.h>

/* More parts are put together: each costs a copy of all steps of synchronization. */
enum { MOST_PARTS = 32 };
#define NO_PART UINT32_MAX

/* Sets of expressions and atoms that belong together: expression e is element e, atom i is element natoms_at + i. */
struct sets {
	uint32_t *above;
	uint32_t natoms_at;
	uint32_t n;
};

static uint32_t top_of(struct sets *s, uint32_t i)
{
	while (s->above[i] != i)
		i = s->above[i] = s->above[s->above[i]];
	return i;
}

static void join(struct sets *s, uint32_t a, uint32_t b)
{
	s->above[top_of(s, a)] = top_of(s, b);
}

static bool is_known(const struct execution *x, expr e)
{
	return !e || expr_is_const(x->exprs, e, NULL);
}

static bool is_access(const struct event *e)
{
	return event_reads(e) || event_writes(e);
}

/* Expressions that something depends on. */
static bool *find_used(const struct execution *x)
{
	const struct expr_node *nodes = expr_nodes(x->exprs);
	bool *used = xcalloc(expr_count(x->exprs) + 1, sizeof *used);
	for (size_t i = 0; i < x->conditions.n; i++)
		used[x->conditions.at[i].condition] = true;
	for (size_t i = 0; i < x->events.n; i++)
		used[x->events.at[i].written] = used[x->events.at[i].read] = true;
	for (size_t i = expr_count(x->exprs); i > 0; i--)
		if (used[i])
			used[nodes[i].a] = used[nodes[i].b] = used[nodes[i].c] = true;
	used[EXPR_NONE] = false;
	return used;
}

static void join_expressions(struct sets *s, const struct execution *x)
{
	const struct expr_node *nodes = expr_nodes(x->exprs);
	bool *used = find_used(x);
	for (uint32_t i = 1; i <= expr_count(x->exprs); i++) {
		const expr operands[] = {nodes[i].a, nodes[i].b, nodes[i].c};
		for (unsigned k = 0; used[i] && k < 3; k++)
			if (!is_known(x, operands[k]))
				join(s, i, operands[k]);
	}
	free(used);
}

static void join_accesses(struct sets *s, const struct execution *x, const struct atoms *a)
{
	for (uint32_t e = 0; e < x->events.n; e++) {
		if (!a->count[e])
			continue;
		uint32_t atom = s->natoms_at + a->first[e];
		for (uint32_t k = 1; k < a->count[e]; k++)
			join(s, atom, atom + k);
		if (!is_known(x, x->events.at[e].read))
			join(s, atom, x->events.at[e].read);
		if (!is_known(x, x->events.at[e].written))
			join(s, atom, x->events.at[e].written);
	}
}

static struct sets find_sets(const struct execution *x, const struct atoms *a)
{
	struct sets s = {.natoms_at = (uint32_t)expr_count(x->exprs) + 1};
	s.n = s.natoms_at + (uint32_t)a->at.n;
	s.above = xmalloc(s.n * sizeof *s.above);
	for (uint32_t i = 0; i < s.n; i++)
		s.above[i] = i;
	join_expressions(&s, x);
	join_accesses(&s, x, a);
	return s;
}

/* By element at the top of a set: which part it is. Only what a condition depends on is to be solved. */
static uint32_t *number_parts(struct sets *s, const struct execution *x, size_t *n)
{
	uint32_t *part = xmalloc(s->n * sizeof *part);
	*n = 0;
	memset(part, 0xff, s->n * sizeof *part);
	for (size_t i = 0; i < x->conditions.n; i++) {
		expr e = x->conditions.at[i].condition;
		if (!is_known(x, e) && part[top_of(s, e)] == NO_PART)
			part[top_of(s, e)] = (uint32_t)((*n)++ % MOST_PARTS);
	}
	if (*n > MOST_PARTS)
		*n = MOST_PARTS;
	return part;
}

/* By event: its part, or NO_PART for accesses that are in none. Not for steps of synchronization. */
static uint32_t *parts_of_events(struct sets *s, const uint32_t *part, const struct execution *x, const struct atoms *a)
{
	uint32_t *of = xmalloc((x->events.n + 1) * sizeof *of);
	for (uint32_t e = 0; e < x->events.n; e++)
		of[e] = a->count[e] ? part[top_of(s, s->natoms_at + a->first[e])] : NO_PART;
	return of;
}

static bool *find_ordered(const struct execution *x)
{
	bool *ordered = xcalloc(x->events.n + 1, sizeof *ordered);
	for (size_t i = 0; i < x->orders.n; i++)
		ordered[x->orders.at[i].a] = ordered[x->orders.at[i].b] = true;
	return ordered;
}

/* place[e]: the part's event that e is, or the last one before it of its thread. */
static void copy_events(struct part *p, const struct execution *x, const bool *keep, uint32_t *place)
{
	p->event = xmalloc((x->events.n + 1) * sizeof *p->event);
	for (size_t t = 0; t < x->threads.n; t++) {
		struct execution_thread thread = x->threads.at[t];
		uint32_t end = thread.first + thread.count;
		thread.first = (uint32_t)p->x.events.n;
		for (uint32_t e = end - thread.count; e < end; e++) {
			if (keep[e]) {
				p->event[p->x.events.n] = e;
				*vec_push(&p->x.events) = x->events.at[e];
			}
			place[e] = (uint32_t)p->x.events.n - 1;
		}
		thread.count = (uint32_t)p->x.events.n - thread.first;
		*vec_push(&p->x.threads) = thread;
	}
}

static void copy_rest(struct part *p, const struct execution *x, struct sets *s, const uint32_t *part, uint32_t number,
		      const uint32_t *place)
{
	for (size_t i = 0; i < x->orders.n; i++)
		*vec_push(&p->x.orders) = (struct known_order){place[x->orders.at[i].a], place[x->orders.at[i].b]};
	for (size_t i = 0; i < x->conditions.n; i++) {
		struct condition c = x->conditions.at[i];
		/* One that does not hold at all is for every part to say. */
		if (!is_known(x, c.condition) && part[top_of(s, c.condition)] != number)
			continue;
		c.event = place[c.event];
		*vec_push(&p->x.conditions) = c;
	}
	p->x.initials = x->initials;
	p->x.sites = x->sites;
	p->x.names = x->names;
	p->x.exprs = x->exprs;
	p->x.nsymbols = x->nsymbols;
	p->x.lock_order_known = x->lock_order_known;
}

bool parts_init(struct parts *p, const struct execution *x, const struct atoms *atoms)
{
	struct sets s = find_sets(x, atoms);
	uint32_t *part = number_parts(&s, x, &p->n);
	if (p->n > 1) {
		uint32_t *of = parts_of_events(&s, part, x, atoms), *place = xmalloc((x->events.n + 1) * sizeof *place);
		bool *ordered = find_ordered(x), *keep = xcalloc(x->events.n + 1, sizeof *keep);
		p->at = xcalloc(p->n, sizeof *p->at);
		for (uint32_t i = 0; i < p->n; i++) {
			for (size_t e = 0; e < x->events.n; e++)
				keep[e] = of[e] == i || ordered[e] || !is_access(&x->events.at[e]);
			copy_events(&p->at[i], x, keep, place);
			copy_rest(&p->at[i], x, &s, part, i, place);
		}
		free(of);
		free(place);
		free(ordered);
		free(keep);
	}
	free(part);
	free(s.above);
	return p->n > 1;
}

void parts_release(struct parts *p)
{
	for (size_t i = 0; i < p->n; i++) {
		vec_free(&p->at[i].x.events);
		vec_free(&p->at[i].x.threads);
		vec_free(&p->at[i].x.orders);
		vec_free(&p->at[i].x.conditions);
		free(p->at[i].event);
	}
	free(p->at);
}
