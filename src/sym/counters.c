#include "sym/counters.h"

#include <stdlib.h>

/* Larger expressions are not those of counters. */
enum { MOST_NODES = 500 };

typedef __int128 wide;

/* Of one set of counters they follow one another: sets are made at once. */
static uint64_t next_symbol = COUNTER_SYMBOL;

void counters_begin(struct counters *c, struct expr_arena *exprs)
{
	c->exprs = exprs;
	c->symbol = next_symbol;
	c->first = (expr)expr_count(exprs) + 1;
	c->at.n = 0;
}

expr counters_add(struct counters *c, unsigned width, struct counter counter)
{
	*vec_push(&c->at) = counter;
	return expr_sym(c->exprs, width, next_symbol++);
}

static const struct counter *counter_of(const struct counters *c, const struct expr_node *n)
{
	return n->op == EXPR_SYM && n->value >= c->symbol && n->value - c->symbol < c->at.n
		       ? &c->at.at[n->value - c->symbol]
		       : NULL;
}

/* ---- values in their places ---- */

struct putting {
	const struct counters *c;
	int64_t laps;
	expr *done; /* by node, from the first on; EXPR_NONE: not yet */
};

static expr put(struct putting *p, expr e);

static expr rebuild(struct putting *p, struct expr_node n)
{
	struct expr_arena *x = p->c->exprs;
	expr a = put(p, n.a), b = put(p, n.b), c = put(p, n.c);
	switch (n.op) {
	case EXPR_ITE:
		return expr_ite(x, a, b, c);
	case EXPR_CONCAT:
		return expr_concat(x, a, b);
	case EXPR_EXTRACT:
		return expr_extract(x, a, (unsigned)n.value, n.width);
	case EXPR_ZEXT:
		return expr_zext(x, a, n.width);
	case EXPR_SEXT:
		return expr_sext(x, a, n.width);
	case EXPR_FCMP:
		return expr_float_compare(x, (unsigned)n.value, a, b);
	default:
		if (!expr_is_float_op(n.op))
			return expr_binary(x, n.op, a, b);
		return b ? expr_float(x, n.op, a, b) : expr_float_unary(x, n.op, a, n.width);
	}
}

static expr put(struct putting *p, expr e)
{
	const struct counters *c = p->c;
	if (!e || !counters_in(c, e))
		return e;
	expr *done = &p->done[e - c->first];
	if (*done)
		return *done;
	struct expr_node n = *expr_node(c->exprs, e);
	const struct counter *counter = counter_of(c, &n);
	if (counter)
		*done = expr_const(c->exprs, n.width, counter->value + (uint64_t)(p->laps * counter->step));
	else if (n.op == EXPR_CONST || n.op == EXPR_SYM)
		*done = e;
	else
		*done = rebuild(p, n);
	return *done;
}

expr counters_put(const struct counters *c, expr e, int64_t laps)
{
	if (!counters_in(c, e))
		return e;
	struct putting p = { c, laps, xcalloc(e - c->first + 1, sizeof *p.done) };
	expr r = put(&p, e);
	free(p.done);
	return r;
}

/* ---- from lap to lap ---- */

/* A number that is `now` and grows by `step`. Without a value where that depends on a racy read. */
struct line {
	bool known;
	uint64_t now;
	int64_t step;
};

struct stepping {
	const struct counters *c;
	uint64_t most;
	unsigned nodes;
};

static bool line_of(struct stepping *s, expr e, struct line *l);

static void at_most(struct stepping *s, wide laps)
{
	if (laps < 0)
		laps = 0;
	if (laps < (wide)s->most)
		s->most = (uint64_t)laps;
}

/* The value stays between these two, both included; it does now. */
static void stays_within(struct stepping *s, wide now, wide step, wide low, wide high)
{
	if (step > 0)
		at_most(s, (high - now) / step);
	else if (step < 0)
		at_most(s, (now - low) / -step);
}

static wide as_signed(uint64_t v, unsigned width)
{
	return expr_signed(v, width);
}

/* The sign stays what it is. */
static void keeps_sign(struct stepping *s, const struct line *l, unsigned width)
{
	uint64_t half = UINT64_C(1) << (width - 1);
	stays_within(s, l->now, l->step, l->now < half ? 0 : half, l->now < half ? half - 1 : expr_ones(width));
}

/* Two numbers keep their order: for how long is a - b on this side of zero, or at it? */
static void keeps_order(struct stepping *s, wide difference, wide step, bool equality)
{
	if (!step)
		return;
	if (difference == 0)
		at_most(s, 0);
	else if (!equality || (-difference) % step == 0)
		stays_within(s, difference, step, difference < 0 ? (wide)INT64_MIN * 4 : 1, difference < 0 ? -1 : (wide)INT64_MAX * 4);
}

static bool compare_step(struct stepping *s, const struct expr_node *n, const struct line *a, const struct line *b)
{
	unsigned width = expr_node(s->c->exprs, n->a)->width;
	if (!a->known || !b->known)
		return false;
	if (n->op == EXPR_SLT || n->op == EXPR_SLE) {
		keeps_sign(s, a, width);
		keeps_sign(s, b, width);
		keeps_order(s, as_signed(a->now, width) - as_signed(b->now, width), (wide)a->step - b->step, false);
	} else {
		keeps_order(s, (wide)a->now - b->now, (wide)a->step - b->step, n->op == EXPR_EQ);
	}
	return true;
}

/* a modulo c, and a divided by it, as long as the remainder does not go beyond its ends. */
static bool remainder_step(struct stepping *s, const struct expr_node *n, const struct line *a, uint64_t c, int64_t *step)
{
	bool remainder = n->op == EXPR_UREM || n->op == EXPR_SREM || n->op == EXPR_AND;
	if (!c)
		return false;
	stays_within(s, a->now % c, a->step, 0, c - 1);
	*step = remainder ? a->step : 0;
	return true;
}

static bool is_negative(const struct line *l, unsigned width)
{
	return l->now >> (width - 1) & 1;
}

/* Step of an operation whose operands are known and do not all stay the same. */
static bool operation_step(struct stepping *s, const struct expr_node *n, const struct line *in, int64_t *step)
{
	const struct line *a = &in[0], *b = &in[1];
	*step = 0;
	switch (n->op) {
	case EXPR_ADD:
		return !__builtin_add_overflow(a->step, b->step, step);
	case EXPR_SUB:
		return !__builtin_sub_overflow(a->step, b->step, step);
	case EXPR_MUL:
		if (a->step && b->step)
			return false;
		if (a->step ? b->now > INT64_MAX : a->now > INT64_MAX)
			return false;
		return !__builtin_mul_overflow(a->step ? a->step : b->step, (int64_t)(a->step ? b->now : a->now), step);
	case EXPR_SHL:
		return !b->step && b->now < 62 && !__builtin_mul_overflow(a->step, INT64_C(1) << b->now, step);
	case EXPR_UREM:
	case EXPR_UDIV:
		return !b->step && b->known && remainder_step(s, n, a, b->now, step);
	case EXPR_SREM:
	case EXPR_SDIV:
		if (b->step || !b->known || is_negative(a, n->width) || is_negative(b, n->width))
			return false;
		keeps_sign(s, a, n->width);
		return remainder_step(s, n, a, b->now, step);
	case EXPR_AND: /* the lowest bits; constants stand on the right */
		return !b->step && b->known && !(b->now & (b->now + 1)) && remainder_step(s, n, a, b->now + 1, step);
	case EXPR_LSHR:
		return !b->step && b->known && b->now < 63 && remainder_step(s, n, a, UINT64_C(1) << b->now, step);
	case EXPR_CONCAT:
		*step = b->step;
		return !a->step;
	case EXPR_ZEXT:
		*step = a->step;
		return true;
	case EXPR_SEXT:
		keeps_sign(s, a, expr_node(s->c->exprs, n->a)->width);
		*step = a->step;
		return true;
	case EXPR_EXTRACT:
		if (n->value) /* the bits below do not carry */
			return remainder_step(s, n, a, UINT64_C(1) << n->value, step);
		*step = a->step;
		return true;
	default:
		return n->op >= EXPR_EQ && n->op <= EXPR_SLE && compare_step(s, n, a, b);
	}
}

/* A choice goes by what is chosen, as long as the same is. */
static bool choice(struct stepping *s, const struct expr_node *n, struct line *l)
{
	struct line c, yes, no;
	if (!line_of(s, n->a, &c) || c.step)
		return false;
	if (c.known)
		return line_of(s, c.now ? n->b : n->c, l);
	if (!line_of(s, n->b, &yes) || !line_of(s, n->c, &no) || yes.step || no.step)
		return false;
	*l = (struct line){ 0 };
	return true;
}

static bool line_of(struct stepping *s, expr e, struct line *l)
{
	const struct counters *c = s->c;
	struct expr_node n = *expr_node(c->exprs, e);
	const struct counter *counter = counter_of(c, &n);
	if (++s->nodes > MOST_NODES)
		return false;
	if (n.op == EXPR_ITE)
		return choice(s, &n, l);
	*l = (struct line){ .step = counter ? counter->step : 0 };
	l->known = expr_is_const(c->exprs, counters_put(c, e, 0), &l->now);
	if (n.op == EXPR_CONST || n.op == EXPR_SYM || !counters_in(c, e)) {
		if (counter)
			stays_within(s, l->now, l->step, 0, expr_ones(n.width));
		return true;
	}
	struct line in[2] = { { 0 } };
	if (!line_of(s, n.a, &in[0]) || (n.b && !line_of(s, n.b, &in[1])))
		return false;
	if (!in[0].step && !in[1].step)
		return true;
	if (!operation_step(s, &n, in, &l->step) || (l->step && !l->known))
		return false;
	stays_within(s, l->now, l->step, 0, expr_ones(n.width));
	return true;
}

bool counters_step(const struct counters *c, expr e, int64_t *step, uint64_t *most)
{
	struct stepping s = { c, *most, 0 };
	struct line l;
	if (!line_of(&s, e, &l))
		return false;
	*step = l.step;
	*most = s.most;
	return true;
}
