#include "model/decided.h"

#include <stdlib.h>

enum outcome { UNDECIDED, HOLDS, HOLDS_NOT };

/* The condition has this outcome, and so have those that it is made of where that follows. */
static void note(uint8_t *outcomes, const struct expr_arena *x, expr e, bool holds)
{
	vec(struct part {
		expr e;
		bool holds;
	}) left = {0};
	*vec_push(&left) = (struct part){e, holds};
	while (left.n) {
		struct part p = left.at[--left.n];
		const struct expr_node *n = expr_node(x, p.e);
		uint64_t value;
		if (n->width != 1 || outcomes[p.e])
			continue;
		outcomes[p.e] = p.holds ? HOLDS : HOLDS_NOT;
		if (n->op == (p.holds ? EXPR_AND : EXPR_OR)) {
			*vec_push(&left) = (struct part){n->a, p.holds};
			*vec_push(&left) = (struct part){n->b, p.holds};
		}
		if (n->op == EXPR_XOR && expr_is_const(x, n->b, &value))
			*vec_push(&left) = (struct part){n->a, p.holds != (bool)value};
	}
	vec_free(&left);
}

void execution_decide(struct execution *x)
{
	uint8_t *outcomes = xcalloc(expr_count(x->exprs) + 1, sizeof *outcomes);
	for (size_t i = 0; i < x->conditions.n; i++) {
		const struct condition *c = &x->conditions.at[i];
		if (c->kind == CONDITION_PATH || c->kind == CONDITION_RECORDED || c->kind == CONDITION_BUG)
			note(outcomes, x->exprs, c->condition, true);
	}
	for (size_t i = 0; i < x->events.n; i++) {
		struct event *e = &x->events.at[i];
		for (const struct expr_node *n; e->written; e->written = outcomes[n->a] == HOLDS ? n->b : n->c) {
			n = expr_node(x->exprs, e->written);
			if (n->op != EXPR_ITE || outcomes[n->a] == UNDECIDED)
				break;
		}
	}
	free(outcomes);
}
