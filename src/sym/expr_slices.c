/*
 * Values that are cut into pieces and put together again by shifts and masks, as the halves of long integers and bit-fields are: what a
 * shift or a mask leaves of a concatenation is one of its pieces, and an `or` with the zeroes that a shift left is a concatenation.
 * Without this, an expression seems to depend on reads of which nothing is left in it.
 */
#include "sym/expr_slices.h"

static unsigned width_of(const struct expr_arena *x, expr e)
{
	return expr_node(x, e)->width;
}

/* Is it 2^k - 1? Then k, else 0. */
static unsigned low_mask(uint64_t c)
{
	return c && !(c & (c + 1)) ? (unsigned)__builtin_popcountll(c) : 0;
}

expr slices_shift(struct expr_arena *x, enum expr_op op, expr a, uint64_t c)
{
	struct expr_node n = *expr_node(x, a);
	if (n.op != EXPR_CONCAT || !c || c >= n.width)
		return EXPR_NONE;
	unsigned by = (unsigned)c, left = n.width - by;
	if (op == EXPR_SHL && left <= width_of(x, n.b))
		return expr_concat(x, expr_extract(x, n.b, 0, left), expr_const(x, by, 0));
	if (op == EXPR_LSHR && by >= width_of(x, n.b))
		return expr_zext(x, expr_extract(x, n.a, by - width_of(x, n.b), left), n.width);
	return EXPR_NONE;
}

expr slices_and(struct expr_arena *x, expr a, uint64_t c)
{
	struct expr_node n = *expr_node(x, a);
	unsigned bits = low_mask(c);
	if (n.op != EXPR_CONCAT || !bits || bits > width_of(x, n.b))
		return EXPR_NONE;
	return expr_zext(x, expr_extract(x, n.b, 0, bits), n.width);
}

/* Are all bits from `bits` on known to be 0? */
static bool is_below(const struct expr_arena *x, expr e, unsigned bits)
{
	const struct expr_node *n = expr_node(x, e);
	uint64_t mask;
	if (n->op == EXPR_ZEXT)
		return width_of(x, n->a) <= bits;
	return n->op == EXPR_AND && expr_is_const(x, n->b, &mask) && mask >> bits == 0;
}

static expr fill_low(struct expr_arena *x, expr a, expr low)
{
	struct expr_node n = *expr_node(x, a);
	uint64_t zero;
	if (n.op != EXPR_CONCAT || !expr_is_const(x, n.b, &zero) || zero || !is_below(x, low, width_of(x, n.b)))
		return EXPR_NONE;
	return expr_concat(x, n.a, expr_extract(x, low, 0, width_of(x, n.b)));
}

expr slices_or(struct expr_arena *x, expr a, expr b)
{
	expr filled = fill_low(x, a, b);
	return filled ? filled : fill_low(x, b, a);
}

expr slices_extract(struct expr_arena *x, expr a, unsigned low, unsigned width)
{
	struct expr_node n = *expr_node(x, a);
	uint64_t mask;
	if (n.op != EXPR_AND || !expr_is_const(x, n.b, &mask) || (~mask >> low & expr_ones(width)))
		return EXPR_NONE;
	return expr_extract(x, n.a, low, width);
}
