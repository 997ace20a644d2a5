/* What single operations come to; for expr.c, which folds constants. Results may have bits above their width. */
#ifndef RETHREAD_EXPR_VALUES_H
#define RETHREAD_EXPR_VALUES_H

#include "sym/expr.h"

/* a op b, EXPR_ADD to EXPR_SLE; width: of the operands. */
uint64_t expr_compute(enum expr_op op, uint64_t a, uint64_t b, unsigned width);
/* An operation on floats (expr_is_float_op); inner: width of the operands. */
uint64_t expr_compute_float(const struct expr_node *n, uint64_t a, uint64_t b, unsigned inner);

#endif
