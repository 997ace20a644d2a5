#include "solve/machine_internal.h"

#include <stdlib.h>
#include <string.h>

/* Turns counts at [k + 1] into starts at [k]. */
static void sum_up(uint32_t *start, size_t n)
{
	for (size_t k = 0; k < n; k++)
		start[k + 1] += start[k];
}

static void *zeroes(size_t n, size_t size)
{
	return xcalloc(n + 1, size);
}

/* -------------------------------------------------- order -------------------------------- */

static void build_chains(struct machine *m)
{
	const struct memory *o = m->m;
	m->nchains = o->nchains;
	m->start = zeroes(o->nchains + 1, sizeof *m->start);
	m->sequence = zeroes(o->nnodes, sizeof *m->sequence);
	m->place = zeroes(o->nnodes, sizeof *m->place);
	m->at = zeroes(o->nchains, sizeof *m->at);
	for (uint32_t n = 0; n < o->nnodes; n++)
		m->start[o->chain[n] + 1]++;
	sum_up(m->start, o->nchains);
	for (uint32_t n = 0; n < o->nnodes; n++) { /* `at` counts for a moment */
		m->place[n] = m->at[o->chain[n]]++;
		m->sequence[m->start[o->chain[n]] + m->place[n]] = n;
	}
	memset(m->at, 0, o->nchains * sizeof *m->at);
}

static void build_edges(struct machine *m)
{
	const struct memory *o = m->m;
	m->missing = zeroes(o->nnodes, sizeof *m->missing);
	m->out_start = zeroes(o->nnodes + 1, sizeof *m->out_start);
	m->out = zeroes(o->edges.n, sizeof *m->out);
	for (size_t i = 0; i < o->edges.n; i++) {
		m->out_start[o->edges.at[i].a + 1]++;
		m->missing[o->edges.at[i].b]++;
	}
	sum_up(m->out_start, o->nnodes);
	uint32_t *fill = zeroes(o->nnodes, sizeof *fill);
	for (size_t i = 0; i < o->edges.n; i++) {
		uint32_t a = o->edges.at[i].a;
		m->out[m->out_start[a] + fill[a]++] = o->edges.at[i].b;
	}
	free(fill);
}

/* -------------------------------------------------- accesses ----------------------------- */

static void build_pieces(struct machine *m)
{
	const struct problem *p = m->p;
	size_t nevents = m->x->events.n;
	m->piece_start = zeroes(nevents + 1, sizeof *m->piece_start);
	m->pieces = zeroes(p->pieces.n, sizeof *m->pieces);
	m->read_accesses = zeroes(p->pieces.n, sizeof *m->read_accesses);
	m->seen = zeroes(p->pieces.n, sizeof *m->seen);
	m->unread = zeroes(m->m->atoms.at.n, sizeof *m->unread);
	for (size_t i = 0; i < p->pieces.n; i++) {
		m->piece_start[p->pieces.at[i].event + 1]++;
		m->unread[p->pieces.at[i].atom]++;
	}
	sum_up(m->piece_start, nevents);
	uint32_t *fill = zeroes(nevents, sizeof *fill);
	for (uint32_t i = 0; i < p->pieces.n; i++) {
		uint32_t e = p->pieces.at[i].event;
		m->pieces[m->piece_start[e] + fill[e]++] = i;
	}
	free(fill);
}

static uint32_t thread_of(const struct machine *m, uint32_t event)
{
	return event == WRITER_INITIAL ? NONE : m->x->events.at[event].thread;
}

/* What an event is expected to write. */
struct expectation {
	uint64_t object, value;
	uint32_t event;
};

static int by_value(const void *p, const void *q)
{
	const struct expectation *a = p, *b = q;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

/*
 * Where two threads are expected to write the same, what one of them has written may have come between the other's write and its reading back: then
 * nothing is expected of either. Else what the write was computed from is known as well.
 */
static void settle_expected(struct machine *m)
{
	vec(struct expectation) all = {0};
	for (uint32_t e = 0; e < m->x->events.n; e++)
		if (m->is_expected[e])
			*vec_push(&all) = (struct expectation){m->x->events.at[e].object, m->expected[e], e};
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_value);
	for (size_t first = 0, end; first < all.n; first = end) {
		bool alone = true;
		for (end = first + 1; end < all.n && !by_value(&all.at[first], &all.at[end]); end++)
			alone &= thread_of(m, all.at[first].event) == thread_of(m, all.at[end].event);
		for (size_t i = first; i < end; i++) {
			m->is_expected[all.at[i].event] = alone;
			if (alone)
				value_test_expect(m->test, m->x->events.at[all.at[i].event].written, all.at[i].value);
		}
	}
	vec_free(&all);
}

/* What is written whole, and read by the same thread afterwards, most likely is what the first such read found, where the conditions do not say it. */
static void build_expected(struct machine *m)
{
	uint32_t *found = zeroes(m->x->events.n, sizeof *found); /* by event: the read it was found in */
	m->is_expected = zeroes(m->x->events.n, sizeof *m->is_expected);
	m->expected = zeroes(m->x->events.n, sizeof *m->expected);
	for (size_t i = 0; i < m->p->pieces.n; i++) {
		const struct piece *piece = &m->p->pieces.at[i];
		const struct event *read = &m->x->events.at[piece->event];
		uint32_t own = piece->own;
		if (own == WRITER_INITIAL || (m->is_expected[own] && found[own] < piece->event) || piece->width != 8 * read->size ||
		    m->x->events.at[own].size != read->size || m->x->events.at[own].object != read->object ||
		    pinned_value(&m->p->pinned, m->x->events.at[own].written, NULL) ||
		    !pinned_value(&m->p->pinned, read->read, &m->expected[own]))
			continue;
		m->is_expected[own] = true;
		found[own] = piece->event;
	}
	free(found);
}

/* Of a large problem what is possible is found out when it is asked for. */
static void build_large_runs(struct machine *m)
{
	const struct problem *p = m->p;
	m->test = value_test_new(p);
	m->run_start = zeroes(p->pieces.n + 1, sizeof *m->run_start);
	m->runs = zeroes(p->ranges.n, sizeof *m->runs);
	uint32_t n = 0;
	for (size_t i = 0; i < p->pieces.n; i++) {
		const struct piece *piece = &p->pieces.at[i];
		for (uint32_t r = piece->ranges; r < piece->ranges + piece->nranges; r++)
			m->runs[n++] = (struct candidates){p->ranges.at[r].from, p->ranges.at[r].to, NONE,
							   p->ranges.at[r].to};
		m->run_start[i + 1] = n;
	}
	build_expected(m);
	settle_expected(m);
}

static void build_runs(struct machine *m)
{
	const struct problem *p = m->p;
	vec(struct candidates) runs = {0};
	if (p->large) {
		build_large_runs(m);
		return;
	}
	m->run_start = zeroes(p->pieces.n + 1, sizeof *m->run_start);
	for (size_t n = 0; n < p->pieces.n; n++) {
		const struct piece *piece = &p->pieces.at[n];
		uint32_t thread = NONE, before = NONE;
		for (uint32_t i = piece->first; i < piece->first + piece->count; i++) {
			uint32_t w = p->candidates.at[i];
			if (w == WRITER_INITIAL)
				continue;
			if (thread_of(m, w) != thread || w < before)
				*vec_push(&runs) = (struct candidates){i, i, NONE, 0};
			thread = thread_of(m, w);
			before = w;
			runs.at[runs.n - 1].to = i + 1;
			if (!m->impossible[i])
				runs.at[runs.n - 1].last = m->m->visible[w];
		}
		m->run_start[n + 1] = (uint32_t)runs.n;
	}
	m->runs = runs.at;
}

/* The bits that candidate i gives the piece, when they are the same in every order. */
static bool is_constant(const struct machine *m, const struct piece *piece, uint32_t i, uint64_t *value)
{
	uint32_t w = m->p->candidates.at[i];
	if (w == WRITER_INITIAL) {
		*value = m->p->initial[piece->atom];
		return true;
	}
	if (!expr_is_const(m->x->exprs, m->x->events.at[w].written, value))
		return false;
	*value = bits(*value, atom_low_bit(m->m, w, piece->atom), piece->width);
	return true;
}

/* With every read counting, a value lives on unless all possible writers give the same. */
static void build_lives(struct machine *m)
{
	m->lives = zeroes(m->p->pieces.n, sizeof *m->lives);
	for (size_t n = 0; m->p->all_reads && n < m->p->pieces.n; n++) {
		const struct piece *piece = &m->p->pieces.at[n];
		bool any = false;
		uint64_t first = 0, value;
		m->lives[n] = m->p->large && piece->count > 1 && !pinned_value(&m->p->pinned, m->x->events.at[piece->event].read, NULL);
		for (uint32_t i = piece->first; !m->p->large && i < piece->first + piece->count && !m->lives[n]; i++) {
			if (m->impossible[i])
				continue;
			m->lives[n] = !is_constant(m, piece, i, &value) || (any && value != first);
			first = value;
			any = true;
		}
	}
}

/* Only what is written to atoms that are read counts. */
static void build_parts(struct machine *m)
{
	size_t nevents = m->x->events.n;
	m->part_start = zeroes(nevents + 1, sizeof *m->part_start);
	for (uint32_t e = 0; e < nevents; e++) {
		for (uint32_t k = 0; event_writes(&m->x->events.at[e]) && k < m->m->atoms.count[e]; k++) {
			uint32_t atom = m->m->atoms.first[e] + k;
			if (m->unread[atom])
				*vec_push(&m->parts) = (struct write_part){
					atom, 0, (uint8_t)atom_low_bit(m->m, e, atom),
					(uint8_t)(m->m->atoms.at.at[atom].size * 8)};
		}
		m->part_start[e + 1] = (uint32_t)m->parts.n;
	}
}

/* One access to be put into a list: sorted by atom, kind, chain and place. */
struct entry {
	uint32_t atom, chain, place, node;
	uint32_t *back; /* where the number of its list goes */
	bool write;
};

static int by_entry(const void *p, const void *q)
{
	const struct entry *a = p, *b = q;
	if (a->atom != b->atom)
		return a->atom < b->atom ? -1 : 1;
	if (a->write != b->write)
		return a->write ? 1 : -1;
	if (a->chain != b->chain)
		return a->chain < b->chain ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static void build_accesses(struct machine *m)
{
	vec(struct entry) all = {0};
	for (size_t i = 0; i < m->p->pieces.n; i++) {
		const struct piece *p = &m->p->pieces.at[i];
		*vec_push(&all) = (struct entry){p->atom, m->m->chain[p->event], m->place[p->event], p->event,
						 &m->read_accesses[i], false};
	}
	for (uint32_t e = 0; e < m->x->events.n; e++)
		for (uint32_t i = m->part_start[e]; i < m->part_start[e + 1]; i++) {
			uint32_t v = m->m->visible[e];
			*vec_push(&all) = (struct entry){m->parts.at[i].atom, m->m->chain[v], m->place[v], v,
							 &m->parts.at[i].accesses, true};
		}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_entry);
	m->access_nodes = zeroes(all.n, sizeof *m->access_nodes);
	m->atom_start = zeroes(m->m->atoms.at.n + 1, sizeof *m->atom_start);
	for (uint32_t i = 0; i < all.n; i++) {
		const struct entry *e = &all.at[i], *before = i ? e - 1 : NULL;
		if (!before || before->atom != e->atom || before->write != e->write || before->chain != e->chain) {
			*vec_push(&m->accesses) = (struct accesses){
				e->atom, e->chain, thread_of(m, m->m->event_of[e->node]), i, i, i, e->write};
			m->atom_start[e->atom + 1]++;
		}
		*e->back = (uint32_t)m->accesses.n - 1;
		m->access_nodes[i] = e->node;
		m->accesses.at[m->accesses.n - 1].to = i + 1;
	}
	sum_up(m->atom_start, m->m->atoms.at.n);
	m->atom_accesses = zeroes(m->accesses.n, sizeof *m->atom_accesses);
	for (uint32_t i = 0; i < m->accesses.n; i++) /* they are sorted by atom */
		m->atom_accesses[i] = i;
	vec_free(&all);
}

/* -------------------------------------------------- values ------------------------------- */

static void mark_cone(struct machine *m, expr e)
{
	const struct expr_node *nodes = expr_nodes(m->x->exprs);
	vec(expr) stack = {0};
	*vec_push(&stack) = e;
	while (stack.n) {
		expr at = stack.at[--stack.n];
		if (!at || m->cone[at])
			continue;
		m->cone[at] = true;
		*vec_push(&stack) = nodes[at].a;
		*vec_push(&stack) = nodes[at].b;
		*vec_push(&stack) = nodes[at].c;
	}
	vec_free(&stack);
}

static void build_uses(struct machine *m)
{
	const struct expr_node *nodes = expr_nodes(m->x->exprs);
	size_t n = expr_count(m->x->exprs);
	m->parent_start = zeroes(n + 2, sizeof *m->parent_start);
	for (size_t pass = 0; pass < 2; pass++) {
		uint32_t *fill = zeroes(n + 1, sizeof *fill);
		for (expr e = 1; e <= n; e++) {
			const expr below[3] = {nodes[e].a, nodes[e].b, nodes[e].c};
			for (int i = 0; m->cone[e] && i < 3; i++) {
				if (!below[i])
					continue;
				if (pass) {
					m->parents[m->parent_start[below[i]] + fill[below[i]]++] = e;
					continue;
				}
				m->parent_start[below[i] + 1]++;
				m->pending[below[i]]++;
				m->waiting[e]++;
			}
			if (!pass && nodes[e].op == EXPR_SYM)
				m->waiting[e] = !pinned_value(&m->p->pinned, e, NULL);
		}
		if (!pass) {
			sum_up(m->parent_start, n + 1);
			m->parents = zeroes(m->parent_start[n + 1], sizeof *m->parents);
		}
		free(fill);
	}
}

/* Expressions that have one value only are known from the start; a condition among them that is false: nothing can be right. */
static bool know_constants(struct machine *m, struct error *err)
{
	const struct expr_node *nodes = expr_nodes(m->x->exprs);
	for (expr e = 1; e <= expr_count(m->x->exprs); e++) {
		const struct expr_node *n = &nodes[e];
		if (n->op == EXPR_ITE && m->cone[e] && !m->waiting[n->a] && !m->waiting[m->value[n->a] ? n->b : n->c])
			m->waiting[e] = 0;
		if (!m->cone[e] || m->waiting[e])
			continue;
		if (!pinned_value(&m->p->pinned, e, &m->value[e]))
			m->value[e] = expr_apply(m->x->exprs, e, m->symbols, m->value);
		if (m->is_condition[e] && !m->value[e])
			return fail(err, "a condition is false whatever is read");
		m->conditions_left -= m->is_condition[e];
		for (uint32_t i = m->parent_start[e]; i < m->parent_start[e + 1]; i++) {
			expr q = m->parents[i];
			m->waiting[q] -= nodes[q].op != EXPR_ITE; /* which is looked at when its condition has its value */
		}
		const expr below[3] = {n->a, n->b, n->c};
		for (int i = 0; i < 3; i++)
			if (below[i])
				m->pending[below[i]]--;
	}
	return true;
}

static void find_symbols(struct machine *m)
{
	const struct expr_node *nodes = expr_nodes(m->x->exprs);
	for (expr e = 1; e <= expr_count(m->x->exprs); e++)
		if (nodes[e].op == EXPR_SYM)
			m->symbol[nodes[e].value] = e;
}

/* Is there a symbol that counts and that no read gives a value? */
static bool has_free_symbols(const struct machine *m)
{
	bool *read = zeroes(m->x->nsymbols, sizeof *read), any = false;
	for (size_t i = 0; i < m->p->pieces.n; i++) {
		const struct expr_node *n = expr_node(m->x->exprs, m->x->events.at[m->p->pieces.at[i].event].read);
		if (n->op == EXPR_SYM)
			read[n->value] = true;
	}
	for (uint32_t s = 0; s < m->x->nsymbols; s++)
		any |= m->symbol[s] && m->cone[m->symbol[s]] && !read[s];
	free(read);
	return any;
}

/* The events that are a candidate of some piece: where ranges begin and end is summed up. */
static void mark_counting(struct machine *m)
{
	const struct problem *p = m->p;
	int32_t *change = zeroes(p->writers.n + 1, sizeof *change), in = 0;
	for (size_t i = 0; i < p->ranges.n; i++) {
		change[p->ranges.at[i].from]++;
		change[p->ranges.at[i].to]--;
	}
	for (size_t k = 0; k < p->writers.n; k++) {
		in += change[k];
		m->counts[p->writers.at[k]] |= in > 0;
	}
	free(change);
}

static void build_values(struct machine *m)
{
	size_t n = expr_count(m->x->exprs) + 1;
	m->counts = zeroes(m->x->events.n, sizeof *m->counts);
	m->value = zeroes(n, sizeof *m->value);
	m->waiting = zeroes(n, sizeof *m->waiting);
	m->pending = zeroes(n, sizeof *m->pending);
	m->cone = zeroes(n, sizeof *m->cone);
	m->is_condition = zeroes(n, sizeof *m->is_condition);
	m->symbol = zeroes(m->x->nsymbols, sizeof *m->symbol);
	m->symbols = zeroes(m->x->nsymbols, sizeof *m->symbols);
	for (size_t i = 0; i < m->x->conditions.n; i++) {
		m->conditions_left += !m->is_condition[m->x->conditions.at[i].condition];
		m->is_condition[m->x->conditions.at[i].condition] = true;
		mark_cone(m, m->x->conditions.at[i].condition);
	}
	mark_counting(m);
	for (uint32_t e = 0; e < m->x->events.n; e++)
		if (m->counts[e])
			mark_cone(m, m->x->events.at[e].written);
	build_uses(m);
	for (uint32_t e = 0; e < m->x->events.n; e++)
		if (m->counts[e])
			m->pending[m->x->events.at[e].written]++;
	find_symbols(m);
	m->is_free = has_free_symbols(m);
}

/* -------------------------------------------------- all of it ---------------------------- */

struct machine *machine_new(const struct problem *p, const bool *impossible, bool *contradiction, struct error *err)
{
	size_t natoms = p->m->atoms.at.n;
	*contradiction = false;
	struct machine *m = xcalloc(1, sizeof *m);
	*m = (struct machine){.p = p, .m = p->m, .x = p->m->x, .impossible = impossible};
	build_chains(m);
	build_edges(m);
	machine_sync_build(m);
	build_pieces(m);
	build_runs(m);
	build_lives(m);
	build_parts(m);
	build_accesses(m);
	m->memory = zeroes(natoms, sizeof *m->memory);
	memcpy(m->memory, p->initial, natoms * sizeof *m->memory);
	m->writer = zeroes(natoms, sizeof *m->writer);
	memset(m->writer, 0xff, natoms * sizeof *m->writer);
	m->stored = zeroes(m->x->events.n, sizeof *m->stored);
	m->lost = zeroes(m->x->events.n, sizeof *m->lost);
	m->unknown = zeroes(natoms, sizeof *m->unknown);
	m->buffered = zeroes(m->x->threads.n, sizeof *m->buffered);
	m->most_buffered = UINT32_MAX;
	build_values(m);
	machine_wants_build(m);
	if (know_constants(m, err))
		return m;
	*contradiction = true;
	machine_free(m);
	return NULL;
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	void *all[] = {m->sequence, m->start,        m->place,        m->at,           m->missing,   m->out,
		       m->out_start, m->pieces,      m->piece_start,  m->read_accesses, m->runs,     m->run_start,
		       m->part_start, m->access_nodes, m->atom_accesses, m->atom_start, m->memory,   m->writer,
		       m->unread,    m->seen,        m->stored,       m->objects,      m->object_of, m->waiters,   m->value,
		       m->waiting,   m->pending,     m->parents,      m->parent_start, m->cone,      m->is_condition,
		       m->symbol,    m->symbols,     m->counts,    m->buffered,
		       m->lost,      m->unknown,     m->lives,     m->is_expected,     m->expected,  m->may_delay,
		       m->last_writes, m->last_open};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
	value_test_free(m->test);
	vec_free(&m->parts);
	vec_free(&m->accesses);
	vec_free(&m->known);
	vec_free(&m->undo32);
	vec_free(&m->undo64);
	free(m);
}
