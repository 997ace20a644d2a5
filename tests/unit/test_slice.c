/* What an explanation shows (src/infer/slice.h): the program's own reads first, what they saw, and what that came from. */
#include "infer/slice.h"
#include "make_execution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { X = 0x1000, Y = 0x2000, Z = 0x3000 };

static uint32_t last_event(const struct execution *x)
{
	return (uint32_t)x->events.n - 1;
}

/* A read in a header of the system, as of a count of references. */
static expr make_system_read(struct execution *x, uint64_t address)
{
	expr e = make_read(x, address, 1);
	x->events.at[last_event(x)].flags |= EVENT_SYSTEM;
	return e;
}

static void is_not(struct execution *x, expr e, uint64_t value)
{
	make_condition(x, EXPR_EQ, e, make_const(x, 1, value), false, CONDITION_PATH);
}

/* The order in which the events were made, one thread after the other. */
static struct linear in_turn(const struct execution *x)
{
	struct linear l = {0};
	for (uint32_t i = 0; i < x->events.n; i++)
		*vec_push(&l.steps) = (struct step){i, false};
	l.needed = l.steps.n;
	return l;
}

/* Thread 1 writes X and Y; what 1:1, which fails, reads of them is for the test to add. */
static void make_writer(struct execution *x)
{
	execution_init(x);
	make_thread(x, "1");
	make_write(x, X, 1, make_const(x, 1, 1));
	make_write(x, Y, 1, make_const(x, 1, 2));
	make_end(x, 0);
	make_thread(x, "1:1");
}

static void assert_asked(struct execution *x, const uint32_t *events, size_t n)
{
	make_end(x, EVENT_FAILS);
	struct linear l = in_turn(x);
	struct slice s;
	slice_init(&s, x, &l);
	assert_int_equal(s.asked.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(s.asked.at[i], events[i]);
	slice_release(&s);
	vec_free(&l.steps);
	execution_release(x);
}

/* The failure depends on both: the system's comes last, though it is later. */
static void own_reads_come_first(void **state)
{
	(void)state;
	struct execution x;
	make_writer(&x);
	expr own = make_read(&x, X, 1);
	uint32_t first = last_event(&x);
	expr of_system = make_system_read(&x, Y);
	is_not(&x, expr_binary(x.exprs, EXPR_ADD, own, of_system), 0);
	assert_asked(&x, (const uint32_t[]){first, last_event(&x)}, 2);
}

/* The last branch depends on a header's read only, the one before on the program's: that one is asked for. */
static void conditions_on_own_reads_are_preferred(void **state)
{
	(void)state;
	struct execution x;
	make_writer(&x);
	is_not(&x, make_read(&x, X, 1), 0);
	uint32_t own = last_event(&x);
	is_not(&x, make_system_read(&x, Y), 0);
	assert_asked(&x, &own, 1);
}

/* Where there are none of the program's own, the last of the system's is better than nothing. */
static void system_reads_are_better_than_none(void **state)
{
	(void)state;
	struct execution x;
	make_writer(&x);
	is_not(&x, make_system_read(&x, X), 0);
	is_not(&x, make_system_read(&x, Y), 0);
	uint32_t last = last_event(&x);
	assert_asked(&x, &last, 1);
}

/* Of the program's own, one that saw another thread's write comes before later ones that did not. */
static void foreign_writes_come_first(void **state)
{
	(void)state;
	struct execution x;
	make_writer(&x);
	make_write(&x, Z, 1, make_const(&x, 1, 3));
	expr a = make_read(&x, X, 1);
	uint32_t foreign = last_event(&x);
	expr b = make_read(&x, Z, 1);
	is_not(&x, expr_binary(x.exprs, EXPR_ADD, a, b), 0);
	assert_asked(&x, (const uint32_t[]){foreign, last_event(&x)}, 2);
}

/* What a write that was seen came from matters, and nothing else; the next write of another thread is known. */
static void what_was_seen_is_followed_back(void **state)
{
	(void)state;
	struct execution x;
	execution_init(&x);
	make_thread(&x, "1");
	uint32_t source = make_write(&x, X, 1, make_const(&x, 1, 1));
	uint32_t other = make_write(&x, Z, 1, make_const(&x, 1, 9));
	make_end(&x, 0);
	make_thread(&x, "1:1");
	expr through = make_read(&x, X, 1);
	uint32_t read = last_event(&x);
	uint32_t passed_on = make_write(&x, Y, 1, make_add(&x, through, 1));
	make_end(&x, 0);
	make_thread(&x, "1:2");
	is_not(&x, make_read(&x, Y, 1), 0);
	uint32_t asked = last_event(&x);
	make_end(&x, EVENT_FAILS);
	make_thread(&x, "1:3");
	uint32_t later = make_write(&x, Y, 1, make_const(&x, 1, 5));
	make_end(&x, 0);
	struct linear l = in_turn(&x);
	struct slice s;
	slice_init(&s, &x, &l);
	assert_int_equal(s.saw[asked], passed_on);
	assert_int_equal(s.saw[read], source);
	assert_int_equal(s.next[asked], later);
	assert_true(s.matters[asked] && s.matters[passed_on] && s.matters[read] && s.matters[source]);
	assert_false(s.matters[other] || s.matters[later]);
	slice_release(&s);
	vec_free(&l.steps);
	execution_release(&x);
}

/* A delayed store: its own thread sees it at once, others when it becomes visible. */
static void delayed_stores_are_seen_by_their_thread(void **state)
{
	(void)state;
	struct execution x;
	execution_init(&x);
	make_thread(&x, "1");
	uint32_t store = make_write(&x, X, 1, make_const(&x, 1, 1));
	expr mine = make_read(&x, X, 1);
	uint32_t own = last_event(&x);
	is_not(&x, mine, 0);
	uint32_t end = make_end(&x, EVENT_FAILS);
	make_thread(&x, "1:1");
	make_read(&x, X, 1);
	uint32_t early = last_event(&x);
	make_read(&x, X, 1);
	uint32_t late = last_event(&x);
	uint32_t last = make_end(&x, 0);
	struct linear l = {0};
	const struct step steps[] = {{0, false},     {store, false}, {own, false},  {end + 1, false}, {early, false},
				     {store, true}, {late, false},  {last, false}, {end, false}};
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		*vec_push(&l.steps) = steps[i];
	l.needed = l.steps.n;
	struct slice s;
	slice_init(&s, &x, &l);
	assert_int_equal(s.saw[2], 1);
	assert_true(s.saw[4] == SLICE_NONE);
	assert_int_equal(s.saw[6], 1);
	slice_release(&s);
	vec_free(&l.steps);
	execution_release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_reads_come_first),
		cmocka_unit_test(conditions_on_own_reads_are_preferred),
		cmocka_unit_test(system_reads_are_better_than_none),
		cmocka_unit_test(foreign_writes_come_first),
		cmocka_unit_test(what_was_seen_is_followed_back),
		cmocka_unit_test(delayed_stores_are_seen_by_their_thread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
