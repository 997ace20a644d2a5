#include "model/pinned.h"

#include <stdlib.h>

/* A condition holds: what follows for symbols. One of several that all have to hold is one itself. */
static void take_condition(struct pinned *p, const struct expr_arena *x, expr condition)
{
	vec(expr) stack = {0};
	*vec_push(&stack) = condition;
	while (stack.n) {
		const struct expr_node *n = expr_node(x, stack.at[--stack.n]);
		if (n->op == EXPR_AND && n->width == 1) {
			*vec_push(&stack) = n->a;
			*vec_push(&stack) = n->b;
			continue;
		}
		if (n->op != EXPR_EQ)
			continue;
		bool second = expr_node(x, n->b)->op == EXPR_SYM;
		expr symbol = second ? n->b : n->a;
		uint64_t value;
		if (expr_node(x, symbol)->op != EXPR_SYM || p->is[symbol] || !expr_is_const(x, second ? n->a : n->b, &value))
			continue;
		p->is[symbol] = true;
		p->value[symbol] = value;
	}
	vec_free(&stack);
}

/* Are the operands that count known? Of a choice those are the condition and what it chooses. */
static bool has_operands(const struct pinned *p, const struct expr_node *n)
{
	if (n->op == EXPR_ITE)
		return p->is[n->a] && p->is[p->value[n->a] ? n->b : n->c];
	return (!n->a || p->is[n->a]) && (!n->b || p->is[n->b]) && (!n->c || p->is[n->c]);
}

bool pinned_compute(const struct pinned *p, const struct expr_arena *x, expr e, uint64_t *value)
{
	if (!has_operands(p, expr_node(x, e)))
		return false;
	*value = expr_apply(x, e, NULL, p->value);
	return true;
}

void pinned_init(struct pinned *p, const struct execution *x)
{
	const struct expr_node *nodes = expr_nodes(x->exprs);
	size_t n = expr_count(x->exprs);
	*p = (struct pinned){xcalloc(n + 1, sizeof *p->is), xcalloc(n + 1, sizeof *p->value)};
	for (size_t i = 0; i < x->conditions.n; i++)
		take_condition(p, x->exprs, x->conditions.at[i].condition);
	for (expr e = 1; e <= n; e++) {
		if (nodes[e].op != EXPR_SYM)
			p->is[e] = pinned_compute(p, x->exprs, e, &p->value[e]);
	}
}

void pinned_release(struct pinned *p)
{
	free(p->is);
	free(p->value);
	*p = (struct pinned){0};
}

bool pinned_value(const struct pinned *p, expr e, uint64_t *value)
{
	if (!e || !p->is[e])
		return false;
	if (value)
		*value = p->value[e];
	return true;
}
