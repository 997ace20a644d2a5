/* Two threads that announce themselves and look for the other, while an announcement is in its store buffer (src/infer/buffered.h). */
#include "infer/buffered.h"
#include "make_execution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { X = 0x1000, Y = 0x2000 };

/* Writes 1 to the one, reads the other, and goes on if that is 0 (asks). */
static void make_side(struct execution *x, const char *name, uint64_t own, uint64_t other, bool asks)
{
	make_thread(x, name);
	make_write(x, own, 4, make_const(x, 4, 1));
	expr e = make_read(x, other, 4);
	if (asks)
		make_condition(x, EXPR_EQ, e, make_const(x, 4, 0), true, CONDITION_PATH);
	make_end(x, 0);
}

static bool find(struct buffered *b, const struct execution *x, const struct step *order, size_t n)
{
	struct told t = {.x = *x};
	for (size_t i = 0; i < n; i++)
		*vec_push(&t.l.steps) = order[i];
	t.l.needed = n;
	uint64_t symbols[2] = {0, 0}, *values = calloc(expr_count(x->exprs) + 1, sizeof *values);
	expr_eval_all(x->exprs, symbols, values);
	bool found = buffered_find(b, &t, values, symbols);
	assert_int_equal(symbols[0], 0);
	assert_int_equal(symbols[1], 0);
	free(values);
	vec_free(&t.l.steps);
	return found;
}

/* Events: 0 start, 1 store, 2 read, 3 end; 4 start, 5 store, 6 read, 7 end. */
static void neither_sees_the_other(void **state)
{
	(void)state;
	const struct step late[] = {{0, false}, {1, false}, {2, false}, {3, false}, {4, false}, {5, false}, {6, false}, {1, true}, {7, false}};
	const struct step in_time[] = {{0, false}, {1, false}, {1, true}, {2, false}, {3, false}, {4, false}, {5, false}, {6, false}, {7, false}};
	for (int asks = 0; asks < 2; asks++) {
		struct execution x;
		struct buffered b;
		execution_init(&x);
		make_side(&x, "1", X, Y, true);
		make_side(&x, "2", Y, X, asks);
		assert_int_equal(find(&b, &x, late, 9), asks); /* who does not ask goes no other way */
		if (asks) {
			assert_int_equal(late[b.store[0]].event, 1);
			assert_int_equal(late[b.read[0]].event, 2);
			assert_int_equal(late[b.store[1]].event, 5);
			assert_int_equal(late[b.read[1]].event, 6);
		}
		assert_false(find(&b, &x, in_time, 9));
		execution_release(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(neither_sees_the_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
