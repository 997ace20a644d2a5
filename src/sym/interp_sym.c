/*
 * Expressions of results. Operands come as value and expression; a narrower expression stands for its zero
 * extension (code.h).
 */
#include "sym/interp_internal.h"

static expr fit(struct ithread *t, unsigned w, expr e)
{
	unsigned have = expr_node(t->in->exprs, e)->width;
	if (have < w)
		return expr_zext(t->in->exprs, e, w);
	return have > w ? expr_extract(t->in->exprs, e, 0, w) : e;
}

expr sym_operand(struct ithread *t, unsigned w, uint64_t v, expr e)
{
	return e ? fit(t, w, e) : expr_const(t->in->exprs, w, v);
}

expr sym_fold(struct ithread *t, expr e)
{
	uint64_t v;
	return expr_is_const(t->in->exprs, e, &v) ? EXPR_NONE : e;
}

expr sym_binary(struct ithread *t, enum expr_op op, unsigned w, uint64_t a, expr ea, uint64_t b, expr eb)
{
	return sym_fold(t, expr_binary(t->in->exprs, op, sym_operand(t, w, a, ea), sym_operand(t, w, b, eb)));
}

expr sym_float(struct ithread *t, enum expr_op op, unsigned w, uint64_t a, expr ea, uint64_t b, expr eb)
{
	return sym_fold(t, expr_float(t->in->exprs, op, sym_operand(t, w, a, ea), sym_operand(t, w, b, eb)));
}

expr sym_float_compare(struct ithread *t, unsigned predicate, unsigned w, uint64_t a, expr ea, uint64_t b, expr eb)
{
	return sym_fold(t, expr_float_compare(t->in->exprs, predicate, sym_operand(t, w, a, ea), sym_operand(t, w, b, eb)));
}

expr sym_float_unary(struct ithread *t, enum expr_op op, unsigned from, unsigned to, expr e)
{
	return sym_fold(t, expr_float_unary(t->in->exprs, op, fit(t, from, e), to));
}

expr sym_not_equal(struct ithread *t, unsigned w, uint64_t a, expr ea, uint64_t b, expr eb)
{
	expr equal = expr_binary(t->in->exprs, EXPR_EQ, sym_operand(t, w, a, ea), sym_operand(t, w, b, eb));
	return sym_fold(t, expr_not(t->in->exprs, equal));
}

expr sym_select(struct ithread *t, unsigned w, expr c, uint64_t a, expr ea, uint64_t b, expr eb)
{
	return sym_fold(t, expr_ite(t->in->exprs, fit(t, 1, c), sym_operand(t, w, a, ea),
				    sym_operand(t, w, b, eb)));
}

expr sym_trunc(struct ithread *t, unsigned w, expr e)
{
	return sym_extract(t, 0, w, e);
}

expr sym_sext(struct ithread *t, unsigned from, unsigned to, expr e)
{
	return sym_fold(t, expr_sext(t->in->exprs, fit(t, from, e), to));
}

expr sym_extract(struct ithread *t, unsigned low, unsigned w, expr e)
{
	unsigned have = expr_node(t->in->exprs, e)->width;
	if (low >= have)
		return EXPR_NONE;
	if (low + w > have) /* the rest is zeros, which a narrower expression implies */
		w = have - low;
	return sym_fold(t, low || w < have ? expr_extract(t->in->exprs, e, low, w) : e);
}

expr sym_concat(struct ithread *t, unsigned wlow, uint64_t a, expr ea, unsigned whigh, uint64_t b, expr eb)
{
	return sym_fold(t, expr_concat(t->in->exprs, sym_operand(t, whigh, b, eb),
				       sym_operand(t, wlow, a, ea)));
}

expr sym_bswap(struct ithread *t, unsigned w, expr e)
{
	e = fit(t, w, e);
	expr all = expr_extract(t->in->exprs, e, 0, 8);
	for (unsigned at = 8; at < w; at += 8)
		all = expr_concat(t->in->exprs, all, expr_extract(t->in->exprs, e, at, 8));
	return sym_fold(t, all);
}

expr sym_scaled(struct ithread *t, uint64_t base, expr eb, uint64_t index, expr ei, unsigned iwidth,
		unsigned scale)
{
	struct expr_arena *x = t->in->exprs;
	expr i = sym_operand(t, iwidth, index, ei);
	if (iwidth < 64)
		i = expr_sext(x, i, 64);
	expr product = expr_binary(x, EXPR_MUL, i, expr_const(x, 64, scale));
	return sym_fold(t, expr_binary(x, EXPR_ADD, sym_operand(t, 64, base, eb), product));
}

void known_is_symbolic(struct ithread *t, struct slot condition)
{
	if (!host_known(t, condition.e, condition.v))
		host_unsupported(t, "a branch that was not recorded depends on what other threads did");
}

void ithread_ask(struct ithread *t)
{
	t->jumps = 1;
}

void jumped_for_long(struct ithread *t)
{
	t->jumps = PATIENCE;
	host_unrecorded(t);
}

void known_for_long(struct ithread *t)
{
	t->patience = PATIENCE;
	host_unrecorded(t);
}

bool branch_disagrees(struct ithread *t, int64_t bit, bool concrete)
{
	if (bit == -2)
		return concrete;
	if (bit == -3)
		return host_silent_goes(t, concrete);
	if (bit < 0)
		ithread_stop(t);
	host_mismatch(t);
	return bit;
}

bool sym_branch(struct ithread *t, expr condition, bool concrete)
{
	int64_t bit = host_path_bits(t, 1);
	if (bit == -1)
		ithread_stop(t);
	if (bit == -3)
		return host_silent_goes(t, concrete);
	if (!condition) /* the expression folded to a constant */
		return bit == concrete ? concrete : branch_disagrees(t, bit, concrete);
	if (bit == -2)
		bit = concrete;
	if (bit != concrete)
		host_contradicted(t, condition);
	host_assume(t, fit(t, 1, condition), (uint64_t)bit);
	return bit;
}
