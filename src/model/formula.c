#include "model/formula_internal.h"

#include "model/values.h"

#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------- clauses and variables ---------------- */

literal formula_new_variable(struct formula *f, enum variable_kind kind, uint32_t a, uint32_t b)
{
	if (kind == VARIABLE_HELP) /* solvers know variables by these numbers */
		a = (uint32_t)f->variables.n;
	*vec_push(&f->variables) = (struct variable){kind, a, b};
	return (literal)f->variables.n - 1;
}

void formula_add_clause(struct formula *f, const literal *literals, size_t n)
{
	size_t start = f->literals.n;
	for (size_t i = 0; i < n; i++) {
		if (literals[i] == LITERAL_TRUE) {
			f->literals.n = start;
			return;
		}
		if (literals[i] != LITERAL_FALSE)
			*vec_push(&f->literals) = literals[i];
	}
	*vec_push(&f->ends) = (uint32_t)f->literals.n;
	f->possible = f->possible && f->literals.n > start;
}

static uint32_t hash_pair(uint32_t a, uint32_t b)
{
	uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

static uint32_t *find_order(const struct formula *f, uint32_t a, uint32_t b)
{
	uint32_t i = hash_pair(a, b) & f->table_mask;
	while (f->table[i]) {
		const struct variable *v = &f->variables.at[f->table[i]];
		if (v->a == a && v->b == b)
			break;
		i = (i + 1) & f->table_mask;
	}
	return &f->table[i];
}

static void grow_table(struct formula *f, uint32_t size)
{
	free(f->table);
	f->table = xcalloc(size, sizeof *f->table);
	f->table_mask = size - 1;
	for (uint32_t v = 2; v < f->variables.n; v++)
		if (f->variables.at[v].kind == VARIABLE_ORDER)
			*find_order(f, f->variables.at[v].a, f->variables.at[v].b) = v;
}

literal formula_before(struct formula *f, uint32_t a, uint32_t b)
{
	const struct order *o = f->p->m->order;
	if (a == b || order_before(o, b, a))
		return LITERAL_FALSE;
	if (order_before(o, a, b))
		return LITERAL_TRUE;
	uint32_t low = a < b ? a : b, high = a < b ? b : a;
	uint32_t *slot = find_order(f, low, high);
	literal v = (literal)*slot;
	if (!v) {
		v = formula_new_variable(f, VARIABLE_ORDER, low, high);
		*slot = (uint32_t)v;
		if (f->variables.n > f->table_mask / 2)
			grow_table(f, (f->table_mask + 1) * 2);
	}
	return a < b ? v : -v;
}

/* As formula_before, for orders that have a variable or are known. */
static literal existing_before(const struct formula *f, uint32_t a, uint32_t b)
{
	const struct order *o = f->p->m->order;
	if (a == b || order_before(o, b, a))
		return LITERAL_FALSE;
	if (order_before(o, a, b))
		return LITERAL_TRUE;
	literal v = (literal)*find_order(f, a < b ? a : b, a < b ? b : a);
	return a < b ? v : -v;
}

/* -------------------------------------------------- read-write --------------------------- */

/*
 * A piece that sees writer w: w is visible before the read takes place, and no other write w2 becomes visible
 * between the two. Under TSO and PSO the thread's own last write needs not be visible for its own reads
 * (store forwarding), which frees it from the first part, and nothing else can be seen before it is visible.
 */
static uint32_t seen_node(const struct formula *f, uint32_t writer)
{
	return f->p->m->visible[writer];
}

/* The clause "if the piece sees candidate i, then candidate j does not come between": its two orders. */
static void between_orders(struct formula *f, const struct piece *piece, uint32_t w, uint32_t w2,
			   literal out[2])
{
	out[0] = formula_before(f, seen_node(f, w2), seen_node(f, w));
	out[1] = w2 == piece->own ? LITERAL_FALSE
				  : formula_before(f, piece->event, seen_node(f, w2));
}

static void add_between(struct formula *f, const struct piece *piece, uint32_t i, uint32_t j)
{
	const uint32_t *candidate = f->p->candidates.at + piece->first;
	literal o[2], sees = f->choices[piece->first + i];
	if (i == j || candidate[j] == WRITER_INITIAL)
		return;
	if (candidate[i] == WRITER_INITIAL) {
		CLAUSE(f, -sees, formula_before(f, piece->event, seen_node(f, candidate[j])));
		return;
	}
	between_orders(f, piece, candidate[i], candidate[j], o);
	CLAUSE(f, -sees, o[0], o[1]);
}

static void add_equality(struct formula *f, const struct piece *piece, uint32_t i)
{
	const struct execution *x = f->p->m->x;
	uint32_t w = f->p->candidates.at[piece->first + i];
	struct equality e = {
		.guard = f->choices[piece->first + i],
		.a = x->events.at[piece->event].read,
		.a_low = piece->low,
		.width = piece->width,
	};
	if (w == WRITER_INITIAL) {
		e.value = f->p->initial[piece->atom];
	} else {
		e.b = x->events.at[w].written;
		e.b_low = (uint8_t)atom_low_bit(f->p->m, w, piece->atom);
	}
	if (e.a)
		*vec_push(&f->equalities) = e;
}

static void add_choices(struct formula *f, uint32_t number, const bool *impossible)
{
	const struct piece *piece = &f->p->pieces.at[number];
	uint32_t possible = 0;
	for (uint32_t i = piece->first; i < piece->first + piece->count; i++)
		possible += !impossible[i];
	for (uint32_t i = piece->first; i < piece->first + piece->count; i++)
		f->choices[i] = impossible[i]  ? LITERAL_FALSE
				: possible == 1 ? LITERAL_TRUE
						: formula_new_variable(f, VARIABLE_CHOICE, number, i);
	formula_add_clause(f, f->choices + piece->first, piece->count);
	if (possible > 1)
		*vec_push(&f->exclusive) = (uint32_t)f->ends.n - 1;
}

static void add_piece(struct formula *f, uint32_t number, const bool *impossible)
{
	const struct piece *piece = &f->p->pieces.at[number];
	const uint32_t *candidate = f->p->candidates.at + piece->first;
	add_choices(f, number, impossible);
	for (uint32_t i = 0; i < piece->count; i++) {
		if (candidate[i] != WRITER_INITIAL && candidate[i] != piece->own)
			formula_before(f, piece->event, seen_node(f, candidate[i]));
		if (f->choices[piece->first + i] == LITERAL_FALSE)
			continue;
		add_equality(f, piece, i);
		if (candidate[i] != WRITER_INITIAL && candidate[i] != piece->own)
			CLAUSE(f, -f->choices[piece->first + i],
			       formula_before(f, seen_node(f, candidate[i]), piece->event));
	}
	bool write_out = piece->count <= f->between_limit;
	for (uint32_t i = 0; i < piece->count; i++)
		for (uint32_t j = 0; j < piece->count; j++) {
			if (f->choices[piece->first + i] == LITERAL_FALSE)
				continue;
			if (write_out || candidate[i] == WRITER_INITIAL || candidate[j] == piece->own)
				add_between(f, piece, i, j);
			else if (i != j && candidate[j] != WRITER_INITIAL)
				formula_before(f, seen_node(f, candidate[i]),
					       seen_node(f, candidate[j]));
		}
}

/* -------------------------------------------------- order variables ---------------------- */

/* An order variable seen from one of its nodes: `lit` says that the other one comes first. */
struct side {
	uint32_t node, chain, position;
	literal lit;
};

static int by_side(const void *p, const void *q)
{
	const struct side *a = p, *b = q;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->chain != b->chain)
		return a->chain < b->chain ? -1 : 1;
	return a->position < b->position ? -1 : a->position > b->position;
}

/*
 * Orders against one chain are monotone: what comes after a later node of it comes after an earlier one. Two
 * literals per clause, linear in the number of variables; most cycles never arise with them.
 */
static void add_monotony(struct formula *f)
{
	const struct order *o = f->p->m->order;
	vec(struct side) sides = {0};
	for (uint32_t v = 2; v < f->variables.n; v++) {
		const struct variable *var = &f->variables.at[v];
		if (var->kind != VARIABLE_ORDER)
			continue;
		*vec_push(&sides) = (struct side){var->b, order_chain(o, var->a),
						  order_position(o, var->a), (literal)v};
		*vec_push(&sides) = (struct side){var->a, order_chain(o, var->b),
						  order_position(o, var->b), -(literal)v};
	}
	if (sides.n)
		qsort(sides.at, sides.n, sizeof *sides.at, by_side);
	for (size_t i = 1; i < sides.n; i++) {
		const struct side *s = &sides.at[i - 1], *t = &sides.at[i];
		if (s->node == t->node && s->chain == t->chain)
			CLAUSE(f, -t->lit, s->lit);
	}
	vec_free(&sides);
}

static int by_number(const void *p, const void *q)
{
	uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
	return a < b ? -1 : a > b;
}

/* Nodes of order variables by chain, in order: members[start[c] .. start[c + 1]). */
struct by_chain {
	uint32_t *members, *start;
};

static struct by_chain ordered_nodes(const struct formula *f, const uint32_t *nodes, size_t n)
{
	const struct order *o = f->p->m->order;
	uint32_t nchains = order_nchains(o);
	struct by_chain c = {xmalloc(n * sizeof *c.members),
			     xcalloc((size_t)nchains + 2, sizeof *c.start)};
	for (size_t i = 0; i < n; i++)
		c.start[order_chain(o, nodes[i]) + 2]++;
	for (uint32_t k = 2; k < nchains + 2; k++)
		c.start[k] += c.start[k - 1];
	for (size_t i = 0; i < n; i++) /* nodes ascend, so a chain's members do */
		c.members[c.start[order_chain(o, nodes[i]) + 1]++] = nodes[i];
	return c;
}

/* The last member of this chain known to come before b, or UINT32_MAX. */
static uint32_t last_before(const struct order *o, const struct by_chain *c, uint32_t chain, uint32_t b)
{
	uint32_t count = order_count_before(o, chain, b), from = c->start[chain],
		 to = c->start[chain + 1];
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;
		if (order_position(o, c->members[mid]) < count)
			from = mid + 1;
		else
			to = mid;
	}
	return from == c->start[chain] ? UINT32_MAX : c->members[from - 1];
}

/* The known order among the nodes of order variables, without edges that others imply. */
static void find_known(struct formula *f)
{
	const struct order *o = f->p->m->order;
	vec(uint32_t) nodes = {0};
	for (uint32_t v = 2; v < f->variables.n; v++)
		if (f->variables.at[v].kind == VARIABLE_ORDER) {
			*vec_push(&nodes) = f->variables.at[v].a;
			*vec_push(&nodes) = f->variables.at[v].b;
		}
	if (!nodes.n)
		return;
	qsort(nodes.at, nodes.n, sizeof *nodes.at, by_number);
	size_t n = 0;
	for (size_t i = 0; i < nodes.n; i++)
		if (!n || nodes.at[n - 1] != nodes.at[i])
			nodes.at[n++] = nodes.at[i];
	struct by_chain c = ordered_nodes(f, nodes.at, n);
	uint32_t *before = xmalloc(order_nchains(o) * sizeof *before);
	for (size_t i = 0; i < n; i++) {
		uint32_t b = nodes.at[i], k = 0;
		for (uint32_t chain = 0; chain < order_nchains(o); chain++) {
			uint32_t a = c.start[chain] == c.start[chain + 1]
					     ? UINT32_MAX
					     : last_before(o, &c, chain, b);
			if (a != UINT32_MAX)
				before[k++] = a;
		}
		for (uint32_t s = 0; s < k; s++) {
			bool implied = false;
			for (uint32_t t = 0; t < k && !implied; t++)
				implied = t != s && order_before(o, before[s], before[t]);
			if (!implied)
				*vec_push(&f->known) = (struct edge){before[s], b};
		}
	}
	free(before);
	free(c.members);
	free(c.start);
	vec_free(&nodes);
}

/* -------------------------------------------------- models ------------------------------- */

uint32_t formula_choice(const struct formula *f, const bool *model, uint32_t piece)
{
	const struct piece *p = &f->p->pieces.at[piece];
	for (uint32_t i = p->first; i < p->first + p->count; i++)
		if (literal_holds(model, f->choices[i]))
			return i;
	return p->first;
}

size_t formula_find_between(struct formula *f, const bool *model, size_t limit)
{
	size_t added = 0;
	for (uint32_t n = 0; n < f->p->pieces.n && added < limit; n++) {
		const struct piece *piece = &f->p->pieces.at[n];
		if (piece->count <= f->between_limit)
			continue;
		uint32_t i = formula_choice(f, model, n) - piece->first;
		uint32_t w = f->p->candidates.at[piece->first + i];
		for (uint32_t j = 0; j < piece->count && w != WRITER_INITIAL; j++) {
			uint32_t w2 = f->p->candidates.at[piece->first + j];
			literal o[2];
			if (j == i || w2 == WRITER_INITIAL || w2 == piece->own)
				continue;
			between_orders(f, piece, w, w2, o);
			if (!literal_holds(model, o[0]) && !literal_holds(model, o[1])) {
				add_between(f, piece, i, j);
				added++;
			}
		}
	}
	return added;
}

static void push_edge(struct chosen_edges *out, uint32_t a, uint32_t b, literal reason)
{
	if (reason != LITERAL_TRUE)
		*vec_push(out) = (struct chosen_edge){a, b, reason};
}

static void choose_piece(const struct formula *f, const bool *model, uint32_t number,
			 struct chosen_edges *out)
{
	const struct piece *piece = &f->p->pieces.at[number];
	uint32_t chosen = formula_choice(f, model, number), read = piece->event;
	uint32_t w = f->p->candidates.at[chosen];
	uint32_t v = w == WRITER_INITIAL ? 0 : seen_node(f, w);
	if (w != WRITER_INITIAL && w != piece->own)
		push_edge(out, v, read, existing_before(f, v, read));
	for (uint32_t i = piece->first; i < piece->first + piece->count; i++) {
		uint32_t w2 = f->p->candidates.at[i];
		if (i == chosen || w2 == WRITER_INITIAL)
			continue;
		uint32_t v2 = seen_node(f, w2);
		literal after = w2 == piece->own ? LITERAL_FALSE : existing_before(f, read, v2);
		if (w == WRITER_INITIAL || literal_holds(model, after))
			push_edge(out, read, v2, after);
		else
			push_edge(out, v2, v, existing_before(f, v2, v));
	}
}

static void push_order_variable(const struct formula *f, const bool *model, literal l,
				struct chosen_edges *out)
{
	if (l == LITERAL_TRUE || l == LITERAL_FALSE || !literal_holds(model, l))
		return;
	const struct variable *v = &f->variables.at[l > 0 ? l : -l];
	push_edge(out, l > 0 ? v->a : v->b, l > 0 ? v->b : v->a, l);
}

void formula_chosen_edges(const struct formula *f, const bool *model, struct chosen_edges *out)
{
	out->n = 0;
	for (uint32_t n = 0; n < f->p->pieces.n; n++)
		choose_piece(f, model, n, out);
	for (size_t i = 0; i < f->guarded.n; i++)
		if (literal_holds(model, f->guarded.at[i].guard))
			push_order_variable(f, model, f->guarded.at[i].order, out);
}

/* The choice of this writer by the piece. */
static literal choice_of(const struct formula *f, const struct piece *piece, uint32_t writer)
{
	for (uint32_t i = piece->first; i < piece->first + piece->count; i++)
		if (f->p->candidates.at[i] == writer)
			return f->choices[i];
	return LITERAL_FALSE;
}

bool formula_block(struct formula *f, const uint32_t *seen)
{
	vec(literal) clause = {0};
	for (uint32_t n = 0; n < f->p->pieces.n; n++)
		*vec_push(&clause) = -choice_of(f, &f->p->pieces.at[n], seen[n]);
	formula_add_clause(f, clause.at, clause.n);
	vec_free(&clause);
	return f->possible;
}

/* -------------------------------------------------- all of it ---------------------------- */

bool formula_init(struct formula *f, const struct problem *p, const struct formula_options *options,
		  struct error *err)
{
	*f = (struct formula){.p = p, .possible = true, .between_limit = options->between_limit};
	*vec_push(&f->variables) = (struct variable){0};
	*vec_push(&f->variables) = (struct variable){.kind = VARIABLE_CONSTANT};
	grow_table(f, 1024);
	f->choices = xcalloc(p->candidates.n, sizeof *f->choices);
	bool *found = options->impossible ? NULL : values_impossible(p);
	for (uint32_t n = 0; n < p->pieces.n; n++)
		add_piece(f, n, found ? found : options->impossible);
	free(found);
	formula_add_synchronization(f);
	add_monotony(f);
	find_known(f);
	if (f->variables.n < INT32_MAX)
		return true;
	formula_release(f);
	return fail(err, "the formula has more than two thousand million variables");
}

void formula_release(struct formula *f)
{
	vec_free(&f->variables);
	vec_free(&f->literals);
	vec_free(&f->ends);
	vec_free(&f->exclusive);
	vec_free(&f->equalities);
	vec_free(&f->known);
	vec_free(&f->guarded);
	free(f->choices);
	free(f->table);
	free(f->guess);
	*f = (struct formula){0};
}
