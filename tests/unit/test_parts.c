/* Parts that are solved apart (src/model/parts.h, src/solve/apart.h), against the whole. */
#include "make_execution.h"
#include "model/check.h"
#include "model/parts.h"
#include "solve/infer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { X = 0x1000, Y = 0x2000 };

static uint64_t seed = 1;

static unsigned pick(unsigned n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(seed >> 33) % n;
}

static size_t count_parts(const struct execution *x)
{
	struct atoms atoms;
	struct parts parts;
	atoms_init(&atoms, x);
	size_t n = parts_init(&parts, x, &atoms) ? parts.n : 1;
	if (n > 1)
		parts_release(&parts);
	atoms_release(&atoms);
	return n;
}

static enum infer_result solve(const struct execution *x, enum memory_model model, bool apart, uint64_t *parts)
{
	struct infer_options o = infer_defaults();
	struct infer_state *s = NULL;
	struct infer_stats stats = {0};
	struct schedule schedule;
	struct error err;
	o.model = model;
	o.seconds = 30;
	o.fewest_seconds = 0;
	o.walk_seconds = apart ? -1 : 30; /* the search alone knows no parts */
	enum infer_result r = infer_schedule(x, &o, &s, &schedule, &stats, &err);
	if (r == INFER_FOUND) {
		const struct linear *l = infer_order(s);
		assert_true(check_order(x, model, l->steps.at, l->steps.n, NULL, NULL));
		schedule_release(&schedule);
	}
	infer_free(s);
	*parts = stats.parts;
	return r;
}

/* Message passing: each of the two reads can be as it is, but not both, unless stores may overtake one another. */
static void what_does_not_fit_together_is_solved_as_a_whole(void **state)
{
	(void)state;
	struct execution x;
	uint64_t parts;
	execution_init(&x);
	x.lock_order_known = true;
	make_thread(&x, "1:1");
	make_write(&x, X, 4, make_const(&x, 4, 1));
	make_write(&x, Y, 4, make_const(&x, 4, 1));
	make_end(&x, 0);
	make_thread(&x, "1:2");
	expr y = make_read(&x, Y, 4);
	make_condition(&x, EXPR_EQ, y, make_const(&x, 4, 1), true, CONDITION_PATH);
	expr z = make_read(&x, X, 4);
	make_condition(&x, EXPR_EQ, z, make_const(&x, 4, 0), true, CONDITION_BUG);
	make_end(&x, EVENT_FAILS);
	make_initial(&x, X, 4, 0);
	make_initial(&x, Y, 4, 0);
	assert_int_equal(count_parts(&x), 2);
	assert_int_equal(solve(&x, MEMORY_SC, true, &parts), INFER_NONE);
	assert_int_equal(solve(&x, MEMORY_TSO, true, &parts), INFER_NONE);
	assert_int_equal(solve(&x, MEMORY_PSO, true, &parts), INFER_FOUND);
	/* A value that depends on both makes them one. */
	make_thread(&x, "1:3");
	make_write(&x, 0x3000, 4, expr_binary(x.exprs, EXPR_ADD, y, z));
	make_end(&x, 0);
	assert_int_equal(count_parts(&x), 1);
	execution_release(&x);
}

/* Groups of two threads that count in places of their own; what is asked of them may be impossible. */
static void make_groups(struct execution *x, unsigned groups, bool impossible)
{
	execution_init(x);
	x->lock_order_known = true;
	for (unsigned t = 0; t < 2 * groups; t++) {
		make_thread(x, t == 2 * groups - 1 ? "1:9" : "1:1");
		uint64_t at = X + 16 * (t / 2);
		for (unsigned i = 0; i < 3; i++) {
			expr v = make_read(x, at, 4);
			/* The second thread of a group begins with what the first one wrote first. */
			if (i == 0)
				make_condition(x, EXPR_EQ, v, make_const(x, 4, t % 2), true, CONDITION_PATH);
			make_write(x, at, 4, make_add(x, v, 1));
			if (i == 2 && t % 2 && (pick(2) || impossible))
				make_condition(x, EXPR_EQ, v, make_const(x, 4, impossible && t == 1 ? 9 : 3), true, CONDITION_PATH);
		}
		make_end(x, t == 2 * groups - 1 ? EVENT_FAILS : 0);
	}
	for (unsigned g = 0; g < groups; g++)
		make_initial(x, X + 16 * g, 4, 0);
}

static void parts_agree_with_the_whole(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		struct execution x;
		uint64_t parts, none;
		unsigned groups = 2 + pick(2); /* the whole has to try all combinations */
		bool impossible = pick(3) == 0;
		make_groups(&x, groups, impossible);
		assert_int_equal(count_parts(&x), groups);
		enum infer_result whole = solve(&x, MEMORY_SC, false, &none), apart = solve(&x, MEMORY_SC, true, &parts);
		assert_int_equal(whole, impossible ? INFER_NONE : INFER_FOUND);
		assert_int_equal(apart, whole);
		assert_int_equal(parts, groups);
		execution_release(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_does_not_fit_together_is_solved_as_a_whole),
		cmocka_unit_test(parts_agree_with_the_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
