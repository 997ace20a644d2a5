/* An order with store buffers as others see it (src/infer/flat.h): stores where they become visible, and nothing of what only their thread sees. */
#include "infer/between.h"
#include "infer/flat.h"
#include "make_execution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { X = 0x1000, Y = 0x2000 };

static uint32_t last(const struct execution *x)
{
	return (uint32_t)x->events.n - 1;
}

static void site(struct execution *x, uint32_t event, const char *line)
{
	struct site_info *s = vec_push(&x->sites);
	*s = (struct site_info){.function = "work", .number = (uint32_t)x->sites.n};
	snprintf(s->where, sizeof s->where, "%s", line);
	x->events.at[event].site = (uint32_t)x->sites.n - 1;
}

/* Thread 1 reads X, adds 1, reads that back, and reads Y, before anybody sees its store; thread 2 writes X meanwhile. */
static void stores_where_they_are_seen(void **state)
{
	(void)state;
	struct told t = {0};
	struct execution *x = &t.x;
	execution_init(x);
	if (!x->sites.n)
		*vec_push(&x->sites) = (struct site_info){.where = "?"};
	make_thread(x, "1");
	expr e = make_read(x, X, 4);
	uint32_t read = last(x);
	site(x, read, "1");
	uint32_t store = make_write(x, X, 4, make_add(x, e, 1));
	site(x, store, "2");
	make_read(x, X, 4);
	uint32_t own = last(x);
	expr y = make_read(x, Y, 4);
	uint32_t other = last(x);
	make_condition(x, EXPR_EQ, y, make_const(x, 4, 7), false, CONDITION_PATH);
	uint32_t end = make_end(x, EVENT_FAILS);
	make_thread(x, "2");
	uint32_t foreign = make_write(x, X, 4, make_const(x, 4, 50));
	site(x, foreign, "3");
	const struct step order[] = {{0, false}, {read, false}, {store, false}, {own, false}, {other, false}, {foreign, false}, {store, true}, {end, false}};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		*vec_push(&t.l.steps) = order[i];
	t.l.needed = t.l.steps.n;
	struct slice s;
	slice_init(&s, x, &t.l);
	struct flat f;
	assert_true(flat_init(&f, &t, &s));
	const struct step seen[] = {{0, false}, {read, false}, {other, false}, {foreign, false}, {store, false}, {end, false}};
	const size_t back[] = {0, 1, 4, 5, 6, 7};
	assert_int_equal(f.told.l.steps.n, 6);
	assert_int_equal(f.told.l.needed, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(f.told.l.steps.at[i].event, seen[i].event);
		assert_false(f.told.l.steps.at[i].visible);
		assert_int_equal(f.back[i], back[i]);
	}
	assert_int_equal(f.slice.asked.n, 1);
	assert_int_equal(f.slice.asked.at[0], 2);
	struct between b;
	uint64_t symbols[] = {10, 11, 12};
	assert_true(between_find(&b, &f.slice, x, &f.told.l, symbols));
	assert_int_equal(b.first, 1);
	assert_int_equal(b.other, 3);
	assert_int_equal(b.second, 4);
	flat_release(&f);
	slice_release(&s);
	/* Without the buffer there is nothing to do. */
	t.l.steps.n = 0;
	for (uint32_t i = 0; i <= last(x); i++)
		*vec_push(&t.l.steps) = (struct step){i, false};
	t.l.needed = t.l.steps.n;
	slice_init(&s, x, &t.l);
	assert_false(flat_init(&f, &t, &s));
	slice_release(&s);
	vec_free(&t.l.steps);
	execution_release(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stores_where_they_are_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
