/* Several searches and solvers on one problem (solve/team.h): what they share and what they prove. */
#include "infer_once.h"
#include "make_execution.h"
#include "model/values.h"
#include "solve/cubes.h"
#include "solve/infer.h"
#include "solve/team.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

enum { FLAG = 0x1000, OTHER = 0x1040, COUNT = 0x1080, ROUNDS = 4 };

/* An execution as far as the solvers need it. */
struct set_up {
	struct execution x;
	struct memory memory;
	struct problem problem;
	bool *impossible;
};

static void prepare(struct set_up *s)
{
	struct memory_options memory = {.model = MEMORY_SC};
	struct problem_options problem = {0};
	struct error err;
	assert_true(memory_init(&s->memory, &s->x, &memory, &err));
	assert_true(problem_init(&s->problem, &s->memory, &problem, &err));
	s->impossible = values_impossible(&s->problem);
}

static void tear_down(struct set_up *s)
{
	free(s->impossible);
	problem_release(&s->problem);
	memory_release(&s->memory);
	execution_release(&s->x);
}

/* mine = 1; if (theirs == 0) count++; mine = 0; by two threads, again and again: no update is lost under SC. */
static void make_flags(struct execution *x)
{
	static const uint64_t mine[2] = {FLAG, OTHER};
	uint32_t ends[2], join[2];
	execution_init(x);
	for (int i = 0; i < 2; i++)
		make_initial(x, mine[i], 4, 0);
	make_initial(x, COUNT, 4, 0);
	for (int t = 0; t < 2; t++) {
		make_thread(x, t ? "1:2" : "1:1");
		for (int i = 0; i < ROUNDS; i++) {
			make_write(x, mine[t], 4, make_const(x, 4, 1));
			make_condition(x, EXPR_EQ, make_read(x, mine[!t], 4), make_const(x, 4, 0), true, CONDITION_PATH);
			make_write(x, COUNT, 4, make_add(x, make_read(x, COUNT, 4), 1));
			make_write(x, mine[t], 4, make_const(x, 4, 0));
		}
		ends[t] = make_end(x, 0);
	}
	make_thread(x, "1");
	for (int t = 0; t < 2; t++)
		join[t] = make_event(x, EVENT_JOIN, (uint64_t)t);
	for (int t = 0; t < 2; t++)
		make_order(x, ends[t], join[t]);
	make_condition(x, EXPR_EQ, make_read(x, COUNT, 4), make_const(x, 4, 2 * ROUNDS), false, CONDITION_BUG);
	make_end(x, EVENT_FAILS);
}

/* A thread writes 1, 2, 3, ... to a place; another reads it twice, and its path says: first 2, then 4. */
static void make_counter(struct execution *x)
{
	execution_init(x);
	make_initial(x, FLAG, 4, 0);
	make_thread(x, "1:1");
	for (uint64_t i = 1; i <= 5; i++)
		make_write(x, FLAG, 4, make_const(x, 4, i));
	make_end(x, 0);
	make_thread(x, "1");
	expr a = make_read(x, FLAG, 4), b = make_read(x, FLAG, 4);
	make_condition(x, EXPR_EQ, expr_binary(x->exprs, EXPR_ADD, a, b), make_const(x, 4, 6), true, CONDITION_PATH);
	make_condition(x, EXPR_EQ, expr_binary(x->exprs, EXPR_MUL, a, b), make_const(x, 4, 8), true, CONDITION_PATH);
	make_end(x, EVENT_FAILS);
}

static void what_is_dead_for_one_search_is_for_all(void **state)
{
	(void)state;
	struct set_up s;
	make_flags(&s.x);
	prepare(&s);
	struct dead *dead = dead_new(1 << 20);
	struct walk_options o = {.impossible = s.impossible, .dead = dead};
	struct walk *first = walk_new(&s.problem, &o);
	o.seed = 1;
	struct walk *second = walk_new(&s.problem, &o);
	assert_int_equal(walk_run(first, 60, NULL), WALK_NONE);
	assert_int_equal(walk_run(second, 60, NULL), WALK_NONE);
	assert_true(walk_figures(first)->states > 50);
	assert_true(walk_figures(second)->states * 5 < walk_figures(first)->states);
	walk_free(first);
	walk_free(second);
	dead_free(dead);
	tear_down(&s);
}

static void jumps_prove_nothing(void **state)
{
	(void)state;
	struct set_up s;
	make_flags(&s.x);
	prepare(&s);
	struct walk_options o = {.impossible = s.impossible, .table = 1 << 20, .jumps = true};
	struct walk *w = walk_new(&s.problem, &o);
	assert_int_equal(walk_run(w, 60, NULL), WALK_UNDECIDED);
	walk_free(w);
	tear_down(&s);
}

/* Exactly one of the cases has the answer; a case that is refuted leaves the others as they were. */
static void cases_are_all_there_is(void **state)
{
	(void)state;
	struct set_up s;
	struct formula f;
	struct formula_options options = {64, NULL};
	struct cubes cubes;
	struct error err;
	make_counter(&s.x);
	prepare(&s);
	cubes_init(&cubes, &s.problem, 20);
	assert_int_equal(cubes.npieces, 2);
	assert_int_equal(cubes.n, 36);
	assert_true(formula_init(&f, &s.problem, &options, &err));
	struct solver *solver = solver_open(solver_find(NULL), &f, &err);
	unsigned found = 0;
	for (size_t i = 0; i < cubes.n; i++) {
		literal assumed[CUBE_READS];
		size_t n = cubes_literals(&cubes, &f, i, assumed);
		enum solve_result r = solver_solve_case(solver, assumed, n, 60, NULL);
		assert_int_not_equal(r, SOLVE_UNKNOWN);
		found += r == SOLVE_SAT;
	}
	assert_int_equal(found, 1);
	assert_int_equal(solver_solve(solver, 60, NULL), SOLVE_SAT);
	solver_close(solver);
	formula_release(&f);
	tear_down(&s);
}

static enum infer_result infer(const struct execution *x, struct infer_options *o, struct infer_stats *stats)
{
	o->fewest_seconds = 0;
	o->seconds = 60;
	return infer_once(x, o, stats);
}

/* With and without searches, any number of workers says the same. */
static void a_team_of_any_size_agrees(void **state)
{
	(void)state;
	struct execution flags, counter;
	make_flags(&flags);
	make_counter(&counter);
	for (unsigned workers = 1; workers <= 7; workers++)
		for (int search = 0; search < 2; search++) {
			struct infer_options o = infer_defaults();
			struct infer_stats stats;
			o.workers = workers;
			o.walk_seconds = search - 1;
			assert_int_equal(infer(&flags, &o, &stats), INFER_NONE);
			assert_int_equal(infer(&counter, &o, &stats), INFER_FOUND);
		}
	execution_release(&flags);
	execution_release(&counter);
}

static void who_is_told_to_stop_stops(void **state)
{
	(void)state;
	struct execution x;
	struct infer_stats stats;
	struct infer_options o = infer_defaults();
	volatile bool stop = true;
	make_flags(&x);
	o.stop = &stop;
	o.walk_seconds = -1;
	assert_int_equal(infer(&x, &o, &stats), INFER_BUDGET);
	stop = false;
	assert_int_equal(infer(&x, &o, &stats), INFER_NONE);
	assert_false(stop);
	execution_release(&x);
}

static double cpu_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Also where making the terms of a condition takes long: half a million operations. */
static void who_is_told_to_stop_makes_no_terms(void **state)
{
	(void)state;
	struct set_up s;
	struct formula f;
	struct formula_options options = {64, NULL};
	struct error err;
	volatile bool stop = true;
	make_counter(&s.x);
	expr first = s.x.events.at[s.x.conditions.at[0].event].read, sum = first;
	for (uint64_t i = 0; i < 500000; i++)
		sum = expr_binary(s.x.exprs, i % 2 ? EXPR_XOR : EXPR_ADD, sum, i % 3 ? first : make_const(&s.x, 4, i));
	prepare(&s);
	make_condition(&s.x, EXPR_EQ, sum, make_const(&s.x, 4, 7), true, CONDITION_PATH);
	assert_true(formula_init(&f, &s.problem, &options, &err));
	double start = cpu_time();
	struct solver *solver = solver_open(solver_find(NULL), &f, &err);
	assert_int_equal(solver_solve(solver, 60, &stop), SOLVE_UNKNOWN);
	assert_true(cpu_time() - start < 0.1);
	solver_close(solver);
	formula_release(&f);
	tear_down(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_dead_for_one_search_is_for_all),
		cmocka_unit_test(jumps_prove_nothing),
		cmocka_unit_test(cases_are_all_there_is),
		cmocka_unit_test(a_team_of_any_size_agrees),
		cmocka_unit_test(who_is_told_to_stop_stops),
		cmocka_unit_test(who_is_told_to_stop_makes_no_terms),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
