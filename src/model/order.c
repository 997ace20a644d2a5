#include "model/order.h"

#include <stdlib.h>
#include <string.h>

/*
 * rows: kept clocks, nchains numbers each; row[n] names the one that holds for node n, except that the
 * entry of n's own chain is always position[n] (a node follows everything before it in its chain).
 */
struct order {
	uint32_t nnodes, nchains;
	uint32_t *chain, *position, *row;
	vec(uint32_t) rows;
};

#define NO_ROW UINT32_MAX

/*
 * State of the one topological sweep.
 * clock: nchains x nchains; row c is the clock of chain c's last processed node. changed[c]: clock c
 * differs from the row kept last. A node with outgoing edges leaves a copy of its clock (snapshot), freed
 * when the last edge has used it.
 */
struct sweep {
	struct order *o;
	const bool *needed;
	uint32_t *members, *member_start;      /* nodes by chain */
	uint32_t *out, *out_start;             /* targets by source */
	uint32_t *in, *in_start;               /* sources by target */
	uint32_t *missing;                     /* unprocessed sources, by node */
	uint32_t *cursor;                      /* next member, by chain */
	uint32_t *clock, *last_row;
	bool *changed;
	uint32_t *snapshot, *uses;             /* by node: index into pool, users left */
	vec(uint32_t) pool;
	vec(uint32_t) free_slots;
	vec(uint32_t) work;                    /* chains to look at */
	uint32_t processed;
};

/* Groups 0..n-1 by key into a CSR pair (start has nkeys + 1 entries). */
static void group(size_t n, const uint32_t *key, size_t stride, uint32_t nkeys, uint32_t **start,
		  uint32_t **members)
{
	uint32_t *s = xcalloc((size_t)nkeys + 1, sizeof *s);
	uint32_t *m = xmalloc(n * sizeof *m);
	for (size_t i = 0; i < n; i++)
		s[key[i * stride] + 1]++;
	for (uint32_t k = 0; k < nkeys; k++)
		s[k + 1] += s[k];
	for (size_t i = 0; i < n; i++)
		m[s[key[i * stride]]++] = (uint32_t)i;
	memmove(s + 1, s, nkeys * sizeof *s);
	s[0] = 0;
	*start = s;
	*members = m;
}

static uint32_t *clock_of(struct sweep *s, uint32_t chain)
{
	return s->clock + (size_t)chain * s->o->nchains;
}

static uint32_t take_slot(struct sweep *s)
{
	if (s->free_slots.n)
		return s->free_slots.at[--s->free_slots.n];
	uint32_t slot = (uint32_t)(s->pool.n / s->o->nchains);
	for (uint32_t i = 0; i < s->o->nchains; i++)
		*vec_push(&s->pool) = 0;
	return slot;
}

/* Takes over what the source of an edge knew. */
static void join_from(struct sweep *s, uint32_t *clock, uint32_t chain, uint32_t source)
{
	const uint32_t *from = s->pool.at + (size_t)s->snapshot[source] * s->o->nchains;
	for (uint32_t c = 0; c < s->o->nchains; c++)
		if (c != chain && from[c] > clock[c]) {
			clock[c] = from[c];
			s->changed[chain] = true;
		}
	if (--s->uses[source] == 0)
		*vec_push(&s->free_slots) = s->snapshot[source];
}

static void keep_row(struct sweep *s, uint32_t node, uint32_t chain)
{
	struct order *o = s->o;
	if (s->last_row[chain] == NO_ROW || s->changed[chain]) {
		s->last_row[chain] = (uint32_t)(o->rows.n / o->nchains);
		const uint32_t *clock = clock_of(s, chain);
		for (uint32_t c = 0; c < o->nchains; c++)
			*vec_push(&o->rows) = clock[c];
		s->changed[chain] = false;
	}
	o->row[node] = s->last_row[chain];
}

static void process(struct sweep *s, uint32_t node)
{
	struct order *o = s->o;
	uint32_t chain = o->chain[node];
	uint32_t *clock = clock_of(s, chain);
	for (uint32_t i = s->in_start[node]; i < s->in_start[node + 1]; i++)
		join_from(s, clock, chain, s->in[i]);
	if (s->needed[node])
		keep_row(s, node, chain);
	clock[chain] = o->position[node] + 1;
	uint32_t nout = s->out_start[node + 1] - s->out_start[node];
	if (nout) {
		uint32_t slot = take_slot(s);
		memcpy(s->pool.at + (size_t)slot * o->nchains, clock, o->nchains * sizeof *clock);
		s->snapshot[node] = slot;
		s->uses[node] = nout;
	}
	for (uint32_t i = s->out_start[node]; i < s->out_start[node + 1]; i++)
		if (--s->missing[s->out[i]] == 0)
			*vec_push(&s->work) = o->chain[s->out[i]];
	s->processed++;
}

static void run_chain(struct sweep *s, uint32_t chain)
{
	while (s->cursor[chain] < s->member_start[chain + 1]) {
		uint32_t node = s->members[s->cursor[chain]];
		if (s->missing[node])
			return;
		s->cursor[chain]++;
		process(s, node);
	}
}

static void number_positions(struct sweep *s)
{
	struct order *o = s->o;
	for (uint32_t c = 0; c < o->nchains; c++)
		for (uint32_t i = s->member_start[c]; i < s->member_start[c + 1]; i++)
			o->position[s->members[i]] = i - s->member_start[c];
}

/* in and out hold edge numbers after grouping; turn them into nodes. */
static void resolve_edges(struct sweep *s, const struct edge *edges, size_t nedges)
{
	for (size_t i = 0; i < nedges; i++) {
		s->out[i] = edges[s->out[i]].b;
		s->in[i] = edges[s->in[i]].a;
		s->missing[edges[i].b]++;
	}
}

static void sweep_init(struct sweep *s, struct order *o, const struct edge *edges, size_t nedges,
		       const bool *needed)
{
	static const struct edge none;
	const struct edge *first = nedges ? edges : &none;
	*s = (struct sweep){.o = o, .needed = needed};
	group(o->nnodes, o->chain, 1, o->nchains, &s->member_start, &s->members);
	group(nedges, &first->a, 2, o->nnodes, &s->out_start, &s->out);
	group(nedges, &first->b, 2, o->nnodes, &s->in_start, &s->in);
	s->missing = xcalloc(o->nnodes, sizeof *s->missing);
	resolve_edges(s, edges, nedges);
	s->cursor = xmalloc(o->nchains * sizeof *s->cursor);
	memcpy(s->cursor, s->member_start, o->nchains * sizeof *s->cursor);
	s->clock = xcalloc((size_t)o->nchains * o->nchains, sizeof *s->clock);
	s->changed = xcalloc(o->nchains, sizeof *s->changed);
	s->last_row = xmalloc(o->nchains * sizeof *s->last_row);
	memset(s->last_row, 0xff, o->nchains * sizeof *s->last_row);
	s->snapshot = xmalloc(o->nnodes * sizeof *s->snapshot);
	s->uses = xmalloc(o->nnodes * sizeof *s->uses);
}

static void sweep_release(struct sweep *s)
{
	free(s->members);
	free(s->member_start);
	free(s->out);
	free(s->out_start);
	free(s->in);
	free(s->in_start);
	free(s->missing);
	free(s->cursor);
	free(s->clock);
	free(s->changed);
	free(s->last_row);
	free(s->snapshot);
	free(s->uses);
	vec_free(&s->pool);
	vec_free(&s->free_slots);
	vec_free(&s->work);
}

struct order *order_new(uint32_t nnodes, const uint32_t *chain, uint32_t nchains,
			const struct edge *edges, size_t nedges, const bool *needed, uint32_t *cycle,
			struct error *err)
{
	struct order *o = xcalloc(1, sizeof *o);
	o->nnodes = nnodes;
	o->nchains = nchains;
	o->chain = xmalloc(nnodes * sizeof *o->chain);
	memcpy(o->chain, chain, nnodes * sizeof *o->chain);
	o->position = xmalloc(nnodes * sizeof *o->position);
	o->row = xmalloc(nnodes * sizeof *o->row);
	memset(o->row, 0xff, nnodes * sizeof *o->row);

	struct sweep s;
	sweep_init(&s, o, edges, nedges, needed);
	number_positions(&s);
	for (uint32_t c = nchains; c-- > 0;)
		*vec_push(&s.work) = c;
	while (s.work.n)
		run_chain(&s, s.work.at[--s.work.n]);
	bool complete = s.processed == nnodes;
	if (!complete)
		for (uint32_t c = 0; c < nchains; c++)
			if (s.cursor[c] < s.member_start[c + 1])
				*cycle = s.members[s.cursor[c]];
	sweep_release(&s);
	if (complete)
		return o;
	order_free(o);
	fail(err, "the known orders contradict one another");
	return NULL;
}

void order_free(struct order *o)
{
	if (!o)
		return;
	free(o->chain);
	free(o->position);
	free(o->row);
	vec_free(&o->rows);
	free(o);
}

uint32_t order_count_before(const struct order *o, uint32_t chain, uint32_t b)
{
	if (o->chain[b] == chain)
		return o->position[b];
	return o->rows.at[(size_t)o->row[b] * o->nchains + chain];
}

bool order_before(const struct order *o, uint32_t a, uint32_t b)
{
	return order_count_before(o, o->chain[a], b) > o->position[a];
}

uint32_t order_chain(const struct order *o, uint32_t node)
{
	return o->chain[node];
}

uint32_t order_position(const struct order *o, uint32_t node)
{
	return o->position[node];
}

uint32_t order_nchains(const struct order *o)
{
	return o->nchains;
}
