/* Runs of a thread are joined where the checker allows it (src/solve/simplify.h). */
#include "make_execution.h"
#include "model/check.h"
#include "solve/simplify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { X = 0x1000, Y = 0x2000, ROUNDS = 5 };

/* Two threads count, each in a place of its own but for the last round, where one reads what the other wrote. */
static void make(struct execution *x)
{
	execution_init(x);
	for (unsigned t = 0; t < 2; t++) {
		make_thread(x, t ? "1:2" : "1:1");
		for (unsigned i = 0; i < ROUNDS; i++) {
			expr v = make_read(x, t ? Y : X, 4);
			make_write(x, t ? Y : X, 4, make_add(x, v, 1));
		}
		if (t) {
			expr seen = make_read(x, X, 4);
			make_condition(x, EXPR_EQ, seen, make_const(x, 4, ROUNDS), true, CONDITION_BUG);
		}
		make_end(x, t ? EVENT_FAILS : 0);
	}
	make_initial(x, X, 4, 0);
	make_initial(x, Y, 4, 0);
}

/* One step of each in turn, the failing thread last. */
static void make_order_in_turns(const struct execution *x, struct linear *l)
{
	uint32_t a = x->threads.at[0].count, b = x->threads.at[1].count;
	*l = (struct linear){0};
	for (uint32_t i = 0; i < a || i < b; i++) {
		if (i < a)
			*vec_push(&l->steps) = (struct step){x->threads.at[0].first + i, false};
		if (i < b)
			*vec_push(&l->steps) = (struct step){x->threads.at[1].first + i, false};
	}
	l->needed = l->steps.n;
	for (size_t i = 1; i < l->needed; i++)
		l->switches += x->events.at[l->steps.at[i].event].thread != x->events.at[l->steps.at[i - 1].event].thread;
}

static void runs_are_joined(void **state)
{
	(void)state;
	struct execution x;
	struct linear l;
	make(&x);
	make_order_in_turns(&x, &l);
	assert_true(l.switches > 2 * ROUNDS);
	assert_true(check_order(&x, MEMORY_SC, l.steps.at, l.steps.n, NULL, NULL));
	struct simplify_request request = {.x = &x, .model = MEMORY_SC, .seconds = 60};
	simplify(&request, &l);
	assert_int_equal(l.switches, 1); /* all of the one, then all of the other */
	assert_true(check_order(&x, MEMORY_SC, l.steps.at, l.steps.n, NULL, NULL));
	assert_true(x.events.at[l.steps.at[l.needed - 1].event].flags & EVENT_FAILS);
	linear_release(&l);
	execution_release(&x);
}

static bool refuse(void *data, const struct linear *l)
{
	(void)l;
	++*(unsigned *)data;
	return false;
}

static void what_is_refused_is_not_given(void **state)
{
	(void)state;
	struct execution x;
	struct linear l;
	unsigned asked = 0;
	make(&x);
	make_order_in_turns(&x, &l);
	uint32_t before = l.switches;
	struct simplify_request request = {.x = &x, .model = MEMORY_SC, .seconds = 60, .accepts = refuse, .data = &asked};
	simplify(&request, &l);
	assert_int_equal(l.switches, before);
	assert_true(asked > 0);
	linear_release(&l);
	execution_release(&x);
}

/* A call writes X and Y; another thread reads X in between, and must read it before X is written again. */
static void calls_are_brought_together(void **state)
{
	(void)state;
	struct execution x;
	struct linear l = {0};
	execution_init(&x);
	make_thread(&x, "1:1");
	for (unsigned i = 0; i < 3; i++)
		make_write(&x, i == 1 ? Y : X, 4, make_const(&x, 4, i < 2));
	make_end(&x, 0);
	make_thread(&x, "1:2");
	expr seen = make_read(&x, X, 4);
	make_condition(&x, EXPR_EQ, seen, make_const(&x, 4, 1), true, CONDITION_BUG);
	make_end(&x, EVENT_FAILS);
	make_initial(&x, X, 4, 0);
	make_initial(&x, Y, 4, 0);
	uint32_t a = x.threads.at[0].first, b = x.threads.at[1].first;
	x.events.at[a + 2].sap = x.events.at[a + 1].sap;
	const uint32_t order[] = {a, a + 1, b, b + 1, a + 2, a + 3, a + 4, b + 2};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		*vec_push(&l.steps) = (struct step){order[i], false};
	l.needed = l.steps.n;
	l.switches = 3;
	assert_true(check_order(&x, MEMORY_SC, l.steps.at, l.steps.n, NULL, NULL));
	assert_int_equal(simplify_splits(&x, &l), 1);
	struct simplify_request request = {.x = &x, .model = MEMORY_SC, .seconds = 60};
	simplify(&request, &l);
	assert_int_equal(simplify_splits(&x, &l), 0);
	assert_true(check_order(&x, MEMORY_SC, l.steps.at, l.steps.n, NULL, NULL));
	linear_release(&l);
	execution_release(&x);
}

/* A wait is woken, somebody else has the mutex for a while, then the waiting thread has it: a schedule says "woken" with the second. */
static void waits_come_with_their_locks(void **state)
{
	(void)state;
	enum { MUTEX = 1, CONDITION = 2 };
	struct execution x;
	struct linear l = {0};
	execution_init(&x);
	make_thread(&x, "1:1");
	make_event(&x, EVENT_LOCK, MUTEX);
	make_event(&x, EVENT_UNLOCK, MUTEX);
	uint32_t wait = make_event(&x, EVENT_WAIT, CONDITION), lock = make_event(&x, EVENT_LOCK, MUTEX);
	x.events.at[lock].sap = x.events.at[wait].sap;
	make_event(&x, EVENT_UNLOCK, MUTEX);
	make_end(&x, EVENT_FAILS);
	make_thread(&x, "1:2");
	make_event(&x, EVENT_SIGNAL, CONDITION);
	make_event(&x, EVENT_LOCK, MUTEX);
	make_event(&x, EVENT_UNLOCK, MUTEX);
	make_end(&x, 0);
	uint32_t a = x.threads.at[0].first, b = x.threads.at[1].first;
	const uint32_t order[] = {a, a + 1, a + 2, b, b + 1, wait, b + 2, b + 3, lock, lock + 1, b + 4, lock + 2};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		*vec_push(&l.steps) = (struct step){order[i], false};
	l.needed = l.steps.n;
	assert_true(check_order(&x, MEMORY_SC, l.steps.at, l.steps.n, NULL, NULL));
	assert_true(simplify_waits(&x, MEMORY_SC, &l));
	assert_int_equal(l.steps.n, sizeof order / sizeof *order);
	for (size_t i = 1; i < l.steps.n; i++)
		if (l.steps.at[i].event == lock)
			assert_int_equal(l.steps.at[i - 1].event, wait);
	assert_true(check_order(&x, MEMORY_SC, l.steps.at, l.steps.n, NULL, NULL));
	assert_false(simplify_waits(&x, MEMORY_SC, &l)); /* it is so already */
	linear_release(&l);
	execution_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_joined),
		cmocka_unit_test(what_is_refused_is_not_given),
		cmocka_unit_test(calls_are_brought_together),
		cmocka_unit_test(waits_come_with_their_locks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
