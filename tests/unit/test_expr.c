/* Expressions: what the constructors simplify must mean what was asked for. */
#include "random.h"
#include "sym/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SYMBOLS = 6, NODES = 60, ROUNDS = 3000 };

static uint64_t mask(unsigned width)
{
	return width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static int64_t as_signed(uint64_t v, unsigned width)
{
	return (v >> (width - 1) & 1) ? (int64_t)(v | ~mask(width)) : (int64_t)v;
}

/* SMT-LIB's meaning, written down once more. */
static uint64_t meaning(enum expr_op op, uint64_t a, uint64_t b, unsigned w)
{
	__int128 sa = as_signed(a, w), sb = as_signed(b, w);
	uint64_t r = 0;
	switch (op) {
	case EXPR_ADD: r = a + b; break;
	case EXPR_SUB: r = a - b; break;
	case EXPR_MUL: r = a * b; break;
	case EXPR_UDIV: r = b ? a / b : mask(w); break;
	case EXPR_UREM: r = b ? a % b : a; break;
	case EXPR_SDIV: r = sb ? (uint64_t)(sa / sb) : sa < 0 ? 1 : mask(w); break;
	case EXPR_SREM: r = sb ? (uint64_t)(sa % sb) : a; break;
	case EXPR_AND: r = a & b; break;
	case EXPR_OR: r = a | b; break;
	case EXPR_XOR: r = a ^ b; break;
	case EXPR_SHL: r = b < w ? a << b : 0; break;
	case EXPR_LSHR: r = b < w ? a >> b : 0; break;
	case EXPR_ASHR: r = (uint64_t)(sa >> (b < w ? b : w - 1)); break;
	case EXPR_EQ: return a == b;
	case EXPR_ULT: return a < b;
	case EXPR_ULE: return a <= b;
	case EXPR_SLT: return sa < sb;
	case EXPR_SLE: return sa <= sb;
	default: fail_msg("not binary: %d", op);
	}
	return r & mask(w);
}

struct made {
	expr e;
	unsigned width;
	uint64_t value;
};

static struct made make_leaf(struct expr_arena *x, const uint64_t *symbols, const unsigned *widths)
{
	if (pick(3)) {
		unsigned s = pick(SYMBOLS);
		return (struct made){expr_sym(x, widths[s], s), widths[s], symbols[s]};
	}
	unsigned w = 1 + pick(64);
	uint64_t v = (pick(2) ? next_random() : pick(3)) & mask(w);
	return (struct made){expr_const(x, w, v), w, v};
}

static struct made resize(struct expr_arena *x, struct made m, unsigned width)
{
	if (m.width > width) {
		unsigned low = pick(m.width - width + 1);
		return (struct made){expr_extract(x, m.e, low, width), width,
				     m.value >> low & mask(width)};
	}
	if (pick(2))
		return (struct made){expr_zext(x, m.e, width), width, m.value};
	return (struct made){expr_sext(x, m.e, width), width,
			     (uint64_t)as_signed(m.value, m.width) & mask(width)};
}

static struct made combine(struct expr_arena *x, struct made a, struct made b, struct made c)
{
	unsigned kind = pick(10);
	if (kind == 0)
		return resize(x, a, 1 + pick(64));
	if (kind == 1 && a.width + b.width <= 64)
		return (struct made){expr_concat(x, a.e, b.e), a.width + b.width,
				     a.value << b.width | b.value};
	if (kind == 2) {
		struct made t = resize(x, b, a.width), q = resize(x, c, 1);
		return (struct made){expr_ite(x, q.e, a.e, t.e), a.width, q.value ? a.value : t.value};
	}
	if (kind == 3)
		return (struct made){expr_not(x, a.e), a.width, ~a.value & mask(a.width)};
	enum expr_op op = EXPR_ADD + pick(EXPR_SLE - EXPR_ADD + 1);
	struct made d = resize(x, b, a.width);
	return (struct made){expr_binary(x, op, a.e, d.e), op >= EXPR_EQ ? 1 : a.width,
			     meaning(op, a.value, d.value, a.width)};
}

/* Bits of a double or float that arithmetic goes wrong with, or any. */
static uint64_t some_float(unsigned width)
{
	static const double special[] = {0.0, -0.0, 1.0, -2.5, 0.1, 1e308, 5e-324, 1.0 / 0.0, 3e9, -1.0};
	double d = special[pick(sizeof special / sizeof *special)] * (pick(2) ? 1 : (double)next_random());
	float f = (float)d;
	uint64_t v = 0;
	memcpy(&v, width == 32 ? (void *)&f : (void *)&d, width / 8);
	return v;
}

/* What the machine makes of it, in the type itself. */
#define MACHINE(type, suffix)                                                              \
	static uint64_t machine_##suffix(enum expr_op op, uint64_t va, uint64_t vb)        \
	{                                                                                  \
		type a, b, r;                                                              \
		memcpy(&a, &va, sizeof a);                                                 \
		memcpy(&b, &vb, sizeof b);                                                 \
		r = op == EXPR_FADD ? a + b : op == EXPR_FSUB ? a - b : op == EXPR_FMUL ? a * b : a / b; \
		uint64_t v = 0;                                                            \
		memcpy(&v, &r, sizeof r);                                                  \
		return v;                                                                  \
	}
MACHINE(float, 32)
MACHINE(double, 64)

static void floats_are_the_machines(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct expr_arena *x = expr_arena_new();
		unsigned w = pick(2) ? 32 : 64;
		uint64_t symbols[2] = {some_float(w), some_float(w)};
		expr a = expr_sym(x, w, 0), b = pick(4) ? expr_sym(x, w, 1) : expr_const(x, w, symbols[1]);
		enum expr_op op = EXPR_FADD + pick(4);
		uint64_t want = w == 32 ? machine_32(op, symbols[0], symbols[1]) : machine_64(op, symbols[0], symbols[1]);
		expr r = expr_float(x, op, a, b);
		assert_int_equal(expr_eval(x, r, symbols), want);
		/* One of less, equal, greater and unordered; a value equals itself unless it is not a number. */
		unsigned holds = 0;
		for (unsigned bit = 1; bit <= 8; bit *= 2)
			holds += (unsigned)expr_eval(x, expr_float_compare(x, bit, a, r), symbols);
		assert_int_equal(holds, 1);
		assert_int_not_equal(expr_eval(x, expr_float_compare(x, 1, r, r), symbols),
				     expr_eval(x, expr_float_compare(x, 8, r, r), symbols));
		struct expr_arena *copy = expr_arena_load(expr_nodes(x), expr_count(x));
		assert_non_null(copy);
		assert_int_equal(expr_eval(copy, r, symbols), want);
		expr_arena_free(copy);
		expr_arena_free(x);
	}
}

static void floats_are_converted(void **state)
{
	(void)state;
	struct expr_arena *x = expr_arena_new();
	uint64_t symbols[1] = {(uint64_t)-3};
	expr s = expr_sym(x, 16, 0), d = expr_float_unary(x, EXPR_SI_TO_F, s, 64);
	double minus3 = -3, root;
	uint64_t v;
	memcpy(&v, &minus3, sizeof v);
	symbols[0] &= 0xffff;
	assert_int_equal(expr_eval(x, d, symbols), v);
	assert_int_equal(expr_eval(x, expr_float_unary(x, EXPR_F_TO_SI, d, 8), symbols), 0xfd);
	expr f = expr_float_unary(x, EXPR_F_TO_F, d, 32);
	assert_int_equal(expr_eval(x, expr_float_unary(x, EXPR_F_TO_F, f, 64), symbols), v);
	v = expr_eval(x, expr_float_unary(x, EXPR_FSQRT, expr_float(x, EXPR_FMUL, d, d), 64), symbols);
	memcpy(&root, &v, sizeof root);
	assert_true(root == 3);
	struct expr_node bad[] = {{0}, {.op = EXPR_SYM, .width = 16}, {.op = EXPR_FSQRT, .width = 16, .a = 1}};
	assert_null(expr_arena_load(bad, 2));
	expr_arena_free(x);
}

static void simplification_keeps_the_value(void **state)
{
	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct expr_arena *x = expr_arena_new();
		uint64_t symbols[SYMBOLS];
		unsigned widths[SYMBOLS];
		struct made made[NODES];
		for (unsigned s = 0; s < SYMBOLS; s++) {
			widths[s] = pick(3) ? 8u << pick(4) : 1 + pick(64);
			symbols[s] = (pick(2) ? next_random() : pick(3)) & mask(widths[s]);
		}
		for (unsigned i = 0; i < NODES; i++) {
			made[i] = i < 6 ? make_leaf(x, symbols, widths)
					: combine(x, made[pick(i)], made[pick(i)], made[pick(i)]);
			assert_int_equal(expr_node(x, made[i].e)->width, made[i].width);
			assert_int_equal(expr_eval(x, made[i].e, symbols), made[i].value);
		}
		uint64_t *all = calloc(expr_count(x) + 1, sizeof *all);
		expr_eval_all(x, symbols, all);
		for (unsigned i = 0; i < NODES; i++)
			assert_int_equal(all[made[i].e], made[i].value);
		struct expr_arena *copy = expr_arena_load(expr_nodes(x), expr_count(x));
		assert_non_null(copy);
		assert_int_equal(expr_count(copy), expr_count(x));
		assert_int_equal(expr_sym(copy, widths[0], 0), expr_sym(x, widths[0], 0));
		expr_arena_free(copy);
		free(all);
		expr_arena_free(x);
	}
}

/* Values cut into pieces and put together by shifts and masks, at places where the pieces meet and just beside them (expr_slices.c). */
static void pieces_keep_the_value(void **state)
{
	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct expr_arena *x = expr_arena_new();
		unsigned wh = 1 + pick(32), wl = 1 + pick(32), w = wh + wl, near = wl - 1 + pick(3);
		uint64_t symbols[3] = {next_random() & mask(wh), next_random() & mask(wl), next_random() & mask(w)};
		expr high = expr_sym(x, wh, 0), low = expr_sym(x, wl, 1), other = expr_sym(x, w, 2);
		uint64_t both = symbols[0] << wl | symbols[1], ones = pick(2) ? mask(near ? near : 1) : next_random() & mask(w);
		expr pair = expr_concat(x, high, low), cut = expr_binary(x, EXPR_AND, pair, expr_const(x, w, ones));
		assert_int_equal(expr_eval(x, cut, symbols), both & ones & mask(w));
		for (int right = 0; right < 2; right++) {
			enum expr_op op = right ? EXPR_LSHR : EXPR_SHL;
			unsigned by = right ? near : w - near;
			expr shifted = expr_binary(x, op, pair, expr_const(x, w, by));
			assert_int_equal(expr_eval(x, shifted, symbols), meaning(op, both, by & mask(w), w));
		}
		/* What fills the zeroes of a shift may be wider than they are. */
		expr hole = expr_concat(x, high, expr_const(x, wl, 0)), filler = expr_binary(x, EXPR_AND, other, expr_const(x, w, ones));
		expr filled = pick(2) ? expr_binary(x, EXPR_OR, hole, filler) : expr_binary(x, EXPR_OR, filler, hole);
		assert_int_equal(expr_eval(x, filled, symbols), (symbols[0] << wl | (symbols[2] & ones)) & mask(w));
		unsigned from = pick(w), width = 1 + pick(w - from);
		assert_int_equal(expr_eval(x, expr_extract(x, filler, from, width), symbols), (symbols[2] & ones) >> from & mask(width));
		expr_arena_free(x);
	}
}

static void equal_expressions_are_one_node(void **state)
{
	(void)state;
	struct expr_arena *x = expr_arena_new();
	expr a = expr_sym(x, 32, 0), b = expr_sym(x, 32, 1);
	assert_int_equal(expr_binary(x, EXPR_ADD, a, b), expr_binary(x, EXPR_ADD, b, a));
	assert_int_equal(expr_binary(x, EXPR_SUB, a, a), expr_const(x, 32, 0));
	expr five = expr_const(x, 32, 5);
	expr sum = expr_binary(x, EXPR_ADD, expr_binary(x, EXPR_ADD, a, five), five);
	assert_int_equal(sum, expr_binary(x, EXPR_ADD, a, expr_const(x, 32, 10)));
	/* The pieces of a value put together again are the value. */
	expr low = expr_extract(x, a, 0, 16), high = expr_extract(x, a, 16, 16);
	assert_int_equal(expr_concat(x, high, low), a);
	/* Put together with a piece of something else, shifted out again. */
	expr other = expr_sym(x, 16, 7), mixed = expr_concat(x, other, high), sixteen = expr_const(x, 32, 16);
	expr back = expr_binary(x, EXPR_SHL, mixed, sixteen), rest = expr_binary(x, EXPR_AND, a, expr_const(x, 32, 0xffff));
	assert_int_equal(expr_binary(x, EXPR_OR, back, rest), a);
	assert_int_equal(expr_binary(x, EXPR_LSHR, expr_concat(x, low, other), sixteen), expr_zext(x, low, 32));
	assert_int_equal(expr_binary(x, EXPR_AND, expr_concat(x, other, low), expr_const(x, 32, 0xff)), expr_zext(x, expr_extract(x, a, 0, 8), 32));
	/* (zext(p) == 1) is p, as compilers test a flag. */
	expr p = expr_binary(x, EXPR_ULT, a, b);
	assert_int_equal(expr_binary(x, EXPR_EQ, expr_zext(x, p, 8), expr_const(x, 8, 1)), p);
	expr_arena_free(x);
}

/* inf - inf and -(inf - inf), say: which of them comes is the compiler's choice. */
static void any_nan_is_a_nan(void **state)
{
	(void)state;
	struct expr_arena *x = expr_arena_new();
	expr d = expr_sym(x, 64, 0), f = expr_sym(x, 32, 1);
	const uint64_t nan = 0x7ff8000000000000, other = 0xfff8000000000000, inf = 0x7ff0000000000000;
	uint64_t values[2] = { other, 0xffc00000 };
	assert_int_equal(expr_eval(x, expr_float_is(x, d, nan), values), 1);
	assert_int_equal(expr_eval(x, expr_float_is(x, f, 0x7fc00001), values), 1);
	assert_int_equal(expr_eval(x, expr_float_is(x, d, inf), values), 0);
	values[0] = inf;
	values[1] = 0x7f800000;
	assert_int_equal(expr_eval(x, expr_float_is(x, d, nan), values), 0);
	assert_int_equal(expr_eval(x, expr_float_is(x, d, inf), values), 1);
	assert_int_equal(expr_eval(x, expr_float_is(x, f, 0x7fc00001), values), 0);
	/* Anything else is what it is, bit by bit. */
	values[0] = 1ull << 63;
	assert_int_equal(expr_eval(x, expr_float_is(x, d, 0), values), 0);
	expr_arena_free(x);
}

static void text_is_readable_and_bounded(void **state)
{
	(void)state;
	struct expr_arena *x = expr_arena_new();
	char text[64];
	expr s = expr_sym(x, 32, 3);
	expr e = expr_binary(x, EXPR_SLT, expr_binary(x, EXPR_MUL, s, expr_const(x, 32, 3)),
			     expr_const(x, 32, 4));
	expr_print(x, e, text, sizeof text);
	assert_string_equal(text, "(s3 * 3) < 4");
	for (int i = 0; i < 200; i++) /* exponential as text */
		e = s = expr_binary(x, EXPR_MUL, s, expr_binary(x, EXPR_ADD, s, s));
	expr_print(x, e, text, sizeof text);
	assert_true(strlen(text) < sizeof text);
	expr_arena_free(x);
}

static void damaged_nodes_are_refused(void **state)
{
	(void)state;
	struct expr_arena *x = expr_arena_new();
	expr s = expr_sym(x, 32, 0);
	expr_binary(x, EXPR_ULT, expr_binary(x, EXPR_ADD, s, expr_const(x, 32, 7)), s);
	size_t n = expr_count(x), refused = 0, all = 0;
	for (size_t i = 1; i <= n; i++)
		for (size_t byte = 0; byte < 16; byte++) { /* op, width, reserved, operands */
			struct expr_node nodes[16];
			memcpy(nodes, expr_nodes(x), (n + 1) * sizeof *nodes);
			((unsigned char *)&nodes[i])[byte] ^= 0x40;
			struct expr_arena *y = expr_arena_load(nodes, n);
			refused += !y;
			all++;
			expr_arena_free(y);
		}
	assert_true(refused > all * 3 / 4); /* a symbol may have any width */
	expr_arena_free(x);
}

/* Sums over all that a thread has read are compared without a deep stack. */
static void long_sums_are_compared(void **state)
{
	(void)state;
	struct expr_arena *x = expr_arena_new();
	expr sums[2];
	for (uint32_t k = 0; k < 2; k++) {
		sums[k] = expr_sym(x, 64, k);
		for (uint32_t i = 2; i < 1000000; i++)
			sums[k] = expr_binary(x, EXPR_ADD, sums[k], expr_sym(x, 64, i));
	}
	struct expr_pair first = {expr_sym(x, 64, 0), expr_sym(x, 64, 1)};
	assert_false(expr_same_but(x, sums[0], sums[1], &first, 1)); /* too long to tell */
	expr a = expr_binary(x, EXPR_SUB, first.a, sums[0]), b = expr_binary(x, EXPR_SUB, first.b, sums[0]);
	assert_true(expr_same_but(x, a, b, &first, 1));
	assert_false(expr_same_but(x, a, b, NULL, 0));
	expr_arena_free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(simplification_keeps_the_value),
		cmocka_unit_test(pieces_keep_the_value),
		cmocka_unit_test(floats_are_the_machines),
		cmocka_unit_test(floats_are_converted),
		cmocka_unit_test(any_nan_is_a_nan),
		cmocka_unit_test(equal_expressions_are_one_node),
		cmocka_unit_test(text_is_readable_and_bounded),
		cmocka_unit_test(damaged_nodes_are_refused),
		cmocka_unit_test(long_sums_are_compared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
