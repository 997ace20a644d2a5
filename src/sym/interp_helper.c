/*
 * Operations of HELPER: 128-bit integers, long double, mathematical functions. Concrete only.
 */
/* clang-format off */
#include "sym/interp_internal.h"

#include <math.h>

typedef unsigned __int128 u128;
typedef __int128 s128;

#define HELPER(name) static void help_##name(const uint64_t *in, uint64_t *out, unsigned w)
#define UNUSED (void)in, (void)out, (void)w

static u128 wide(const uint64_t *in)
{
	return in[0] | (u128)in[1] << 64;
}

static void put_wide(uint64_t *out, u128 v, unsigned w)
{
	if (w && w < 128)
		v &= ((u128)1 << w) - 1;
	out[0] = (uint64_t)v;
	out[1] = (uint64_t)(v >> 64);
}

static s128 signed_wide(const uint64_t *in, unsigned w)
{
	u128 v = wide(in);
	return w < 128 ? (s128)(v << (128 - w)) >> (128 - w) : (s128)v;
}

HELPER(MUL128) { put_wide(out, wide(in) * wide(in + 2), w); }
HELPER(UDIV128) { put_wide(out, wide(in) / wide(in + 2), w); }
HELPER(UREM128) { put_wide(out, wide(in) % wide(in + 2), w); }
HELPER(SDIV128) { put_wide(out, (u128)(signed_wide(in, w) / signed_wide(in + 2, w)), w); }
HELPER(SREM128) { put_wide(out, (u128)(signed_wide(in, w) % signed_wide(in + 2, w)), w); }
HELPER(SHL128) { put_wide(out, in[2] < w && !in[3] ? wide(in) << in[2] : 0, w); }
HELPER(LSHR128) { put_wide(out, in[2] < w && !in[3] ? wide(in) >> in[2] : 0, w); }
HELPER(ASHR128)
{
	put_wide(out, (u128)(signed_wide(in, w) >> (in[2] < w && !in[3] ? in[2] : 127)), w);
}
HELPER(SEXT128) { put_wide(out, (u128)signed_wide(in, w & 0xff), w >> 8); }

/* ------------------------------------------------------------------ floating point bits */

static float f32(uint64_t v)
{
	float f;
	uint32_t bits = (uint32_t)v;
	memcpy(&f, &bits, sizeof f);
	return f;
}

static double f64(uint64_t v)
{
	double d;
	memcpy(&d, &v, sizeof d);
	return d;
}

static long double f80(const uint64_t *in)
{
	long double x = 0;
	memcpy(&x, in, 10);
	return x;
}

static void put32(uint64_t *out, float f)
{
	*out = 0;
	memcpy(out, &f, sizeof f);
}

static void put64(uint64_t *out, double d)
{
	memcpy(out, &d, sizeof d);
}

static void put80(uint64_t *out, long double x)
{
	out[1] = 0;
	memcpy(out, &x, 10);
}

HELPER(SITOF32_128) { put32(out, (float)signed_wide(in, w)); }
HELPER(SITOF64_128) { put64(out, (double)signed_wide(in, w)); }
HELPER(UITOF32_128) { (void)w; put32(out, (float)wide(in)); }
HELPER(UITOF64_128) { (void)w; put64(out, (double)wide(in)); }
HELPER(F32TOSI128) { put_wide(out, (u128)(s128)f32(in[0]), w); }
HELPER(F64TOSI128) { put_wide(out, (u128)(s128)f64(in[0]), w); }
HELPER(F32TOUI128) { put_wide(out, (u128)f32(in[0]), w); }
HELPER(F64TOUI128) { put_wide(out, (u128)f64(in[0]), w); }

HELPER(FADD80) { (void)w; put80(out, f80(in) + f80(in + 2)); }
HELPER(FSUB80) { (void)w; put80(out, f80(in) - f80(in + 2)); }
HELPER(FMUL80) { (void)w; put80(out, f80(in) * f80(in + 2)); }
HELPER(FDIV80) { (void)w; put80(out, f80(in) / f80(in + 2)); }
HELPER(FREM80) { (void)w; put80(out, fmodl(f80(in), f80(in + 2))); }
HELPER(FCMP80)
{
	long double a = f80(in), b = f80(in + 2);
	unsigned is = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
	out[0] = (w & is) != 0;
}
HELPER(FNEG80) { (void)w; out[0] = in[0]; out[1] = in[1] ^ 0x8000; }
HELPER(FABS80) { (void)w; out[0] = in[0]; out[1] = in[1] & 0x7fff; }
HELPER(SITOF80) { put80(out, (long double)sext_from(in[0], w)); }
HELPER(UITOF80) { (void)w; put80(out, (long double)in[0]); }
HELPER(F80TOSI) { out[0] = (uint64_t)(int64_t)f80(in) & mask_of(w); }
HELPER(F80TOUI) { out[0] = (uint64_t)f80(in) & mask_of(w); }
HELPER(F32TOF80) { (void)w; put80(out, f32(in[0])); }
HELPER(F64TOF80) { (void)w; put80(out, f64(in[0])); }
HELPER(F80TOF32) { (void)w; put32(out, (float)f80(in)); }
HELPER(F80TOF64) { (void)w; put64(out, (double)f80(in)); }
HELPER(FREM32) { (void)w; put32(out, fmodf(f32(in[0]), f32(in[1]))); }
HELPER(FREM64) { (void)w; put64(out, fmod(f64(in[0]), f64(in[1]))); }

/* ------------------------------------------------------------------ integers */

HELPER(UMULO)
{
	u128 p = (u128)in[0] * in[1];
	out[0] = (uint64_t)p & mask_of(w);
	out[1] = p >> w != 0;
}
HELPER(SMULO)
{
	s128 p = (s128)sext_from(in[0], w) * sext_from(in[1], w);
	out[0] = (uint64_t)p & mask_of(w);
	out[1] = p != sext_from(out[0], w);
}

static uint64_t saturate(s128 v, unsigned w)
{
	s128 most = ((s128)1 << (w - 1)) - 1, least = -most - 1;
	return (uint64_t)(v > most ? most : v < least ? least : v) & mask_of(w);
}

HELPER(SADDSAT) { out[0] = saturate((s128)sext_from(in[0], w) + sext_from(in[1], w), w); }
HELPER(SSUBSAT) { out[0] = saturate((s128)sext_from(in[0], w) - sext_from(in[1], w), w); }
HELPER(SSHLSAT)
{
	s128 v = sext_from(in[0], w);
	out[0] = in[1] < w ? saturate((s128)((u128)v << in[1]), w) : 0;
}
HELPER(USHLSAT)
{
	u128 v = in[1] < w ? (u128)in[0] << in[1] : 0;
	out[0] = v > mask_of(w) ? mask_of(w) : (uint64_t)v;
}
HELPER(BITREVERSE) { out[0] = __builtin_bitreverse64(in[0]) >> (64 - w); }

static uint64_t signed_sat(double d, unsigned w)
{
	double most = ldexp(1.0, (int)w - 1);
	if (isnan(d))
		return 0;
	if (d >= most)
		return mask_of(w) >> 1;
	if (d <= -most)
		return ((uint64_t)1 << (w - 1)) & mask_of(w);
	return (uint64_t)(int64_t)d & mask_of(w);
}

static uint64_t unsigned_sat(double d, unsigned w)
{
	if (isnan(d) || d <= 0)
		return 0;
	return d >= ldexp(1.0, (int)w) ? mask_of(w) : (uint64_t)d & mask_of(w);
}

HELPER(F32TOSISAT) { out[0] = signed_sat(f32(in[0]), w); }
HELPER(F64TOSISAT) { out[0] = signed_sat(f64(in[0]), w); }
HELPER(F32TOUISAT) { out[0] = unsigned_sat(f32(in[0]), w); }
HELPER(F64TOUISAT) { out[0] = unsigned_sat(f64(in[0]), w); }

/* ------------------------------------------------------------------ functions */

#define MATH1(name, f32name, f64name, function)                                      \
	HELPER(f32name) { (void)w; put32(out, function##f(f32(in[0]))); }            \
	HELPER(f64name) { (void)w; put64(out, function(f64(in[0]))); }
#define MATH2(f32name, f64name, function)                                            \
	HELPER(f32name) { (void)w; put32(out, function##f(f32(in[0]), f32(in[1]))); } \
	HELPER(f64name) { (void)w; put64(out, function(f64(in[0]), f64(in[1]))); }

MATH1(sqrt, SQRT32, SQRT64, sqrt)
MATH1(floor, FLOOR32, FLOOR64, floor)
MATH1(ceil, CEIL32, CEIL64, ceil)
MATH1(trunc, FTRUNC32, FTRUNC64, trunc)
MATH1(rint, RINT32, RINT64, rint)
MATH1(nearbyint, NEARBYINT32, NEARBYINT64, nearbyint)
MATH1(round, ROUND32, ROUND64, round)
MATH1(roundeven, ROUNDEVEN32, ROUNDEVEN64, roundeven)
MATH1(sin, SIN32, SIN64, sin)
MATH1(cos, COS32, COS64, cos)
MATH1(tan, TAN32, TAN64, tan)
MATH1(exp, EXP32, EXP64, exp)
MATH1(exp2, EXP2_32, EXP2_64, exp2)
MATH1(exp10, EXP10_32, EXP10_64, exp10)
MATH1(log, LOG32, LOG64, log)
MATH1(log2, LOG2_32, LOG2_64, log2)
MATH1(log10, LOG10_32, LOG10_64, log10)
MATH2(POW32, POW64, pow)
MATH2(MINNUM32, MINNUM64, fmin)
MATH2(MAXNUM32, MAXNUM64, fmax)
MATH2(COPYSIGN32, COPYSIGN64, copysign)

/* Integer powers as compiler-rt computes them. */
static double powi(double a, int32_t b)
{
	bool inverse = b < 0;
	double p = 1;
	for (;; b /= 2, a *= a) {
		if (b & 1)
			p *= a;
		if (b / 2 == 0)
			return inverse ? 1 / p : p;
	}
}

static float powif(float a, int32_t b)
{
	bool inverse = b < 0;
	float p = 1;
	for (;; b /= 2, a *= a) {
		if (b & 1)
			p *= a;
		if (b / 2 == 0)
			return inverse ? 1 / p : p;
	}
}

HELPER(POWI32) { (void)w; put32(out, powif(f32(in[0]), (int32_t)in[1])); }
HELPER(POWI64) { (void)w; put64(out, powi(f64(in[0]), (int32_t)in[1])); }

/* NaN when either is; -0 below +0. */
static double minimum(double a, double b)
{
	if (isnan(a) || isnan(b))
		return a + b;
	return a < b || (a == b && signbit(a)) ? a : b;
}

static double maximum(double a, double b)
{
	if (isnan(a) || isnan(b))
		return a + b;
	return a > b || (a == b && !signbit(a)) ? a : b;
}

HELPER(MINIMUM32) { (void)w; put32(out, (float)minimum(f32(in[0]), f32(in[1]))); }
HELPER(MINIMUM64) { (void)w; put64(out, minimum(f64(in[0]), f64(in[1]))); }
HELPER(MAXIMUM32) { (void)w; put32(out, (float)maximum(f32(in[0]), f32(in[1]))); }
HELPER(MAXIMUM64) { (void)w; put64(out, maximum(f64(in[0]), f64(in[1]))); }
HELPER(LDEXP32) { (void)w; put32(out, ldexpf(f32(in[0]), (int)in[1])); }
HELPER(LDEXP64) { (void)w; put64(out, ldexp(f64(in[0]), (int)in[1])); }
HELPER(FREXP32)
{
	int e = 0;
	(void)w;
	put32(out, frexpf(f32(in[0]), &e));
	out[1] = (uint32_t)e;
}
HELPER(FREXP64)
{
	int e = 0;
	(void)w;
	put64(out, frexp(f64(in[0]), &e));
	out[1] = (uint32_t)e;
}
HELPER(LRINT32) { out[0] = (uint64_t)llrintf(f32(in[0])) & mask_of(w); }
HELPER(LRINT64) { out[0] = (uint64_t)llrint(f64(in[0])) & mask_of(w); }
HELPER(LROUND32) { out[0] = (uint64_t)llroundf(f32(in[0])) & mask_of(w); }
HELPER(LROUND64) { out[0] = (uint64_t)llround(f64(in[0])) & mask_of(w); }

/* LLVM's bits: signaling and quiet NaN; -inf, -normal, -subnormal, -0, +0, +subnormal, +normal, +inf. */
static uint64_t class_bit(int kind, bool negative, bool quiet)
{
	switch (kind) {
	case FP_NAN: return quiet ? 2 : 1;
	case FP_INFINITE: return negative ? 4 : 512;
	case FP_NORMAL: return negative ? 8 : 256;
	case FP_SUBNORMAL: return negative ? 16 : 128;
	default: return negative ? 32 : 64;
	}
}

HELPER(CLASS32)
{
	float f = f32(in[0]);
	(void)w;
	out[0] = (class_bit(fpclassify(f), signbit(f), in[0] >> 22 & 1) & in[1]) != 0;
}
HELPER(CLASS64)
{
	double f = f64(in[0]);
	(void)w;
	out[0] = (class_bit(fpclassify(f), signbit(f), in[0] >> 51 & 1) & in[1]) != 0;
}

HELPER(H2F)
{
	(void)w;
	_Float16 h;
	memcpy(&h, in, sizeof h);
	put32(out, (float)h);
}
HELPER(F2H)
{
	(void)w;
	_Float16 h = (_Float16)f32(in[0]);
	out[0] = 0;
	memcpy(out, &h, sizeof h);
}
HELPER(D2H)
{
	(void)w;
	_Float16 h = (_Float16)f64(in[0]);
	out[0] = 0;
	memcpy(out, &h, sizeof h);
}

/* The polynomial of SSE 4.2, w bits of the operand. */
HELPER(CRC32)
{
	uint32_t c = (uint32_t)in[0];
	for (unsigned i = 0; i < w; i++)
		c = (c >> 1) ^ ((c ^ (uint32_t)(in[1] >> i)) & 1 ? 0x82f63b78u : 0);
	out[0] = c;
}

helper *const helpers[HELP_COUNT_] = {
#define X(name, in, out) help_##name,
	CODE_HELPERS(X)
#undef X
};
