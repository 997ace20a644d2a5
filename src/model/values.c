#include "model/values.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST_VALUES = 24, /* a larger set counts as "any value" */
	MOST_NODES = 200, /* a larger expression too */
	PATIENCE = 12,    /* passes after which a set that still grows becomes "any value" */
	DESPAIR = 24,     /* and those after which every set does that is made of others: chains can be long */
};

#define NO_SYMBOL UINT32_MAX
#define MANY_SYMBOLS (UINT32_MAX - 1)

struct set {
	uint64_t at[MOST_VALUES];
	uint32_t n;
	bool any;
};

/*
 * What an event writes, as of `version` of the one symbol it depends on. `changed` is when that last was something new: a
 * count of all changes so far, so that a read looks again only at writes that changed since it last did.
 */
struct written {
	struct set values;
	uint32_t version; /* + 1; 0: not computed yet */
	uint64_t changed;
};

/* Whether the conditions on a symbol alone allow a value. */
struct answer {
	uint64_t value;
	uint32_t symbol; /* + 1; 0: none */
	bool allowed;
};
enum { ANSWERS = 1 << 16 };

/*
 * only[e]: the one symbol of expression e, or NO_SYMBOL, or MANY_SYMBOLS. conditions of symbol s:
 * list[start[s] .. start[s + 1]). symbols has one entry in use at a time: the symbol under evaluation.
 */
struct analysis {
	const struct problem *p;
	const struct execution *x;
	uint32_t *only;
	uint32_t *start;
	expr *list;
	struct set *sets;     /* by symbol */
	uint32_t *version;    /* by symbol: how often its set has changed */
	struct written **written; /* by event, for those that are candidates */
	uint64_t changes;
	uint64_t *symbols;
	uint64_t *values;     /* by expression node, scratch */
	uint32_t fuel;
	struct answer *answers; /* by a hash of symbol and value; NULL where nobody asks again */
};

static void find_only(struct analysis *a)
{
	const struct expr_node *nodes = expr_nodes(a->x->exprs);
	for (size_t i = 1; i <= expr_count(a->x->exprs); i++) {
		uint32_t only = nodes[i].op == EXPR_SYM ? (uint32_t)nodes[i].value : NO_SYMBOL;
		const expr below[3] = {nodes[i].a, nodes[i].b, nodes[i].c};
		for (int k = 0; k < 3; k++) {
			uint32_t s = below[k] ? a->only[below[k]] : NO_SYMBOL;
			if (s != NO_SYMBOL)
				only = only == NO_SYMBOL || only == s ? s : MANY_SYMBOLS;
		}
		a->only[i] = only;
	}
}

static bool is_symbol(uint32_t only)
{
	return only < MANY_SYMBOLS;
}

static void group_conditions(struct analysis *a)
{
	a->start = xcalloc((size_t)a->x->nsymbols + 2, sizeof *a->start);
	a->list = xmalloc(a->x->conditions.n * sizeof *a->list);
	for (size_t i = 0; i < a->x->conditions.n; i++) {
		uint32_t s = a->only[a->x->conditions.at[i].condition];
		if (is_symbol(s))
			a->start[s + 2]++;
	}
	for (uint32_t s = 2; s < a->x->nsymbols + 2; s++)
		a->start[s] += a->start[s - 1];
	for (size_t i = 0; i < a->x->conditions.n; i++) {
		expr c = a->x->conditions.at[i].condition;
		if (is_symbol(a->only[c]))
			a->list[a->start[a->only[c] + 1]++] = c;
	}
}

/* The value of e under a->symbols, into a->values; false when it is too large to bother. */
static bool evaluate(struct analysis *a, expr e)
{
	const struct expr_node *n = expr_node(a->x->exprs, e);
	if (a->fuel == 0)
		return false;
	a->fuel--;
	if ((n->a && !evaluate(a, n->a)) || (n->b && !evaluate(a, n->b)) || (n->c && !evaluate(a, n->c)))
		return false;
	a->values[e] = expr_apply(a->x->exprs, e, a->symbols, a->values);
	return true;
}

/* Do the conditions on this symbol alone allow the value? */
static bool allows(struct analysis *a, uint32_t symbol, uint64_t value)
{
	a->symbols[symbol] = value;
	for (uint32_t i = a->start[symbol]; i < a->start[symbol + 1]; i++) {
		a->fuel = MOST_NODES;
		if (evaluate(a, a->list[i]) && !a->values[a->list[i]])
			return false;
	}
	return true;
}

/* The same, where every candidate of a read asks for the same few values; a->symbols is left as it is where that was asked before. */
static bool allows_again(struct analysis *a, uint32_t symbol, uint64_t value)
{
	uint64_t hash = (value + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ symbol * UINT64_C(0xc2b2ae3d27d4eb4f);
	struct answer *known = &a->answers[(hash ^ hash >> 32) % ANSWERS];
	if (known->symbol != symbol + 1 || known->value != value)
		*known = (struct answer){value, symbol + 1, allows(a, symbol, value)};
	return known->allowed;
}

static void add_value(struct set *s, uint64_t v)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->at[i] == v)
			return;
	if (s->n == MOST_VALUES)
		s->any = true;
	else
		s->at[s->n++] = v;
}

/* What expression e can be. */
static void values_of(struct analysis *a, expr e, struct set *out)
{
	uint32_t s = a->only[e];
	out->n = 0;
	out->any = s == MANY_SYMBOLS || (is_symbol(s) && a->sets[s].any);
	for (uint32_t i = 0; !out->any && i < (s == NO_SYMBOL ? 1 : a->sets[s].n); i++) {
		if (s != NO_SYMBOL)
			a->symbols[s] = a->sets[s].at[i];
		a->fuel = MOST_NODES;
		if (evaluate(a, e))
			add_value(out, a->values[e]);
		else
			out->any = true;
	}
}

static uint64_t bits(uint64_t v, unsigned low, unsigned width)
{
	v >>= low;
	return width == 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

/* What the event writes, brought up to date. */
static const struct written *written_by(struct analysis *a, uint32_t event)
{
	struct written *w = a->written[event];
	expr e = a->x->events.at[event].written;
	uint32_t s = a->only[e], version = is_symbol(s) ? a->version[s] + 1 : 1;
	if (!w)
		w = a->written[event] = xcalloc(1, sizeof *w);
	if (w->version == version)
		return w;
	struct set old = w->values;
	bool first = !w->version;
	values_of(a, e, &w->values);
	w->version = version;
	if (first || w->values.any != old.any || w->values.n != old.n)
		w->changed = ++a->changes;
	return w;
}

/* What the piece finds if it sees candidate i: the bits of the atom. */
static void seen_values(struct analysis *a, const struct piece *piece, uint32_t i, struct set *out)
{
	uint32_t w = a->p->candidates.at[piece->first + i];
	if (w == WRITER_INITIAL) {
		*out = (struct set){.at = {a->p->initial[piece->atom]}, .n = 1};
		return;
	}
	const struct set *written = &written_by(a, w)->values;
	out->n = 0;
	out->any = written->any;
	unsigned low = atom_low_bit(a->p->m, w, piece->atom);
	for (uint32_t k = 0; k < written->n; k++)
		add_value(out, bits(written->at[k], low, piece->width));
}

/* The symbol that the piece is all of, or NO_SYMBOL. */
static uint32_t whole_symbol(const struct analysis *a, const struct piece *piece)
{
	expr read = a->x->events.at[piece->event].read;
	const struct expr_node *n = expr_node(a->x->exprs, read);
	return read && n->op == EXPR_SYM && n->width == piece->width ? (uint32_t)n->value : NO_SYMBOL;
}

/* Do the conditions say what the piece's event reads? Its set is that value from the start. */
static bool is_pinned(const struct analysis *a, const struct piece *piece, uint64_t *value)
{
	return pinned_value(&a->p->pinned, a->x->events.at[piece->event].read, value);
}

/* The symbol's set with what the piece may find; `since` is when it was last looked at. */
static void grow_piece(struct analysis *a, const struct piece *piece, uint32_t symbol, uint64_t since)
{
	struct set *s = &a->sets[symbol], seen;
	for (uint32_t i = 0; i < piece->count && !s->any; i++) {
		uint32_t w = a->p->candidates.at[piece->first + i];
		if (w == WRITER_INITIAL ? since != 0 : written_by(a, w)->changed <= since)
			continue;
		seen_values(a, piece, i, &seen);
		s->any = seen.any;
		for (uint32_t k = 0; k < seen.n; k++)
			if (allows_again(a, symbol, seen.at[k]))
				add_value(s, seen.at[k]);
	}
}

/* May the piece find something that depends on what another read? */
static bool depends(const struct analysis *a, const struct piece *piece)
{
	for (uint32_t i = 0; i < piece->count; i++) {
		uint32_t w = a->p->candidates.at[piece->first + i];
		if (w != WRITER_INITIAL && a->only[a->x->events.at[w].written] != NO_SYMBOL)
			return true;
	}
	return false;
}

static void give_up(struct analysis *a)
{
	for (size_t n = 0; n < a->p->pieces.n; n++) {
		uint32_t symbol = whole_symbol(a, &a->p->pieces.at[n]);
		if (symbol == NO_SYMBOL || a->sets[symbol].any || is_pinned(a, &a->p->pieces.at[n], NULL) || !depends(a, &a->p->pieces.at[n]))
			continue;
		a->sets[symbol].any = true;
		a->version[symbol]++;
	}
}

/* One more round of "a symbol can be what its candidates write"; did anything change? since: by piece. */
static bool grow(struct analysis *a, bool impatient, uint64_t *since)
{
	bool changed = false;
	for (size_t n = 0; n < a->p->pieces.n; n++) {
		const struct piece *piece = &a->p->pieces.at[n];
		uint32_t symbol = whole_symbol(a, piece);
		if (symbol == NO_SYMBOL || a->sets[symbol].any || is_pinned(a, piece, NULL))
			continue;
		struct set *s = &a->sets[symbol];
		uint32_t before = s->n;
		uint64_t now = ++a->changes;
		grow_piece(a, piece, symbol, since[n]);
		since[n] = now;
		s->any |= impatient && s->n != before;
		if (!s->any && s->n == before)
			continue;
		a->version[symbol]++;
		changed = true;
	}
	return changed;
}

static bool is_impossible(struct analysis *a, const struct piece *piece, uint32_t i)
{
	uint32_t symbol = whole_symbol(a, piece);
	uint64_t wanted;
	struct set seen;
	bool fixed = expr_is_const(a->x->exprs, a->x->events.at[piece->event].read, &wanted);
	if (symbol == NO_SYMBOL && !fixed)
		return false;
	seen_values(a, piece, i, &seen);
	bool possible = seen.any;
	for (uint32_t k = 0; k < seen.n && !possible; k++)
		possible = fixed ? seen.at[k] == bits(wanted, piece->low, piece->width)
				 : allows_again(a, symbol, seen.at[k]);
	return !possible;
}

static void analysis_init(struct analysis *a, const struct problem *p)
{
	const struct execution *x = p->m->x;
	size_t nodes = expr_count(x->exprs) + 1;
	*a = (struct analysis){
		.p = p,
		.x = x,
		.only = xmalloc(nodes * sizeof *a->only),
		.symbols = xcalloc(x->nsymbols, sizeof *a->symbols),
		.values = xmalloc(nodes * sizeof *a->values),
	};
	find_only(a);
	group_conditions(a);
}

static void analysis_release(struct analysis *a)
{
	for (size_t e = 0; a->written && e < a->x->events.n; e++)
		free(a->written[e]);
	free(a->written);
	free(a->version);
	free(a->only);
	free(a->start);
	free(a->list);
	free(a->sets);
	free(a->symbols);
	free(a->values);
	free(a->answers);
}

bool *values_impossible(const struct problem *p)
{
	const struct execution *x = p->m->x;
	bool *impossible = xcalloc(p->candidates.n + 1, sizeof *impossible);
	if (p->large)
		return impossible;
	struct analysis a;
	analysis_init(&a, p);
	a.sets = xmalloc(x->nsymbols * sizeof *a.sets);
	a.version = xcalloc((size_t)x->nsymbols + 1, sizeof *a.version);
	a.written = xcalloc(x->events.n + 1, sizeof *a.written);
	a.answers = xcalloc(ANSWERS, sizeof *a.answers);
	uint64_t *since = xcalloc(p->pieces.n + 1, sizeof *since);
	/* Symbols that no whole piece gives a value can be anything. */
	for (uint32_t s = 0; s < x->nsymbols; s++) {
		a.sets[s].n = 0;
		a.sets[s].any = true;
	}
	for (size_t n = 0; n < p->pieces.n; n++) {
		uint32_t s = whole_symbol(&a, &p->pieces.at[n]);
		uint64_t value;
		if (s == NO_SYMBOL)
			continue;
		a.sets[s].any = false;
		if (is_pinned(&a, &p->pieces.at[n], &value))
			add_value(&a.sets[s], value);
	}
	for (int pass = 0; grow(&a, pass >= PATIENCE, since); pass++)
		if (pass == DESPAIR)
			give_up(&a);
	for (size_t n = 0; n < p->pieces.n; n++)
		for (uint32_t i = 0; i < p->pieces.at[n].count; i++)
			impossible[p->pieces.at[n].first + i] = is_impossible(&a, &p->pieces.at[n], i);
	free(since);
	analysis_release(&a);
	return impossible;
}

/* -------------------------------------------------- one at a time ------------------------ */

struct expected {
	expr e; /* 0: nothing is */
	uint64_t value;
};

struct value_test {
	struct analysis a;
	struct expected *expected; /* by symbol */
	bool trusts;
};

struct value_test *value_test_new(const struct problem *p)
{
	struct value_test *t = xcalloc(1, sizeof *t);
	analysis_init(&t->a, p);
	t->expected = xcalloc((size_t)p->m->x->nsymbols + 1, sizeof *t->expected);
	return t;
}

void value_test_expect(struct value_test *t, expr e, uint64_t value)
{
	if (is_symbol(t->a.only[e]))
		t->expected[t->a.only[e]] = (struct expected){e, value};
}

void value_test_expect_none(struct value_test *t, expr e)
{
	if (is_symbol(t->a.only[e]))
		t->expected[t->a.only[e]].e = 0;
}

void value_test_trust(struct value_test *t, bool trusts)
{
	t->trusts = trusts;
}

void value_test_free(struct value_test *t)
{
	if (!t)
		return;
	analysis_release(&t->a);
	free(t->expected);
	free(t);
}

/* Does the symbol's value, which is being evaluated, give what is expected? */
static bool is_as_expected(struct value_test *t, uint32_t symbol)
{
	const struct expected *expected = &t->expected[symbol];
	t->a.fuel = MOST_NODES;
	return !expected->e || !evaluate(&t->a, expected->e) || t->a.values[expected->e] == expected->value;
}

static bool allows_bits(struct value_test *t, const struct piece *piece, uint64_t written)
{
	const struct execution *x = t->a.x;
	uint64_t wanted;
	if (expr_is_const(x->exprs, x->events.at[piece->event].read, &wanted))
		return written == bits(wanted, piece->low, piece->width);
	uint32_t symbol = whole_symbol(&t->a, piece);
	return symbol == NO_SYMBOL || (allows(&t->a, symbol, written) && (!t->trusts || is_as_expected(t, symbol)));
}

bool value_test_allows_value(struct value_test *t, const struct piece *piece, uint32_t writer, uint64_t written)
{
	return allows_bits(t, piece, bits(written, atom_low_bit(t->a.p->m, writer, piece->atom), piece->width));
}

bool value_test_allows(struct value_test *t, const struct piece *piece, uint32_t writer)
{
	const struct execution *x = t->a.x;
	uint64_t written;
	if (writer == WRITER_INITIAL)
		return allows_bits(t, piece, t->a.p->initial[piece->atom]);
	return !pinned_value(&t->a.p->pinned, x->events.at[writer].written, &written) || value_test_allows_value(t, piece, writer, written);
}
