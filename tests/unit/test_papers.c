/* The worked examples of the papers: CLAP figures 2-4, Symber paper figures 4-5. */
#include "infer_once.h"
#include "make_execution.h"
#include "model/check.h"
#include "solve/infer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <z3.h>

#include <cmocka.h>

enum { X = 0x1000, Y = 0x2000 };
enum { ASSERT_1 = 1, ASSERT_2 = 2 };

/*
 * CLAP figure 2, with the values of figure 4:
 *
 *     1  a = x;              10  b = y;
 *     2  x = 1;              11  y = 2;
 *     3  if (y > 0) {        12  if (x > 0) {
 *     4    y = a + 1;        13    x = b + 2;
 *     5    x = a + 1; }      14    y = b + 2; }
 *     9  assert(x == y);     18  assert(x <= y);
 *
 * completes: thread 1 is done with lines 1-5 before line 18, as in both schedules of figure 4.
 * in_order: lines 13 and 14 take effect in this order, so that it is lines 4 and 5 that are reordered, as the paper has it.
 */
static void make_clap(struct execution *x, int fails, bool completes, bool in_order)
{
	execution_init(x);
	expr zero = make_const(x, 4, 0);
	make_initial(x, X, 4, 0);
	make_initial(x, Y, 4, 0);

	make_thread(x, "1");
	expr a = make_read(x, X, 4);
	make_write(x, X, 4, make_const(x, 4, 1));
	make_condition(x, EXPR_SLT, zero, make_read(x, Y, 4), true, CONDITION_PATH);
	make_write(x, Y, 4, make_add(x, a, 1));
	make_write(x, X, 4, make_add(x, a, 1));
	if (fails == ASSERT_1) {
		expr left = make_read(x, X, 4), right = make_read(x, Y, 4);
		make_condition(x, EXPR_EQ, left, right, false, CONDITION_BUG);
	}
	uint32_t end = make_end(x, fails == ASSERT_1 ? EVENT_FAILS : 0);

	make_thread(x, "1:1");
	expr b = make_read(x, Y, 4);
	make_write(x, Y, 4, make_const(x, 4, 2));
	make_condition(x, EXPR_SLT, zero, make_read(x, X, 4), true, CONDITION_PATH);
	uint32_t line_13 = make_write(x, X, 4, make_add(x, b, 2));
	uint32_t line_14 = make_write(x, Y, 4, make_add(x, b, 2));
	if (in_order)
		make_order(x, line_13, line_14);
	if (fails == ASSERT_2) {
		expr left = make_read(x, X, 4);
		if (completes)
			make_order(x, end, (uint32_t)x->events.n - 1);
		expr right = make_read(x, Y, 4);
		make_condition(x, EXPR_SLE, left, right, false, CONDITION_BUG);
	}
	make_end(x, fails == ASSERT_2 ? EVENT_FAILS : 0);
}

static enum infer_result infer_clap(int fails, bool completes, bool in_order, enum memory_model model,
				    const char *solver, struct infer_stats *stats)
{
	struct execution x;
	struct infer_options o = infer_defaults();
	o.model = model;
	o.solver = solver;
	o.fewest_seconds = 10;
	make_clap(&x, fails, completes, in_order);
	enum infer_result r = infer_once(&x, &o, stats);
	execution_release(&x);
	return r;
}

static const char *const solvers[] = {"z3-lazy", "z3-difference"};

static void first_assertion_fails_under_sc(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct infer_stats stats;
		assert_int_equal(infer_clap(ASSERT_1, false, false, MEMORY_SC, solvers[i], &stats), INFER_FOUND);
		assert_int_equal(stats.switches, 3);
		assert_true(stats.fewest);
	}
}

static void second_assertion_needs_pso(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct infer_stats stats;
		assert_int_equal(infer_clap(ASSERT_2, true, false, MEMORY_SC, solvers[i], &stats), INFER_NONE);
		assert_int_equal(infer_clap(ASSERT_2, true, false, MEMORY_TSO, solvers[i], &stats), INFER_NONE);
		assert_int_equal(infer_clap(ASSERT_2, true, false, MEMORY_PSO, solvers[i], &stats), INFER_FOUND);
		assert_int_equal(stats.switches, 3);
		assert_true(stats.fewest);
	}
}

/*
 * Four context switches at the least (§2.2): changes of the running thread up to the assertion, as figure 4 shows them
 * (10 11 | 1 2 3 5 | 12 13 14 | 4 | 18), where lines 4 and 5 are what the memory model reorders. With lines 13 and 14
 * free to be reordered instead, three will do: see the_checker_accepts_figure_4.
 */
static void four_switches_at_the_least(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct infer_stats stats;
		assert_int_equal(infer_clap(ASSERT_2, true, true, MEMORY_PSO, solvers[i], &stats), INFER_FOUND);
		assert_int_equal(stats.switches, 4);
		assert_true(stats.fewest);
	}
}

/* A schedule as the paper writes it: line numbers in the order they take effect; a write is issued just before the
 * next line of its thread, or when it takes effect. 0 ends. */
static void make_steps(const struct execution *x, const uint32_t *lines, struct step *steps, size_t *n,
		       uint32_t *switches)
{
	/* by line: first event, and how many */
	static const uint8_t events[19][2] = {
		[1] = {1, 1}, [2] = {2, 1}, [3] = {3, 1}, [4] = {4, 1}, [5] = {5, 1}, [6] = {6, 1},
		[10] = {8, 1}, [11] = {9, 1}, [12] = {10, 1}, [13] = {11, 1}, [14] = {12, 1}, [18] = {13, 2},
	};
	uint32_t next[2] = {0, 7}, running = 2;
	*n = *switches = 0;
	for (; *lines; lines++) {
		uint32_t e = events[*lines][0], t = x->events.at[e].thread;
		for (; next[t] < e + events[*lines][1]; next[t]++)
			steps[(*n)++] = (struct step){next[t], false};
		if (x->events.at[e].kind == EVENT_WRITE)
			steps[(*n)++] = (struct step){e, true};
		*switches += running != 2 && t != running;
		running = t;
	}
	steps[(*n)++] = (struct step){next[1], false};
}

/*
 * Figure 4: both of its schedules, by the checker (line 6 is the end of thread 1). The paper calls the second,
 * with four context switches, the one with the fewest; there is one with three, when line 13 is the write
 * that is late: 1 2 | 10 11 12 14 | 3 4 5 | 13 18.
 */
static void the_checker_accepts_figure_4(void **state)
{
	(void)state;
	static const struct {
		uint32_t lines[16], switches;
	} schedules[] = {
		{{1, 10, 2, 11, 3, 12, 5, 13, 14, 4, 6, 18}, 9},
		{{10, 11, 1, 2, 3, 5, 12, 13, 14, 4, 6, 18}, 4},
		{{1, 2, 10, 11, 12, 14, 3, 4, 5, 6, 13, 18}, 3},
	};
	struct execution x;
	make_clap(&x, ASSERT_2, true, false);
	for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
		struct step steps[64];
		size_t n;
		uint32_t switches;
		struct error err = {{0}};
		make_steps(&x, schedules[i].lines, steps, &n, &switches);
		assert_int_equal(switches, schedules[i].switches);
		if (!check_order(&x, MEMORY_PSO, steps, n, NULL, &err))
			fail_msg("schedule %zu: %s", i, err.text);
		assert_false(check_order(&x, MEMORY_TSO, steps, n, NULL, &err));
	}
	execution_release(&x);
}

/* What the paper does not say: with line 5 still to come at line 18, SC is enough (13 14 4 18). */
static void second_assertion_fails_under_sc_before_line_5(void **state)
{
	(void)state;
	struct infer_stats stats;
	assert_int_equal(infer_clap(ASSERT_2, false, false, MEMORY_SC, NULL, &stats), INFER_FOUND);
}

/* What another solver says of the exported text. */
static Z3_lbool solve_export(int fails, enum memory_model model)
{
	struct execution x;
	struct infer_options o = infer_defaults();
	struct error err;
	char file[] = "/tmp/test_papers.XXXXXX", *text;
	o.model = model;
	make_clap(&x, fails, true, false);
	close(mkstemp(file));
	assert_true(infer_export_smt2(&x, &o, file, &err));
	assert_true(read_file(file, &text, NULL, &err));
	unlink(file);
	execution_release(&x);
	Z3_config config = Z3_mk_config();
	Z3_context c = Z3_mk_context(config);
	Z3_solver s = Z3_mk_solver(c);
	Z3_solver_inc_ref(c, s);
	Z3_solver_from_string(c, s, text);
	Z3_lbool r = Z3_solver_check(c, s);
	Z3_solver_dec_ref(c, s);
	Z3_del_context(c);
	Z3_del_config(config);
	free(text);
	return r;
}

static void the_export_means_the_same(void **state)
{
	(void)state;
	assert_int_equal(solve_export(ASSERT_1, MEMORY_SC), Z3_L_TRUE);
	assert_int_equal(solve_export(ASSERT_2, MEMORY_SC), Z3_L_FALSE);
	assert_int_equal(solve_export(ASSERT_2, MEMORY_TSO), Z3_L_FALSE);
	assert_int_equal(solve_export(ASSERT_2, MEMORY_PSO), Z3_L_TRUE);
}

/*
 * Symber paper figure 4:
 *
 *     lock; 1: x++; unlock; 2: y = x + 2         lock; 3: x = 3; unlock; 4: x = x + 1
 */
static void make_symber(struct execution *x, bool lock_order)
{
	execution_init(x);
	x->lock_order_known = lock_order;
	make_initial(x, X, 4, 0);

	make_thread(x, "1");
	make_event(x, EVENT_LOCK, 1);
	expr r1 = make_read(x, X, 4);
	make_write(x, X, 4, make_add(x, r1, 1));
	uint32_t unlock = make_event(x, EVENT_UNLOCK, 1);
	make_read(x, X, 4);
	make_end(x, 0);

	make_thread(x, "1:1");
	uint32_t lock = make_event(x, EVENT_LOCK, 1);
	make_write(x, X, 4, make_const(x, 4, 3));
	make_event(x, EVENT_UNLOCK, 1);
	expr r4 = make_read(x, X, 4);
	make_write(x, X, 4, make_add(x, r4, 1));
	make_end(x, 0);

	if (lock_order)
		make_order(x, unlock, lock);
}

/* Events of the reads in lines 1, 2 and 4. */
enum { READ_1 = 2, READ_2 = 5, READ_4 = 11 };

struct solutions {
	unsigned all;     /* ways to choose a writer for every read */
	unsigned line_2;  /* writers that line 2 can see */
	unsigned others;  /* ways to choose writers for lines 1 and 4 */
};

/* One more, unless it was seen before. */
static void count_new(uint64_t *seen, unsigned *n, uint64_t one)
{
	for (unsigned i = 0; i < *n; i++)
		if (seen[i] == one)
			return;
	seen[(*n)++] = one;
}

static struct solutions count_solutions(bool lock_order, const char *solver)
{
	struct execution x;
	struct infer_options o = infer_defaults();
	struct infer_state *s = NULL;
	struct schedule schedule;
	struct error err;
	struct solutions n = {0};
	uint64_t line_2[64], others[64];
	enum infer_result r;
	o.all_reads = true;
	o.solver = solver;
	make_symber(&x, lock_order);
	while ((r = infer_schedule(&x, &o, &s, &schedule, NULL, &err)) == INFER_FOUND) {
		uint32_t sees[16] = {0};
		const struct problem *p = infer_problem(s);
		for (uint32_t i = 0; i < p->pieces.n; i++)
			sees[p->pieces.at[i].event] = infer_writer(s, i);
		count_new(line_2, &n.line_2, sees[READ_2]);
		count_new(others, &n.others, (uint64_t)sees[READ_1] << 32 | sees[READ_4]);
		n.all++;
		schedule_release(&schedule);
	}
	assert_int_equal(r, INFER_NONE);
	infer_free(s);
	execution_release(&x);
	return n;
}

/*
 * With the order of locks the read-write constraints have three solutions: the writers that line 2 may see. "For CLAP,
 * the number of solutions is multiplied by four (12)": without the order there are four ways for lines 1 and 4, and
 * still three for line 2. Not every one of these goes with every other: eight of the twelve are interleavings.
 */
static void lock_order_leaves_three_of_twelve(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct solutions with = count_solutions(true, solvers[i]), without = count_solutions(false, solvers[i]);
		assert_int_equal(with.others * with.line_2, 3);
		assert_int_equal(with.all, 3);
		assert_int_equal(without.others, 4);
		assert_int_equal(without.others * without.line_2, 12);
		assert_int_equal(without.all, 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_assertion_fails_under_sc),
		cmocka_unit_test(second_assertion_needs_pso),
		cmocka_unit_test(four_switches_at_the_least),
		cmocka_unit_test(the_checker_accepts_figure_4),
		cmocka_unit_test(the_export_means_the_same),
		cmocka_unit_test(second_assertion_fails_under_sc_before_line_5),
		cmocka_unit_test(lock_order_leaves_three_of_twelve),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
