/*
 * The two dispatch loops, and the arithmetic they share.
 */
#include "sym/interp_internal.h"

#include <stdlib.h>

static inline float get_float(uint64_t v)
{
	uint32_t bits = (uint32_t)v;
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
}

static inline uint64_t put_float(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return bits;
}

static inline double get_double(uint64_t v)
{
	double d;
	memcpy(&d, &v, sizeof d);
	return d;
}

static inline uint64_t put_double(double d)
{
	uint64_t v;
	memcpy(&v, &d, sizeof v);
	return v;
}

/* LLVM's numbering: bit 0 equal, bit 1 greater, bit 2 less, bit 3 unordered. */
static inline uint64_t compare_float(double a, double b, unsigned predicate)
{
	unsigned is = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
	return (predicate & is) != 0;
}

/* As the machine converts: 32 bits and less through a 32-bit conversion, out of range gives the indefinite. */
static inline int64_t to_signed(double d, unsigned width)
{
	if (width <= 32)
		return __builtin_ia32_cvttsd2si((__attribute__((vector_size(16))) double){d, 0});
	return __builtin_ia32_cvttsd2si64((__attribute__((vector_size(16))) double){d, 0});
}

static inline uint64_t to_unsigned(double d)
{
	return (uint64_t)d;
}

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
