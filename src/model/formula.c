#include "model/formula.h"

#include "model/values.h"

#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------- clauses and variables ---------------- */

static literal new_variable(struct formula *f, enum variable_kind kind, uint32_t a, uint32_t b)
{
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

#define CLAUSE(f, ...)                                                                         \
	formula_add_clause(f, (literal[]){__VA_ARGS__},                                        \
			   sizeof(literal[]){__VA_ARGS__} / sizeof(literal))

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
		v = new_variable(f, VARIABLE_ORDER, low, high);
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
						: new_variable(f, VARIABLE_CHOICE, number, i);
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

/* -------------------------------------------------- synchronization ---------------------- */

struct sync_op {
	uint64_t object;
	uint32_t event;
};

static int by_object(const void *p, const void *q)
{
	const struct sync_op *a = p, *b = q;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

typedef vec(struct sync_op) sync_ops;

static void collect(const struct execution *x, enum event_kind first, enum event_kind last, sync_ops *out)
{
	for (uint32_t e = 0; e < x->events.n; e++)
		if (x->events.at[e].kind >= first && x->events.at[e].kind <= last)
			*vec_push(out) = (struct sync_op){x->events.at[e].object, e};
	if (out->n)
		qsort(out->at, out->n, sizeof *out->at, by_object);
}

static void order_sections(struct formula *f, const struct section *s, const struct section *t)
{
	if (f->p->m->x->events.at[s->lock].thread == f->p->m->x->events.at[t->lock].thread ||
	    (s->shared && t->shared))
		return;
	literal st = s->unlock == UINT32_MAX ? LITERAL_FALSE : formula_before(f, s->unlock, t->lock);
	literal ts = t->unlock == UINT32_MAX ? LITERAL_FALSE : formula_before(f, t->unlock, s->lock);
	if (st == LITERAL_TRUE || ts == LITERAL_TRUE)
		return;
	CLAUSE(f, st, ts);
	CLAUSE(f, -st, -ts);
	*vec_push(&f->lock_literals) = st;
	*vec_push(&f->lock_literals) = ts;
}

/*
 * Locking constraints (CLAP §3.2) of one lock: its operations are ops[0..n). Nested locking by one thread
 * (a recursive mutex) makes one section.
 */
static void add_lock(struct formula *f, const struct sync_op *ops, size_t n)
{
	const struct execution *x = f->p->m->x;
	vec(struct section) sections = {0};
	uint32_t depth = 0;
	for (size_t i = 0; i < n; i++) {
		const struct event *e = &x->events.at[ops[i].event];
		if (i == 0 || e->thread != x->events.at[ops[i - 1].event].thread)
			depth = 0;
		if (e->kind == EVENT_LOCK && depth++ == 0)
			*vec_push(&sections) = (struct section){
				ops[i].event, UINT32_MAX, (e->flags & EVENT_SHARED) != 0};
		else if (e->kind == EVENT_UNLOCK && depth && --depth == 0)
			sections.at[sections.n - 1].unlock = ops[i].event;
	}
	for (size_t i = 0; i < sections.n; i++)
		for (size_t j = i + 1; j < sections.n; j++)
			order_sections(f, &sections.at[i], &sections.at[j]);
	vec_free(&sections);
}

/* The event where a thread starts waiting: the release of the mutex in the same operation, or none. */
static uint32_t wait_start(const struct execution *x, uint32_t wait)
{
	if (wait == x->threads.at[x->events.at[wait].thread].first)
		return UINT32_MAX;
	const struct event *e = &x->events.at[wait - 1];
	return e->kind == EVENT_UNLOCK && e->sap == x->events.at[wait].sap ? wait - 1 : UINT32_MAX;
}

/* One wait and one signal that may wake it: the literal, or false. */
static literal add_match(struct formula *f, uint32_t wait, uint32_t signal)
{
	uint32_t start = wait_start(f->p->m->x, wait);
	literal before = formula_before(f, signal, wait);
	literal after = start == UINT32_MAX ? LITERAL_TRUE : formula_before(f, start, signal);
	if (before == LITERAL_FALSE || after == LITERAL_FALSE)
		return LITERAL_FALSE;
	literal match = new_variable(f, VARIABLE_MATCH, wait, signal);
	CLAUSE(f, -match, before);
	CLAUSE(f, -match, after);
	return match;
}

/*
 * Wait and signal constraints of one condition variable: every wait is woken by a signal of another
 * thread that comes while it waits; a signal (not a broadcast) wakes one.
 */
static void add_condition_variable(struct formula *f, const struct sync_op *ops, size_t n)
{
	const struct execution *x = f->p->m->x;
	size_t nwaits = 0;
	literal *matches = xmalloc(n * n * sizeof *matches);
	for (size_t i = 0; i < n; i++) {
		const struct event *w = &x->events.at[ops[i].event];
		if (w->kind != EVENT_WAIT)
			continue;
		literal *m = matches + nwaits++ * n;
		for (size_t j = 0; j < n; j++) {
			const struct event *s = &x->events.at[ops[j].event];
			m[j] = s->kind == EVENT_WAIT || s->thread == w->thread
				       ? LITERAL_FALSE
				       : add_match(f, ops[i].event, ops[j].event);
		}
		formula_add_clause(f, m, n);
	}
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; x->events.at[ops[j].event].kind == EVENT_SIGNAL && i < nwaits; i++)
			for (size_t k = i + 1; k < nwaits; k++)
				CLAUSE(f, -matches[i * n + j], -matches[k * n + j]);
	free(matches);
}

static void for_each_object(struct formula *f, const sync_ops *ops,
			    void (*add)(struct formula *, const struct sync_op *, size_t))
{
	for (size_t i = 0, end; i < ops->n; i = end) {
		for (end = i; end < ops->n && ops->at[end].object == ops->at[i].object; end++)
			;
		add(f, ops->at + i, end - i);
	}
}

static void add_synchronization(struct formula *f)
{
	const struct execution *x = f->p->m->x;
	if (x->lock_order_known)
		return;
	sync_ops locks = {0}, conditions = {0};
	collect(x, EVENT_LOCK, EVENT_UNLOCK, &locks);
	for_each_object(f, &locks, add_lock);
	collect(x, EVENT_WAIT, EVENT_BROADCAST, &conditions);
	for_each_object(f, &conditions, add_condition_variable);
	vec_free(&locks);
	vec_free(&conditions);
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
	for (size_t i = 0; i < f->lock_literals.n; i++)
		push_order_variable(f, model, f->lock_literals.at[i], out);
	for (uint32_t v = 2; v < f->variables.n; v++) {
		const struct variable *var = &f->variables.at[v];
		if (var->kind != VARIABLE_MATCH || !model[v])
			continue;
		uint32_t start = wait_start(f->p->m->x, var->a);
		push_edge(out, var->b, var->a, existing_before(f, var->b, var->a));
		if (start != UINT32_MAX)
			push_edge(out, start, var->b, existing_before(f, start, var->b));
	}
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
	add_synchronization(f);
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
	vec_free(&f->lock_literals);
	free(f->choices);
	free(f->table);
	free(f->guess);
	*f = (struct formula){0};
}
