#include "infer/other_way.h"

/* How many of the thread's next conditions are tried. */
enum { CONDITIONS = 8 };

/* The first condition of the thread behind an event. */
static size_t condition_behind(const struct execution *x, uint32_t event)
{
	size_t low = 0, high = x->conditions.n; /* they are by thread, in program order */
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (x->conditions.at[mid].event < event)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

enum other_way goes_another_way(const struct execution *x, uint32_t event, uint32_t until, uint64_t value, uint64_t *symbols)
{
	const struct event *e = &x->events.at[event];
	if (!e->read || expr_node(x->exprs, e->read)->op != EXPR_SYM)
		return SAME_WAY;
	uint64_t *symbol = &symbols[expr_node(x->exprs, e->read)->value], before = *symbol;
	*symbol = value;
	enum other_way way = SAME_WAY;
	size_t from = condition_behind(x, event);
	for (size_t i = from; i < x->conditions.n && i < from + CONDITIONS && x->conditions.at[i].event < until && way != OTHER_WAY; i++) {
		const struct condition *c = &x->conditions.at[i];
		if ((c->kind != CONDITION_PATH && c->kind != CONDITION_RECORDED) || expr_eval(x->exprs, c->condition, symbols))
			continue;
		way = c->kind == CONDITION_PATH ? OTHER_WAY : OTHER_VALUE;
	}
	*symbol = before;
	return way;
}
