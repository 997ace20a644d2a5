/* What the path decides of values (model/decided.h), and what the search makes of it: a compare-and-swap that failed brings no value back. */
#include "make_execution.h"
#include "model/decided.h"
#include "model/problem.h"
#include "solve/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { WORD = 0x1000, NEW = 7 };

/* if (compare_exchange(&word, &loaded, NEW)), of which the path says how it went; the event. */
static uint32_t make_swap(struct execution *x, expr loaded, bool succeeds, enum condition_kind kind)
{
	uint32_t e = make_event(x, EVENT_UPDATE, WORD);
	expr read = expr_sym(x->exprs, 32, x->nsymbols++), equal = expr_binary(x->exprs, EXPR_EQ, read, loaded);
	x->events.at[e].size = 4;
	x->events.at[e].read = read;
	x->events.at[e].written = expr_ite(x->exprs, equal, make_const(x, 4, NEW), read);
	make_condition(x, EXPR_EQ, read, loaded, succeeds, kind);
	return e;
}

static void a_swap_writes_what_the_path_says(void **state)
{
	(void)state;
	struct execution x;
	execution_init(&x);
	make_thread(&x, "1");
	uint32_t done = make_swap(&x, make_read(&x, WORD, 4), true, CONDITION_PATH);
	uint32_t failed = make_swap(&x, make_read(&x, WORD, 4), false, CONDITION_PATH);
	uint32_t guessed = make_swap(&x, make_read(&x, WORD, 4), false, CONDITION_ASSUMED);
	make_end(&x, EVENT_FAILS);
	execution_decide(&x);
	uint64_t value;
	assert_true(expr_is_const(x.exprs, x.events.at[done].written, &value));
	assert_int_equal(value, NEW);
	assert_true(event_writes(&x.events.at[done]));
	assert_int_equal(x.events.at[failed].written, x.events.at[failed].read);
	assert_false(event_writes(&x.events.at[failed]));
	assert_int_equal(expr_node(x.exprs, x.events.at[guessed].written)->op, EXPR_ITE);
	execution_release(&x);
}

static void both_parts_of_a_condition_are_known(void **state)
{
	(void)state;
	struct execution x;
	execution_init(&x);
	make_thread(&x, "1");
	expr a = make_read(&x, WORD, 4), b = make_read(&x, WORD, 4);
	expr small = expr_binary(x.exprs, EXPR_ULT, a, make_const(&x, 4, 3)), equal = expr_binary(x.exprs, EXPR_EQ, a, b);
	expr either = expr_binary(x.exprs, EXPR_OR, small, equal);
	make_condition(&x, EXPR_EQ, either, expr_const(x.exprs, 1, 1), false, CONDITION_PATH);
	uint32_t first = make_write(&x, WORD, 4, expr_ite(x.exprs, small, a, make_const(&x, 4, 5)));
	uint32_t second = make_write(&x, WORD, 4, expr_ite(x.exprs, equal, a, b));
	make_end(&x, EVENT_FAILS);
	execution_decide(&x);
	uint64_t value;
	assert_true(expr_is_const(x.exprs, x.events.at[first].written, &value));
	assert_int_equal(value, 5);
	assert_int_equal(x.events.at[second].written, b);
	execution_release(&x);
}

/* One thread waits for the word to be 0 again, another one has a swap to come that failed: it does not make it 0. */
static void a_failed_swap_brings_no_value(void **state)
{
	(void)state;
	struct execution x;
	struct memory m;
	struct problem p;
	struct error err;
	bool contradiction;
	execution_init(&x);
	make_initial(&x, WORD, 4, 0);
	make_thread(&x, "1");
	uint32_t write = make_write(&x, WORD, 4, make_const(&x, 4, 9));
	make_swap(&x, make_read(&x, WORD, 4), false, CONDITION_PATH);
	make_end(&x, 0);
	make_thread(&x, "1:1");
	make_condition(&x, EXPR_EQ, make_read(&x, WORD, 4), make_const(&x, 4, 0), true, CONDITION_PATH);
	uint32_t read = (uint32_t)x.events.n - 1;
	make_end(&x, EVENT_FAILS);
	make_thread(&x, "1:2");
	make_write(&x, WORD, 4, make_const(&x, 4, 5));
	make_end(&x, 0);
	execution_decide(&x);
	assert_true(memory_init(&m, &x, &(struct memory_options){.model = MEMORY_SC}, &err));
	assert_true(problem_init(&p, &m, &(struct problem_options){.large = true}, &err));
	struct machine *machine = machine_new(&p, NULL, &contradiction, &err);
	assert_non_null(machine);
	machine_step(machine, x.threads.at[0].first);
	machine_step(machine, x.threads.at[1].first);
	machine_step(machine, write);
	assert_false(machine_has_hope(machine, read));
	machine_free(machine);
	problem_release(&p);
	memory_release(&m);
	execution_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_swap_writes_what_the_path_says),
		cmocka_unit_test(both_parts_of_a_condition_are_known),
		cmocka_unit_test(a_failed_swap_brings_no_value),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
