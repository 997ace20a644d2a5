/* Simplifications of expressions that cut values into pieces; for expr.c. Each returns EXPR_NONE when it has nothing to say. */
#ifndef RETHREAD_EXPR_SLICES_H
#define RETHREAD_EXPR_SLICES_H

#include "sym/expr.h"

/* a shifted by the constant c; op: EXPR_SHL or EXPR_LSHR. */
expr slices_shift(struct expr_arena *x, enum expr_op op, expr a, uint64_t c);
/* a & c, a | b, and bits of a. */
expr slices_and(struct expr_arena *x, expr a, uint64_t c);
expr slices_or(struct expr_arena *x, expr a, expr b);
expr slices_extract(struct expr_arena *x, expr a, unsigned low, unsigned width);

#endif
