/*
 * Floating point as the machine does it, on bit patterns in 64-bit words. The interpreter's concrete values and the values
 * of expressions (expr.h) both come from here, so that they agree to the last bit.
 */
#ifndef RETHREAD_FLOATS_H
#define RETHREAD_FLOATS_H

#include <stdint.h>
#include <string.h>

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

#endif
