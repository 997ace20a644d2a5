/* Counters (src/sym/counters.c): what is said about later laps must be what these laps compute. */
#include "random.h"
#include "sym/counters.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ROUNDS = 20000, NODES = 12, COUNTERS = 3 };

/* Small ones, ones near the ends of widths, and any. */
static uint64_t number(void)
{
	static const uint64_t ends[] = { 0x7f, 0xff, 0x7fff, 0x7fffffff, 0xffffffff, 0x100000000, INT64_MAX };
	switch (pick(3)) {
	case 0:
		return pick(100);
	case 1:
		return (ends[pick(sizeof ends / sizeof *ends)] - pick(50)) & INT64_MAX;
	default:
		return next_random() >> (1 + pick(60));
	}
}

static expr fit(struct expr_arena *x, expr e, unsigned width)
{
	unsigned have = expr_node(x, e)->width;
	if (have > width)
		return expr_extract(x, e, pick(4) ? 0 : pick(have - width), width);
	return pick(2) ? expr_zext(x, e, width) : expr_sext(x, e, width);
}

static expr random_node(struct expr_arena *x, const expr *nodes, unsigned n)
{
	static const unsigned widths[] = { 1, 8, 32, 64 };
	static const enum expr_op usual[] = { EXPR_ADD, EXPR_ADD, EXPR_SUB, EXPR_ULT, EXPR_SLT, EXPR_EQ, EXPR_UREM, EXPR_AND };
	unsigned width = widths[pick(4)];
	expr a = fit(x, nodes[pick(n)], width);
	expr b = pick(2) ? expr_const(x, width, number()) : fit(x, nodes[pick(n)], width);
	switch (pick(8)) {
	case 0:
		return expr_ite(x, fit(x, nodes[pick(n)], 1), a, b);
	case 1:
		return width <= 32 ? expr_concat(x, b, a) : a;
	case 2:
		return expr_binary(x, EXPR_ADD + pick(EXPR_SLE - EXPR_ADD + 1), a, b);
	default:
		return expr_binary(x, usual[pick(sizeof usual / sizeof *usual)], a, b);
	}
}

static uint64_t value_after(const struct counters *c, expr e, uint64_t laps)
{
	uint64_t v;
	assert_true(expr_is_const(c->exprs, counters_put(c, e, (int64_t)laps), &v));
	return v;
}

static uint64_t check(const struct counters *c, expr e)
{
	int64_t step;
	uint64_t most = UINT32_MAX;
	if (!counters_step(c, e, &step, &most))
		return 0;
	unsigned width = expr_node(c->exprs, e)->width;
	uint64_t now = value_after(c, e, 0);
	for (unsigned i = 0; i < 20; i++) {
		uint64_t laps = i < 4 ? i : i < 8 ? most - (i - 4) : most ? next_random() % most : 0;
		if (laps > most)
			continue;
		__int128 then = (__int128)now + (__int128)step * (__int128)laps;
		assert_true(then >= 0 && then <= (__int128)expr_ones(width));
		assert_int_equal(value_after(c, e, laps), (uint64_t)then);
	}
	return most;
}

static void random_expressions(void **state)
{
	(void)state;
	unsigned told = 0, far = 0;
	struct counters c = { 0 };
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct expr_arena *x = expr_arena_new();
		expr nodes[COUNTERS + NODES];
		counters_begin(&c, x);
		for (unsigned i = 0; i < COUNTERS; i++) {
			unsigned width = pick(2) ? 64 : 32;
			int64_t step = (int64_t)pick(10) - 3;
			nodes[i] = counters_add(&c, width, (struct counter){ number() & expr_ones(width), step });
		}
		for (unsigned i = COUNTERS; i < COUNTERS + NODES; i++) {
			nodes[i] = random_node(x, nodes, i);
			uint64_t most = check(&c, nodes[i]);
			told += most > 0 && counters_in(&c, nodes[i]);
			far += most > 1000;
		}
		expr_arena_free(x);
	}
	vec_free(&c.at);
	/* It has to be able to tell often enough for this to be a test. */
	assert_true(told > ROUNDS && far > ROUNDS);
}

/* while (n < 1000) n++ */
static void loop_ends_in_time(void **state)
{
	(void)state;
	struct expr_arena *x = expr_arena_new();
	struct counters c = { 0 };
	counters_begin(&c, x);
	expr n = counters_add(&c, 64, (struct counter){ 10, 1 });
	expr next = expr_binary(x, EXPR_ADD, expr_extract(x, n, 0, 32), expr_const(x, 32, 1));
	int64_t step;
	uint64_t most = UINT64_MAX;
	assert_true(counters_step(&c, expr_binary(x, EXPR_SLT, next, expr_const(x, 32, 1000)), &step, &most));
	assert_int_equal(step, 0);
	assert_int_equal(most, 988); /* 11 + 988 is the last below 1000 */
	/* What depends on something else that is not known cannot be told. */
	expr racy = expr_sym(x, 32, 0);
	assert_false(counters_step(&c, expr_binary(x, EXPR_ULT, next, racy), &step, &most));
	assert_int_equal(counters_put(&c, racy, 0), racy);
	vec_free(&c.at);
	expr_arena_free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_expressions),
		cmocka_unit_test(loop_ends_in_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
