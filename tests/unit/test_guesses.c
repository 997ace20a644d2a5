/* Guesses of the executor: how they are revised (src/infer/revise.h), and what becomes of them (src/infer/forced.h). */
#include "infer/forced.h"
#include "infer/revise.h"
#include "make_execution.h"
#include "solve/solver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { X = 0x1000, Y = 0x2000 };

/* Thread 1 writes 1, then 2 to X; thread 2 reads X `reads` times. */
static void make_reader(struct execution *x, unsigned reads, expr *values)
{
	execution_init(x);
	make_initial(x, X, 1, 0);
	make_thread(x, "1");
	make_write(x, X, 1, make_const(x, 1, 1));
	make_write(x, X, 1, make_const(x, 1, 2));
	make_end(x, 0);
	make_thread(x, "1:1");
	for (unsigned i = 0; i < reads; i++)
		values[i] = make_read(x, X, 1);
}

/* The executor met it as number `sequence`: e is value, or is not. */
static void meet(struct execution *x, enum condition_kind kind, uint32_t sequence, expr e, uint64_t value, bool holds)
{
	make_condition(x, EXPR_EQ, e, make_const(x, 1, value), holds, kind);
	x->conditions.at[x->conditions.n - 1].sequence = sequence;
}

static enum infer_result revise(const struct execution *x, uint64_t *symbols)
{
	struct infer_options o = infer_defaults();
	struct error err;
	struct revised better = {0};
	enum infer_result result = revise_values(x, false, &o, &better, &err);
	memcpy(symbols, better.symbols, x->nsymbols * sizeof *symbols);
	revised_release(&better);
	return result;
}

/* The second of three guesses is wrong: the first stays, and what comes after the second is open. */
static void the_first_wrong_guess_is_changed(void **state)
{
	(void)state;
	struct execution x;
	expr r[3];
	uint64_t symbols[3] = {9, 9, 9};
	make_reader(&x, 3, r);
	meet(&x, CONDITION_ASSUMED, 1, r[0], 1, true);
	meet(&x, CONDITION_ASSUMED, 2, r[1], 0, true); /* after 1 there is no 0 any more */
	meet(&x, CONDITION_ASSUMED, 3, r[2], 2, true);
	for (uint32_t i = 0; i < 3; i++) /* each of another access */
		x.conditions.at[i].event = x.threads.at[1].first + i;
	make_end(&x, EVENT_FAILS);
	assert_int_equal(revise(&x, symbols), INFER_FOUND);
	assert_int_equal(symbols[0], 1);
	assert_true(symbols[1] == 1 || symbols[1] == 2);
	assert_true(symbols[2] >= symbols[1]);
	execution_release(&x);
}

/* What a thread met after an open guess says something of that guess only: here, that it was wrong. */
static void what_follows_a_guess_depends_on_it(void **state)
{
	(void)state;
	struct execution x;
	expr r[2];
	uint64_t symbols[2] = {9, 9};
	make_reader(&x, 2, r);
	meet(&x, CONDITION_ASSUMED, 1, r[0], 0, true);
	meet(&x, CONDITION_PATH, 2, r[1], 7, true); /* which nobody writes */
	make_end(&x, EVENT_FAILS);
	assert_int_equal(revise(&x, symbols), INFER_FOUND);
	assert_true(symbols[0] == 1 || symbols[0] == 2);
	execution_release(&x);
}

/* What was met before any guess holds. */
static void what_comes_before_a_guess_is_kept(void **state)
{
	(void)state;
	struct execution x;
	expr r[2];
	uint64_t symbols[2] = {9, 9};
	make_reader(&x, 2, r);
	meet(&x, CONDITION_PATH, 1, r[0], 2, true);
	meet(&x, CONDITION_ASSUMED, 2, r[1], 1, true);
	make_end(&x, EVENT_FAILS);
	assert_int_equal(revise(&x, symbols), INFER_FOUND);
	assert_int_equal(symbols[0], 2);
	assert_int_equal(symbols[1], 2);
	execution_release(&x);
}

/*
 * Thread 1:1 left its path, so that it did not write what 1:2 is known to have read: all that was met contradicts itself without any
 * guess, and what was met first is what the values come from.
 */
static void what_was_met_last_is_left_out_of_a_contradiction(void **state)
{
	(void)state;
	struct execution x;
	expr r[2], y;
	uint64_t symbols[3] = {9, 9, 9};
	make_reader(&x, 2, r);
	meet(&x, CONDITION_PATH, 1, r[0], 0, false);
	meet(&x, CONDITION_PATH, 4, r[1], 2, true);
	make_end(&x, EVENT_FAILS);
	make_initial(&x, Y, 1, 0);
	make_thread(&x, "1:2");
	y = make_read(&x, Y, 1);
	meet(&x, CONDITION_PATH, 9, y, 5, true); /* 1:1 writes it in the recorded run */
	make_end(&x, 0);
	assert_int_equal(revise(&x, symbols), INFER_FOUND);
	assert_true(symbols[0] == 1 || symbols[0] == 2);
	assert_int_equal(symbols[1], 2);
	execution_release(&x);
}

/* Combinations that earlier runs have excluded hold whatever is left out. */
static void what_was_learned_is_never_left_out(void **state)
{
	(void)state;
	struct execution x;
	expr r[1];
	uint64_t symbols[1] = {9};
	make_reader(&x, 1, r);
	meet(&x, CONDITION_LEARNED, 8, r[0], 0, false);
	meet(&x, CONDITION_LEARNED, 9, r[0], 1, false);
	meet(&x, CONDITION_PATH, 3, r[0], 7, true);
	make_end(&x, EVENT_FAILS);
	assert_int_equal(revise(&x, symbols), INFER_FOUND);
	assert_int_equal(symbols[0], 2);
	meet(&x, CONDITION_LEARNED, 9, r[0], 2, false);
	assert_int_equal(revise(&x, symbols), INFER_NONE);
	execution_release(&x);
}

/* That no order of many updates gives a value takes very long to show: after a while the guess counts as wrong. */
static void a_guess_is_not_refuted_at_any_price(void **state)
{
	(void)state;
	enum { THREADS = 4, UPDATES = 8 };
	static const char *const names[THREADS] = {"1:1", "1:2", "1:3", "1:4"};
	struct execution x;
	uint32_t ends[THREADS], main_starts;
	struct error err;
	execution_init(&x);
	make_initial(&x, X, 4, 1);
	for (unsigned t = 0; t < THREADS; t++) {
		make_thread(&x, names[t]);
		for (unsigned i = 0; i < UPDATES; i++) {
			expr five = expr_binary(x.exprs, EXPR_MUL, make_read(&x, X, 4), make_const(&x, 4, 5));
			make_write(&x, X, 4, make_add(&x, five, t * UPDATES + i + 1));
		}
		ends[t] = make_end(&x, 0);
	}
	main_starts = make_thread(&x, "1");
	for (unsigned t = 0; t < THREADS; t++)
		make_order(&x, ends[t], main_starts);
	make_condition(&x, EXPR_EQ, make_read(&x, X, 4), make_const(&x, 4, 0xdeadbeef), true, CONDITION_ASSUMED);
	x.conditions.at[0].sequence = 1;
	make_end(&x, EVENT_FAILS);
	struct infer_options o = infer_defaults();
	o.seconds = 20;
	struct revised better = {0};
	double start = solver_clock();
	assert_int_equal(revise_values(&x, false, &o, &better, &err), INFER_FOUND);
	assert_true(solver_clock() - start < 12);
	revised_release(&better);
	execution_release(&x);
}

static size_t count_excluded(const char *dir)
{
	char *path = xasprintf("%s/nogoods", dir), *data = NULL;
	size_t size = 0, n = 0;
	read_file(path, &data, &size, NULL);
	for (size_t i = 0; i < size / sizeof(struct forced_value); i++)
		n += !((const struct forced_value *)data)[i].sap;
	free(data);
	free(path);
	return n;
}

/* Values that come back after a run like the one that they followed before are told from new ones. */
static void values_that_come_round_are_told(void **state)
{
	(void)state;
	static const uint64_t a[] = {0, 1}, b[] = {1, 2};
	struct error err;
	struct execution x;
	expr r[2];
	enum forced_before what;
	char *dir = temp_dir(&err);
	struct forced f = {.dir = dir};
	make_reader(&x, 2, r);
	meet(&x, CONDITION_ASSUMED, 1, r[0], 0, true);
	make_end(&x, EVENT_FAILS);
	assert_false(forced_any(&f));
	assert_true(forced_set(&f, &x, a, &what, &err));
	assert_int_equal(what, FORCED_NEW);
	assert_true(forced_any(&f));
	assert_true(forced_set(&f, &x, a, &what, &err));
	assert_int_equal(what, FORCED_SAME);
	assert_true(forced_set(&f, &x, b, &what, &err));
	assert_int_equal(what, FORCED_NEW);
	assert_true(forced_set(&f, &x, a, &what, &err));
	assert_int_equal(what, FORCED_AGAIN);
	/* After a run that met more, they may lead elsewhere. */
	assert_true(forced_set(&f, &x, b, &what, &err));
	meet(&x, CONDITION_LEARNED, 0, r[1], 3, false);
	assert_true(forced_set(&f, &x, a, &what, &err));
	assert_int_equal(what, FORCED_NEW);
	assert_true(forced_exclude(&f, &x, a, &err) && forced_exclude(&f, &x, b, &err));
	assert_int_equal(count_excluded(dir), 2);
	forced_release(&f);
	execution_release(&x);
	remove_tree(dir, NULL);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_wrong_guess_is_changed),
		cmocka_unit_test(what_follows_a_guess_depends_on_it),
		cmocka_unit_test(what_comes_before_a_guess_is_kept),
		cmocka_unit_test(what_was_met_last_is_left_out_of_a_contradiction),
		cmocka_unit_test(what_was_learned_is_never_left_out),
		cmocka_unit_test(a_guess_is_not_refuted_at_any_price),
		cmocka_unit_test(values_that_come_round_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
