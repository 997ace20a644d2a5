#include "model/sole.h"

#include <stdlib.h>

/* Values go from threads to others whose expressions have smaller numbers: so often all are gone through. */
enum { MOST_PASSES = 8 };

/* What the only candidate of a piece gives it. */
static bool given(const struct problem *p, const struct piece *piece, uint64_t *value)
{
	if (piece->count != 1)
		return false;
	if (piece->initial) {
		*value = p->initial[piece->atom];
		return p->unknown == UINT32_MAX;
	}
	uint32_t w = p->writers.at[p->ranges.at[piece->ranges].from];
	if (!pinned_value(&p->pinned, p->m->x->events.at[w].written, value))
		return false;
	*value >>= atom_low_bit(p->m, w, piece->atom);
	return true;
}

/* The same for a read, whose first piece is given. */
static bool read_value(const struct problem *p, uint32_t first, uint64_t *value)
{
	uint32_t event = p->pieces.at[first].event, n = p->m->atoms.count[event];
	*value = 0;
	for (uint32_t i = first; i < first + n; i++) {
		const struct piece *piece = &p->pieces.at[i];
		uint64_t part;
		if (i >= p->pieces.n || piece->event != event || !given(p, piece, &part))
			return false;
		if (piece->width < 64)
			part &= (UINT64_C(1) << piece->width) - 1;
		*value |= part << piece->low;
	}
	return true;
}

void sole_pin(struct problem *p)
{
	const struct execution *x = p->m->x;
	const struct expr_node *nodes = expr_nodes(x->exprs);
	size_t n = expr_count(x->exprs);
	uint32_t *first = xcalloc(n + 1, sizeof *first); /* by symbol's expression: its read's first piece, + 1 */
	for (size_t i = p->pieces.n; i--;)
		first[x->events.at[p->pieces.at[i].event].read] = (uint32_t)i + 1;
	bool any = true;
	for (int pass = 0; any && pass < MOST_PASSES; pass++) {
		any = false;
		for (expr e = 1; e <= n; e++) {
			uint64_t value;
			if (!p->pinned.is[e] && (nodes[e].op == EXPR_SYM ? first[e] && read_value(p, first[e] - 1, &value)
									 : pinned_compute(&p->pinned, x->exprs, e, &value))) {
				p->pinned.is[e] = any = true;
				p->pinned.value[e] = value;
			}
		}
	}
	free(first);
}
