#include "sym/expr.h"

#include "sym/expr_slices.h"
#include "sym/expr_values.h"

#include "base/base.h"
#include "sym/floats.h"

#include <stdlib.h>
#include <string.h>

/*
 * `table` is an open-addressing hash table of node numbers (0: free), never more than half full, keyed by
 * the whole node. `nodes[0]` is all zero. Unused fields of a node are always zero, so that equal nodes are
 * equal bytes.
 *
 * What is made one after the other lies together in the table: a node is looked for first where its youngest operand's number says, then
 * where its hash does. Tables of 100 MB are common, and with the hash alone each look was a miss of cache and TLB, which was most of the
 * executor's time.
 */
struct expr_arena {
	vec(struct expr_node) nodes;
	uint32_t *table;
	uint32_t mask;
};

/* -------------------------------------------------- arena -------------------------------- */

static uint32_t hash_node(const struct expr_node *n)
{
	uint64_t h = (uint64_t)n->op | (uint64_t)n->width << 8 | (uint64_t)n->a << 32;
	h = (h ^ n->value) * UINT64_C(0x9e3779b97f4a7c15);
	h = (h ^ (h >> 29) ^ ((uint64_t)n->b << 32 | n->c)) * UINT64_C(0xbf58476d1ce4e5b9);
	return (uint32_t)(h >> 32);
}

static bool same_node(const struct expr_node *p, const struct expr_node *q)
{
	return p->op == q->op && p->width == q->width && p->a == q->a && p->b == q->b &&
	       p->c == q->c && p->value == q->value;
}

/* Slots that are tried near the youngest operand's place. */
enum { NEAR = 16 };

/* There are two slots for each number; symbols, which have numbers of their own, are counted from the other end. */
static uint32_t near_place(const struct expr_arena *x, const struct expr_node *n, uint32_t hash)
{
	uint32_t youngest = n->a > n->b ? n->a : n->b;
	youngest = youngest > n->c ? youngest : n->c;
	return n->op == EXPR_SYM ? x->mask - 2 * (uint32_t)n->value : 2 * youngest + hash % NEAR;
}

/* The table slot that holds this node, or the free one where it belongs. */
static uint32_t *find_slot(const struct expr_arena *x, const struct expr_node *n)
{
	uint32_t hash = hash_node(n), near = near_place(x, n, hash), i;
	for (uint32_t k = 0; k < NEAR && n->op != EXPR_CONST; k++) {
		i = (near + k) & x->mask;
		if (!x->table[i] || same_node(&x->nodes.at[x->table[i]], n))
			return &x->table[i];
	}
	/* In steps that get longer: what is near is dense in places. */
	i = hash & x->mask;
	for (uint32_t step = 1; x->table[i] && !same_node(&x->nodes.at[x->table[i]], n); step++)
		i = (i + step) & x->mask;
	return &x->table[i];
}

static void rehash(struct expr_arena *x, uint32_t size)
{
	free(x->table);
	x->table = xcalloc(size, sizeof *x->table);
	x->mask = size - 1;
	for (uint32_t i = 1; i < x->nodes.n; i++)
		*find_slot(x, &x->nodes.at[i]) = i;
}

struct expr_arena *expr_arena_new(void)
{
	struct expr_arena *x = xcalloc(1, sizeof *x);
	*vec_push(&x->nodes) = (struct expr_node){0};
	rehash(x, 1024);
	return x;
}

void expr_arena_free(struct expr_arena *x)
{
	if (!x)
		return;
	vec_free(&x->nodes);
	free(x->table);
	free(x);
}

const struct expr_node *expr_node(const struct expr_arena *x, expr e)
{
	return &x->nodes.at[e];
}

/* A sum over all that a thread has read is as deep as it has read often: *left nodes are looked at, then no two are the same. */
static bool same_but(const struct expr_arena *x, expr a, expr b, const struct expr_pair *symbols, size_t n, unsigned *left)
{
	for (;;) {
		if (!a || !b || a == b)
			return a == b;
		for (size_t i = 0; i < n; i++)
			if (a == symbols[i].a || b == symbols[i].b)
				return a == symbols[i].a && b == symbols[i].b;
		const struct expr_node *k = expr_node(x, a), *l = expr_node(x, b);
		if (!*left || k->op != l->op || k->width != l->width || k->value != l->value || k->op == EXPR_SYM)
			return false;
		--*left;
		if (!same_but(x, k->c, l->c, symbols, n, left) || !same_but(x, k->b, l->b, symbols, n, left))
			return false;
		a = k->a;
		b = l->a;
	}
}

bool expr_same_but(const struct expr_arena *x, expr a, expr b, const struct expr_pair *symbols, size_t n)
{
	unsigned left = 4096;
	return same_but(x, a, b, symbols, n, &left);
}

static bool mentions(const struct expr_arena *x, expr e, expr symbol, unsigned *left)
{
	const struct expr_node *n = &x->nodes.at[e];
	if (e == symbol || !e || !*left)
		return e == symbol;
	--*left;
	return mentions(x, n->a, symbol, left) || mentions(x, n->b, symbol, left) || mentions(x, n->c, symbol, left);
}

bool expr_mentions(const struct expr_arena *x, expr e, expr symbol)
{
	unsigned left = 4096;
	return mentions(x, e, symbol, &left);
}

size_t expr_count(const struct expr_arena *x)
{
	return x->nodes.n - 1;
}

const struct expr_node *expr_nodes(const struct expr_arena *x)
{
	return x->nodes.at;
}

static expr intern(struct expr_arena *x, struct expr_node n)
{
	uint32_t *slot = find_slot(x, &n);
	if (*slot)
		return *slot;
	if (x->nodes.n >= UINT32_MAX / 2)
		die(EXIT_ERROR, "more than %u expression nodes", UINT32_MAX / 2);
	expr e = (expr)x->nodes.n;
	*slot = e;
	*vec_push(&x->nodes) = n;
	if (x->nodes.n > x->mask / 2)
		rehash(x, (x->mask + 1) * 2);
	return e;
}

static unsigned width_of(const struct expr_arena *x, expr e)
{
	return x->nodes.at[e].width;
}

static bool is_comparison(unsigned op)
{
	return op >= EXPR_EQ && op <= EXPR_SLE;
}

static bool is_binary(unsigned op)
{
	return op >= EXPR_ADD && op <= EXPR_SLE;
}

static bool is_commutative(unsigned op)
{
	return op == EXPR_ADD || op == EXPR_MUL || op == EXPR_AND || op == EXPR_OR ||
	       op == EXPR_XOR || op == EXPR_EQ;
}

/* How many operands an operator has. */
static unsigned arity(unsigned op)
{
	if (op == EXPR_CONST || op == EXPR_SYM)
		return 0;
	if (op == EXPR_EXTRACT || op == EXPR_ZEXT || op == EXPR_SEXT || op >= EXPR_FSQRT)
		return 1;
	return op == EXPR_ITE ? 3 : 2;
}

bool expr_is_float_op(unsigned op)
{
	return op >= EXPR_FADD && op < EXPR_OP_COUNT;
}

static bool is_float_width(unsigned width)
{
	return width == 32 || width == 64;
}

static bool float_widths_fit(unsigned op, unsigned width, unsigned wa, unsigned wb)
{
	switch (op) {
	case EXPR_FCMP:
		return width == 1 && is_float_width(wa) && wa == wb;
	case EXPR_FSQRT:
		return is_float_width(wa) && width == wa;
	case EXPR_SI_TO_F:
	case EXPR_UI_TO_F:
		return is_float_width(width);
	case EXPR_F_TO_SI:
	case EXPR_F_TO_UI:
		return is_float_width(wa);
	case EXPR_F_TO_F:
		return is_float_width(wa) && is_float_width(width);
	default:
		return is_float_width(wa) && wa == wb && width == wa;
	}
}

/* Do op and the operands' widths give this node's width? */
static bool widths_fit(const struct expr_arena *x, const struct expr_node *n)
{
	unsigned wa = width_of(x, n->a), wb = width_of(x, n->b), wc = width_of(x, n->c);
	if (n->width < 1 || n->width > 64)
		return false;
	if (is_comparison(n->op))
		return wa == wb && n->width == 1;
	if (is_binary(n->op))
		return wa == wb && n->width == wa;
	if (expr_is_float_op(n->op))
		return float_widths_fit(n->op, n->width, wa, wb);
	switch (n->op) {
	case EXPR_CONST:
		return (n->value & ~expr_ones(n->width)) == 0;
	case EXPR_SYM:
		return true;
	case EXPR_ITE:
		return wa == 1 && wb == wc && n->width == wb;
	case EXPR_CONCAT:
		return wa + wb == n->width;
	case EXPR_EXTRACT:
		return n->value < wa && n->value + n->width <= wa;
	default:
		return n->width >= wa;
	}
}

static bool well_formed(const struct expr_arena *x, const struct expr_node *n, uint32_t number)
{
	if (n->op < EXPR_CONST || n->op >= EXPR_OP_COUNT || n->reserved)
		return false;
	const expr operands[3] = {n->a, n->b, n->c};
	for (unsigned i = 0; i < 3; i++)
		if (i < arity(n->op) ? operands[i] == EXPR_NONE || operands[i] >= number
				     : operands[i] != EXPR_NONE)
			return false;
	bool has_value = n->op == EXPR_CONST || n->op == EXPR_SYM || n->op == EXPR_EXTRACT ||
			 n->op == EXPR_FCMP;
	return (has_value || n->value == 0) && widths_fit(x, n);
}

struct expr_arena *expr_arena_load(const struct expr_node *nodes, size_t count)
{
	struct expr_arena *x = expr_arena_new();
	if (count >= UINT32_MAX / 2) {
		expr_arena_free(x);
		return NULL;
	}
	for (uint32_t i = 1; i <= count; i++) {
		if (!well_formed(x, &nodes[i], i)) {
			expr_arena_free(x);
			return NULL;
		}
		*vec_push(&x->nodes) = nodes[i];
	}
	uint32_t size = 1024;
	while (size / 2 < x->nodes.n)
		size *= 2;
	rehash(x, size);
	return x;
}

void expr_forget_symbols(struct expr_arena *x, uint64_t first)
{
	for (size_t i = 1; i < x->nodes.n; i++)
		if (x->nodes.at[i].op == EXPR_SYM && x->nodes.at[i].value >= first)
			x->nodes.at[i] = (struct expr_node){.op = EXPR_CONST, .width = x->nodes.at[i].width};
}

/* -------------------------------------------------- constructors ------------------------- */

expr expr_const(struct expr_arena *x, unsigned width, uint64_t value)
{
	return intern(x, (struct expr_node){.op = EXPR_CONST, .width = (uint8_t)width,
					    .value = value & expr_ones(width)});
}

expr expr_sym(struct expr_arena *x, unsigned width, uint64_t symbol)
{
	return intern(x, (struct expr_node){.op = EXPR_SYM, .width = (uint8_t)width,
					    .value = symbol});
}

bool expr_is_const(const struct expr_arena *x, expr e, uint64_t *value)
{
	const struct expr_node *n = expr_node(x, e);
	if (n->op != EXPR_CONST)
		return false;
	if (value)
		*value = n->value;
	return true;
}

/* a op a, where that is known; EXPR_NONE otherwise. */
static expr fold_equal(struct expr_arena *x, enum expr_op op, expr a)
{
	switch (op) {
	case EXPR_AND:
	case EXPR_OR:
		return a;
	case EXPR_SUB:
	case EXPR_XOR:
		return expr_const(x, width_of(x, a), 0);
	case EXPR_EQ:
	case EXPR_ULE:
	case EXPR_SLE:
		return expr_const(x, 1, 1);
	case EXPR_ULT:
	case EXPR_SLT:
		return expr_const(x, 1, 0);
	default:
		return EXPR_NONE;
	}
}

/* (p == c) with p of width 1, a widened or a chosen constant: simpler forms, or EXPR_NONE. */
static expr fold_equals_const(struct expr_arena *x, expr a, uint64_t c)
{
	struct expr_node n = x->nodes.at[a];
	uint64_t t, f;
	if (n.width == 1 && c == 1)
		return a;
	if (n.op == EXPR_XOR && expr_is_const(x, n.b, &t))
		return expr_binary(x, EXPR_EQ, n.a, expr_const(x, n.width, t ^ c));
	if (n.op == EXPR_ADD && expr_is_const(x, n.b, &t))
		return expr_binary(x, EXPR_EQ, n.a, expr_const(x, n.width, c - t));
	if (n.op == EXPR_ZEXT) {
		unsigned w = width_of(x, n.a);
		if (c & ~expr_ones(w))
			return expr_const(x, 1, 0);
		return expr_binary(x, EXPR_EQ, n.a, expr_const(x, w, c));
	}
	if (n.op == EXPR_SEXT) {
		unsigned w = width_of(x, n.a);
		if (((uint64_t)expr_signed(c & expr_ones(w), w) & expr_ones(n.width)) != c)
			return expr_const(x, 1, 0);
		return expr_binary(x, EXPR_EQ, n.a, expr_const(x, w, c));
	}
	if (n.op == EXPR_ITE && expr_is_const(x, n.b, &t) && expr_is_const(x, n.c, &f)) {
		if (t != c && f != c)
			return expr_const(x, 1, 0);
		if (t != f)
			return t == c ? n.a : expr_not(x, n.a);
	}
	return EXPR_NONE;
}

/* a op constant c (the right operand), simplified, or EXPR_NONE. */
static expr fold_right_const(struct expr_arena *x, enum expr_op op, expr a, uint64_t c)
{
	unsigned w = width_of(x, a);
	struct expr_node n = x->nodes.at[a];
	uint64_t inner;
	bool nested = n.op == op && expr_is_const(x, n.b, &inner);
	switch (op) {
	case EXPR_ADD:
		if (nested)
			return expr_binary(x, op, n.a, expr_const(x, w, inner + c));
		return c == 0 ? a : EXPR_NONE;
	case EXPR_XOR:
		if (nested)
			return expr_binary(x, op, n.a, expr_const(x, w, inner ^ c));
		return c == 0 ? a : EXPR_NONE;
	case EXPR_OR:
		if (nested)
			return expr_binary(x, op, n.a, expr_const(x, w, inner | c));
		if (c == expr_ones(w))
			return expr_const(x, w, c);
		return c == 0 ? a : EXPR_NONE;
	case EXPR_AND:
		if (nested)
			return expr_binary(x, op, n.a, expr_const(x, w, inner & c));
		if (c == 0)
			return expr_const(x, w, 0);
		return c == expr_ones(w) ? a : slices_and(x, a, c);
	case EXPR_SHL:
	case EXPR_LSHR:
		if (c >= w)
			return expr_const(x, w, 0);
		return c == 0 ? a : slices_shift(x, op, a, c);
	case EXPR_ASHR:
		return c == 0 ? a : EXPR_NONE;
	case EXPR_SUB:
		return expr_binary(x, EXPR_ADD, a, expr_const(x, w, 0 - c));
	case EXPR_MUL:
		if (c == 0)
			return expr_const(x, w, 0);
		return c == 1 ? a : EXPR_NONE;
	case EXPR_UDIV:
		return c == 1 ? a : EXPR_NONE;
	case EXPR_SDIV:
		return c == 1 && w > 1 ? a : EXPR_NONE;
	case EXPR_ULT:
		return c == 0 ? expr_const(x, 1, 0) : EXPR_NONE;
	case EXPR_ULE:
		return c == expr_ones(w) ? expr_const(x, 1, 1) : EXPR_NONE;
	case EXPR_EQ:
		return fold_equals_const(x, a, c);
	default:
		return EXPR_NONE;
	}
}

expr expr_binary(struct expr_arena *x, enum expr_op op, expr a, expr b)
{
	uint64_t va, vb;
	bool ca = expr_is_const(x, a, &va), cb = expr_is_const(x, b, &vb);
	unsigned w = width_of(x, a), result = is_comparison(op) ? 1 : w;
	if (ca && cb)
		return expr_const(x, result, expr_compute(op, va, vb, w));
	if (is_commutative(op) && (ca || (!cb && a > b))) {
		expr swap = a;
		a = b;
		b = swap;
		vb = va;
		cb = ca;
	}
	expr folded = a == b ? fold_equal(x, op, a) : EXPR_NONE;
	if (!folded && cb)
		folded = fold_right_const(x, op, a, vb);
	else if (!folded && op == EXPR_OR)
		folded = slices_or(x, a, b);
	if (folded)
		return folded;
	return intern(x, (struct expr_node){.op = (uint8_t)op, .width = (uint8_t)result,
					    .a = a, .b = b});
}

expr expr_not(struct expr_arena *x, expr a)
{
	return expr_binary(x, EXPR_XOR, a, expr_const(x, width_of(x, a), UINT64_MAX));
}

expr expr_ite(struct expr_arena *x, expr c, expr t, expr f)
{
	uint64_t v, vt, vf;
	if (expr_is_const(x, c, &v))
		return v ? t : f;
	if (t == f)
		return t;
	if (width_of(x, t) == 1 && expr_is_const(x, t, &vt) && expr_is_const(x, f, &vf))
		return vt ? c : expr_not(x, c);
	return intern(x, (struct expr_node){.op = EXPR_ITE, .width = (uint8_t)width_of(x, t),
					    .a = c, .b = t, .c = f});
}

expr expr_concat(struct expr_arena *x, expr high, expr low)
{
	uint64_t vh, vl;
	struct expr_node h = x->nodes.at[high], l = x->nodes.at[low];
	unsigned w = h.width + l.width;
	if (expr_is_const(x, high, &vh)) {
		if (expr_is_const(x, low, &vl))
			return expr_const(x, w, vh << l.width | vl);
		if (vh == 0)
			return expr_zext(x, low, w);
	}
	/* Two neighbouring pieces of one value. */
	if (h.op == EXPR_EXTRACT && l.op == EXPR_EXTRACT && h.a == l.a && h.value == l.value + l.width)
		return expr_extract(x, h.a, (unsigned)l.value, w);
	return intern(x, (struct expr_node){.op = EXPR_CONCAT, .width = (uint8_t)w,
					    .a = high, .b = low});
}

expr expr_extract(struct expr_arena *x, expr a, unsigned low, unsigned width)
{
	uint64_t v;
	struct expr_node n = x->nodes.at[a];
	if (low == 0 && width == n.width)
		return a;
	if (expr_is_const(x, a, &v))
		return expr_const(x, width, v >> low);
	if (n.op == EXPR_EXTRACT)
		return expr_extract(x, n.a, low + (unsigned)n.value, width);
	if (n.op == EXPR_CONCAT) {
		unsigned wl = width_of(x, n.b);
		if (low + width <= wl)
			return expr_extract(x, n.b, low, width);
		if (low >= wl)
			return expr_extract(x, n.a, low - wl, width);
	}
	if (n.op == EXPR_ZEXT || n.op == EXPR_SEXT) {
		unsigned wa = width_of(x, n.a);
		if (low + width <= wa)
			return expr_extract(x, n.a, low, width);
		if (n.op == EXPR_ZEXT && low >= wa)
			return expr_const(x, width, 0);
		if (low == 0)
			return n.op == EXPR_ZEXT ? expr_zext(x, n.a, width)
						 : expr_sext(x, n.a, width);
	}
	expr piece = slices_extract(x, a, low, width);
	if (piece)
		return piece;
	return intern(x, (struct expr_node){.op = EXPR_EXTRACT, .width = (uint8_t)width, .a = a,
					    .value = low});
}

static expr widen(struct expr_arena *x, enum expr_op op, expr a, unsigned width)
{
	uint64_t v;
	struct expr_node n = x->nodes.at[a];
	if (width == n.width)
		return a;
	if (expr_is_const(x, a, &v))
		return expr_const(x, width,
				  op == EXPR_ZEXT ? v : (uint64_t)expr_signed(v, n.width));
	if (n.op == op || n.op == EXPR_ZEXT) /* a zero-extended value has sign 0 */
		return widen(x, n.op, n.a, width);
	return intern(x, (struct expr_node){.op = (uint8_t)op, .width = (uint8_t)width, .a = a});
}

expr expr_zext(struct expr_arena *x, expr a, unsigned width)
{
	return widen(x, EXPR_ZEXT, a, width);
}

expr expr_sext(struct expr_arena *x, expr a, unsigned width)
{
	return widen(x, EXPR_SEXT, a, width);
}

/* No identities: x + 0.0 is not x when x is -0.0, and x == x fails for a NaN. */
static expr float_node(struct expr_arena *x, struct expr_node n)
{
	uint64_t va = 0, vb = 0;
	if (expr_is_const(x, n.a, &va) && (!n.b || expr_is_const(x, n.b, &vb)))
		return expr_const(x, n.width, expr_compute_float(&n, va, vb, width_of(x, n.a)));
	return intern(x, n);
}

expr expr_float(struct expr_arena *x, enum expr_op op, expr a, expr b)
{
	return float_node(x, (struct expr_node){.op = (uint8_t)op, .width = (uint8_t)width_of(x, a), .a = a, .b = b});
}

expr expr_float_compare(struct expr_arena *x, unsigned predicate, expr a, expr b)
{
	return float_node(x, (struct expr_node){.op = EXPR_FCMP, .width = 1, .a = a, .b = b, .value = predicate & 15});
}

expr expr_equals(struct expr_arena *x, expr e, uint64_t value)
{
	return expr_binary(x, EXPR_EQ, e, expr_const(x, expr_node(x, e)->width, value));
}

bool expr_makes_float(unsigned op)
{
	return expr_is_float_op(op) && op != EXPR_FCMP && op != EXPR_F_TO_SI && op != EXPR_F_TO_UI;
}

expr expr_float_is(struct expr_arena *x, expr e, uint64_t value)
{
	enum { UNORDERED = 8 };
	unsigned width = expr_node(x, e)->width;
	double d = width == 32 ? get_float(value) : get_double(value);
	if (is_float_width(width) && d != d)
		return expr_float_compare(x, UNORDERED, e, e);
	return expr_equals(x, e, value);
}

expr expr_float_unary(struct expr_arena *x, enum expr_op op, expr a, unsigned width)
{
	return float_node(x, (struct expr_node){.op = (uint8_t)op, .width = (uint8_t)width, .a = a});
}
