/* What is said to be used after it was freed (src/infer/freed.h): also where the failing read comes before the free is done. */
#include "infer/freed.h"
#include "make_execution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { BLOCK = 0x10000, LEFT = 77 };

/* Thread 1 reads the block's first word; thread 2 writes both, by the call. */
static struct execution make_block(const char *call)
{
	struct execution x;
	execution_init(&x);
	struct site_info *s = vec_push(&x.sites);
	*s = (struct site_info){.function = "drop", .where = "1"};
	snprintf(s->what, sizeof s->what, "%s", call);
	for (uint64_t at = BLOCK; at < BLOCK + 16; at += 8)
		*vec_push(&x.names) = (struct place_name){.address = at, .block = BLOCK, .block_size = 16, .name = "block"};
	make_thread(&x, "1");
	make_read(&x, BLOCK, 8);
	make_end(&x, EVENT_FAILS);
	make_thread(&x, "2");
	for (uint64_t at = BLOCK; at < BLOCK + 16; at += 8) {
		uint32_t e = make_write(&x, at, 8, make_const(&x, 8, LEFT));
		x.events.at[e].site = (uint32_t)x.sites.n - 1;
		x.events.at[e].sap = 1; /* pieces of one call */
	}
	make_end(&x, 0);
	return x;
}

/* Thread 2 up to its first write, all of thread 1, and what comes behind the failure. */
static bool is_found(struct execution *x, struct freed *f)
{
	static const uint32_t order[] = {3, 4, 0, 1, 2, 5, 6};
	struct linear l = {.needed = 5};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		*vec_push(&l.steps) = (struct step){order[i], false};
	struct told t;
	struct slice s;
	uint64_t *values = xcalloc(expr_count(x->exprs) + 1, sizeof *values), symbol = LEFT;
	expr_eval_all(x->exprs, &symbol, values);
	told_init(&t, x, &l, values);
	slice_init(&s, &t.x, &t.l);
	bool found = freed_find(f, &s, &t, values);
	free(values);
	slice_release(&s);
	told_release(&t);
	vec_free(&l.steps);
	execution_release(x);
	return found;
}

static void read_before_the_free_is_done(void **state)
{
	(void)state;
	struct freed f;
	struct execution x = make_block("free");
	assert_true(is_found(&x, &f));
	assert_int_equal(f.use, 3);
	assert_int_equal(f.freed, 1);
	assert_int_equal(f.size, 16);
}

static void read_of_what_was_stored(void **state)
{
	(void)state;
	struct freed f;
	struct execution x = make_block("store");
	assert_false(is_found(&x, &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_before_the_free_is_done),
		cmocka_unit_test(read_of_what_was_stored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
