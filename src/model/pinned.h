/*
 * What the conditions alone say of values: a symbol that has to equal a constant has that value in every interleaving, and so has
 * all that is computed from such symbols and constants. Recorded values make most of them.
 */
#ifndef RETHREAD_PINNED_H
#define RETHREAD_PINNED_H

#include "model/execution.h"

/* By expression: has it one value only, and which? Of conditions that contradict one another the first counts. */
struct pinned {
	bool *is;
	uint64_t *value;
};

void pinned_init(struct pinned *p, const struct execution *x);
void pinned_release(struct pinned *p);

/* What an expression comes to whose operands are known. */
bool pinned_compute(const struct pinned *p, const struct expr_arena *x, expr e, uint64_t *value);
/* False as well for EXPR_NONE. value may be NULL. */
bool pinned_value(const struct pinned *p, expr e, uint64_t *value);

#endif
