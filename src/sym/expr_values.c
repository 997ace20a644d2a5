/* What expressions come to: operations on known values, and whole expressions under values for their symbols. */
#include "sym/expr_values.h"

#include "base/base.h"
#include "sym/floats.h"

#include <stdlib.h>

static uint64_t divide(enum expr_op op, uint64_t a, uint64_t b, unsigned width)
{
	int64_t sa = expr_signed(a, width), sb = expr_signed(b, width);
	switch (op) {
	case EXPR_UDIV:
		return b ? a / b : UINT64_MAX;
	case EXPR_UREM:
		return b ? a % b : a;
	case EXPR_SDIV:
		if (!sb)
			return sa < 0 ? 1 : UINT64_MAX;
		return sb == -1 ? (uint64_t)0 - (uint64_t)sa : (uint64_t)(sa / sb);
	default:
		if (!sb)
			return a;
		return sb == -1 ? 0 : (uint64_t)(sa % sb);
	}
}

static uint64_t shift(enum expr_op op, uint64_t a, uint64_t b, unsigned width)
{
	if (op == EXPR_ASHR) {
		unsigned n = b >= width ? 63 : (unsigned)b;
		return (uint64_t)(expr_signed(a, width) >> n);
	}
	if (b >= width)
		return 0;
	return op == EXPR_SHL ? a << b : a >> b;
}

uint64_t expr_compute(enum expr_op op, uint64_t a, uint64_t b, unsigned width)
{
	switch (op) {
	case EXPR_ADD: return a + b;
	case EXPR_SUB: return a - b;
	case EXPR_MUL: return a * b;
	case EXPR_AND: return a & b;
	case EXPR_OR: return a | b;
	case EXPR_XOR: return a ^ b;
	case EXPR_EQ: return a == b;
	case EXPR_ULT: return a < b;
	case EXPR_ULE: return a <= b;
	case EXPR_SLT: return expr_signed(a, width) < expr_signed(b, width);
	case EXPR_SLE: return expr_signed(a, width) <= expr_signed(b, width);
	case EXPR_SHL:
	case EXPR_LSHR:
	case EXPR_ASHR: return shift(op, a, b, width);
	default: return divide(op, a, b, width);
	}
}

static double get_either(uint64_t v, unsigned width)
{
	return width == 32 ? (double)get_float(v) : get_double(v);
}

static uint64_t put_either(double d, unsigned width)
{
	return width == 32 ? put_float((float)d) : put_double(d);
}

/* Integers straight to the wanted width: by way of a double they would be rounded twice. */
static uint64_t from_integer(enum expr_op op, uint64_t a, unsigned inner, unsigned width)
{
	int64_t sa = expr_signed(a, inner);
	if (width == 32)
		return put_float(op == EXPR_SI_TO_F ? (float)sa : (float)a);
	return put_double(op == EXPR_SI_TO_F ? (double)sa : (double)a);
}

/* Sums and the like of two floats are exact enough as doubles. */
uint64_t expr_compute_float(const struct expr_node *n, uint64_t a, uint64_t b, unsigned inner)
{
	double x = get_either(a, inner), y = get_either(b, inner);
	switch (n->op) {
	case EXPR_FADD: return put_either(x + y, n->width);
	case EXPR_FSUB: return put_either(x - y, n->width);
	case EXPR_FMUL: return put_either(x * y, n->width);
	case EXPR_FDIV: return put_either(x / y, n->width);
	case EXPR_FCMP: return compare_float(x, y, (unsigned)n->value);
	case EXPR_FSQRT: return put_either(__builtin_elementwise_sqrt(x), n->width);
	case EXPR_F_TO_SI: return (uint64_t)to_signed(x, n->width);
	case EXPR_F_TO_UI: return to_unsigned(x);
	case EXPR_F_TO_F: return put_either(x, n->width);
	default: return from_integer(n->op, a, inner, n->width);
	}
}

static uint64_t node_value(const struct expr_node *nodes, const struct expr_node *n,
			   const uint64_t *symbols, const uint64_t *values)
{
	uint64_t v;
	switch (n->op) {
	case EXPR_CONST:
		return n->value;
	case EXPR_SYM:
		v = symbols[n->value];
		break;
	case EXPR_ITE:
		v = values[n->a] ? values[n->b] : values[n->c];
		break;
	case EXPR_CONCAT:
		v = values[n->a] << nodes[n->b].width | values[n->b];
		break;
	case EXPR_EXTRACT:
		v = values[n->a] >> n->value;
		break;
	case EXPR_ZEXT:
		v = values[n->a];
		break;
	case EXPR_SEXT:
		v = (uint64_t)expr_signed(values[n->a], nodes[n->a].width);
		break;
	default:
		if (expr_is_float_op(n->op))
			v = expr_compute_float(n, values[n->a], n->b ? values[n->b] : 0, nodes[n->a].width);
		else
			v = expr_compute(n->op, values[n->a], values[n->b], nodes[n->a].width);
	}
	return v & expr_ones(n->width);
}

void expr_eval_all(const struct expr_arena *x, const uint64_t *symbols, uint64_t *out)
{
	const struct expr_node *nodes = expr_nodes(x);
	for (size_t i = 1, n = expr_count(x); i <= n; i++)
		out[i] = node_value(nodes, &nodes[i], symbols, out);
}

uint64_t expr_apply(const struct expr_arena *x, expr e, const uint64_t *symbols, const uint64_t *values)
{
	const struct expr_node *nodes = expr_nodes(x);
	return node_value(nodes, &nodes[e], symbols, values);
}

/* Marks e and every node below it. */
static void mark_reachable(const struct expr_arena *x, expr e, unsigned char *marked)
{
	vec(expr) stack = {0};
	*vec_push(&stack) = e;
	while (stack.n) {
		expr at = stack.at[--stack.n];
		if (!at || marked[at])
			continue;
		marked[at] = 1;
		const struct expr_node *n = expr_node(x, at);
		*vec_push(&stack) = n->a;
		*vec_push(&stack) = n->b;
		*vec_push(&stack) = n->c;
	}
	vec_free(&stack);
}

uint64_t expr_eval(const struct expr_arena *x, expr e, const uint64_t *symbols)
{
	uint64_t v;
	if (expr_is_const(x, e, &v))
		return v;
	unsigned char *marked = xcalloc((size_t)e + 1, 1);
	uint64_t *values = xmalloc(((size_t)e + 1) * sizeof *values);
	mark_reachable(x, e, marked);
	for (expr i = 1; i <= e; i++)
		if (marked[i])
			values[i] = expr_apply(x, i, symbols, values);
	v = values[e];
	free(values);
	free(marked);
	return v;
}
