/* The execution file: comes back as it was; a damaged one gives an error or a valid execution, never a crash. */
#include "make_execution.h"
#include "solve/infer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { X = 0x1000 };

static void make_small(struct execution *x)
{
	execution_init(x);
	x->lock_order_known = true;
	make_initial(x, X, 4, 7);
	make_thread(x, "1");
	uint32_t w = make_write(x, X, 4, make_const(x, 4, 1));
	make_end(x, 0);
	make_thread(x, "1:1");
	expr v = make_read(x, X, 4);
	make_condition(x, EXPR_EQ, v, make_const(x, 4, 1), true, CONDITION_BUG);
	uint32_t end = make_end(x, EVENT_FAILS);
	make_order(x, w, end);
	*vec_push(&x->results) = (struct forced_result){1, 16, 1, FORCED_RESULT, 0};
	*vec_push(&x->left_out) = (struct left_out){.thread = 1, .sap = 9, .fewer = 8};
	*vec_push(&x->sites) = (struct site_info){.where = "a.c:3", .what = "load", .function = "f"};
	x->events.at[4].site = 1;
}

static char *temp_file(void)
{
	char *name = xstrdup("/tmp/test_execution.XXXXXX");
	close(mkstemp(name));
	return name;
}

static void a_file_comes_back(void **state)
{
	(void)state;
	struct execution x, y;
	struct error err;
	char *file = temp_file();
	make_small(&x);
	assert_true(execution_write(&x, file, &err));
	if (!execution_read(&y, file, &err))
		fail_msg("%s", err.text);
	assert_int_equal(y.events.n, x.events.n);
	assert_memory_equal(y.events.at, x.events.at, x.events.n * sizeof *x.events.at);
	assert_int_equal(y.conditions.at[0].condition, x.conditions.at[0].condition);
	assert_int_equal(y.orders.n, 1);
	assert_int_equal(y.results.at[0].result, 16);
	assert_int_equal(y.left_out.at[0].fewer, 8);
	assert_int_equal(expr_count(y.exprs), expr_count(x.exprs));
	assert_true(y.lock_order_known);
	assert_string_equal(y.threads.at[1].name, "1:1");
	execution_release(&x);
	execution_release(&y);
	unlink(file);
	free(file);
}

/* Whatever is accepted must also be safe to solve. */
static void try_file(const char *file, unsigned *refused, unsigned *accepted)
{
	struct execution x;
	struct error err = {{0}};
	if (!execution_read(&x, file, &err)) {
		assert_true(err.text[0]);
		++*refused;
		return;
	}
	struct infer_options o = infer_defaults();
	struct infer_state *s = NULL;
	struct schedule schedule;
	if (infer_schedule(&x, &o, &s, &schedule, NULL, &err) == INFER_FOUND)
		schedule_release(&schedule);
	infer_free(s);
	execution_release(&x);
	++*accepted;
}

static void damaged_files_do_no_harm(void **state)
{
	(void)state;
	struct execution x;
	struct error err;
	char *file = temp_file(), *data;
	size_t size;
	unsigned refused = 0, accepted = 0;
	make_small(&x);
	assert_true(execution_write(&x, file, &err));
	execution_release(&x);
	assert_true(read_file(file, &data, &size, &err));
	for (size_t cut = 0; cut < size; cut += 13) {
		assert_true(write_file(file, data, cut, &err));
		try_file(file, &refused, &accepted);
	}
	assert_int_equal(accepted, 0);
	for (size_t i = 0; i < size; i++) {
		if (!data[i] && i % 8) /* most of the zeros are text that ended */
			continue;
		char was = data[i];
		data[i] = (char)(was ^ (1 << i % 8));
		assert_true(write_file(file, data, size, &err));
		try_file(file, &refused, &accepted);
		data[i] = was;
	}
	assert_true(refused > 20);
	free(data);
	unlink(file);
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_comes_back),
		cmocka_unit_test(damaged_files_do_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
