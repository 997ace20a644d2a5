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

bool goes_another_way(const struct execution *x, uint32_t event, uint32_t until, uint64_t value, uint64_t *symbols)
{
	const struct event *e = &x->events.at[event];
	if (!e->read || expr_node(x->exprs, e->read)->op != EXPR_SYM)
		return false;
	uint64_t *symbol = &symbols[expr_node(x->exprs, e->read)->value], before = *symbol;
	*symbol = value;
	bool other_way = false;
	size_t from = condition_behind(x, event);
	for (size_t i = from; i < x->conditions.n && i < from + CONDITIONS && x->conditions.at[i].event < until && !other_way; i++)
		other_way = x->conditions.at[i].kind == CONDITION_PATH && !expr_eval(x->exprs, x->conditions.at[i].condition, symbols);
	*symbol = before;
	return other_way;
}
