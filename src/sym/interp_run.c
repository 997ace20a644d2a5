/*
 * The two dispatch loops, and the arithmetic they share.
 */
#include "sym/floats.h"
#include "sym/interp_internal.h"

#include <stdlib.h>

static inline uint64_t signed_divide(uint64_t a, uint64_t b, unsigned w)
{
	if (w == 32)
		return (uint32_t)((int32_t)a / (int32_t)b);
	return (uint64_t)(sext_from(a, w) / sext_from(b, w)) & mask_of(w);
}

static inline uint64_t signed_remainder(uint64_t a, uint64_t b, unsigned w)
{
	if (w == 32)
		return (uint32_t)((int32_t)a % (int32_t)b);
	return (uint64_t)(sext_from(a, w) % sext_from(b, w)) & mask_of(w);
}

/* By 0 or -1, as SMT-LIB has it: the guess need not trap where the program does not. */
static uint64_t smt_divide(enum expr_op op, unsigned w, uint64_t a, uint64_t b)
{
	bool zero = b == 0;
	switch (op) {
	case EXPR_UDIV:
		return zero ? mask_of(w) : a / b;
	case EXPR_UREM:
		return zero ? a : a % b;
	case EXPR_SDIV:
		return zero ? (sext_from(a, w) < 0 ? 1 : mask_of(w)) : (0 - a) & mask_of(w);
	default:
		return zero ? a : 0;
	}
}

#define SYMBOLIC 0
#define LOOP run_concrete
#include "sym/interp_loop.h"
#undef SYMBOLIC
#undef LOOP

#define SYMBOLIC 1
#define LOOP run_symbolic
#include "sym/interp_loop.h"
