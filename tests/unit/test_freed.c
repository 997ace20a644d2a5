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

static uint32_t make_block_note(struct execution *x, uint16_t flag, bool doubtful)
{
	uint32_t e = make_event(x, EVENT_CALL, BLOCK);
	x->events.at[e].flags = EVENT_NOTE | flag;
	x->events.at[e].before = 16;
	x->events.at[e].count = doubtful;
	return e;
}

/*
 * Thread 2 allocates a block where it is not certain that it was free; thread 1 frees it and reads there. That thread 2 had it before is certain where it has done something since.
 * `twice`: the block before that was freed by both, so that both may have got it.
 */
static bool is_found_in_doubt(bool done, bool twice)
{
	struct execution x;
	execution_init(&x);
	*vec_push(&x.sites) = (struct site_info){.where = "1"};
	make_thread(&x, "1");
	if (twice)
		make_block_note(&x, EVENT_FREES, false);
	uint32_t freed = make_block_note(&x, EVENT_FREES, false);
	make_read(&x, BLOCK, 8);
	uint32_t last = make_end(&x, EVENT_FAILS);
	make_thread(&x, "2");
	uint32_t other = twice ? make_block_note(&x, EVENT_FREES, false) : make_event(&x, EVENT_FENCE, 0);
	uint32_t born = make_block_note(&x, EVENT_ALLOCATES, true);
	uint32_t since = make_event(&x, EVENT_FENCE, 0);
	make_end(&x, 0);
	struct linear l = {0};
	for (uint32_t i = 0; i < freed; i++)
		*vec_push(&l.steps) = (struct step){i, false};
	for (uint32_t i = other - 1; i <= (done ? since : born); i++)
		*vec_push(&l.steps) = (struct step){i, false};
	for (uint32_t i = freed; i <= last; i++)
		*vec_push(&l.steps) = (struct step){i, false};
	l.needed = l.steps.n;
	struct told t = {.x = x, .l = l};
	struct slice s;
	struct freed f = {0};
	uint64_t *values = xcalloc(expr_count(x.exprs) + 1, sizeof *values);
	slice_init(&s, &t.x, &t.l);
	bool found = freed_find(&f, &s, &t, values) && !f.twice;
	if (found)
		assert_int_equal(l.steps.at[f.use].event, freed + 1);
	free(values);
	slice_release(&s);
	vec_free(&l.steps);
	execution_release(&x);
	return found;
}

static void freed_by_who_did_not_allocate(void **state)
{
	(void)state;
	assert_true(is_found_in_doubt(true, false));
	assert_false(is_found_in_doubt(false, false));
	assert_false(is_found_in_doubt(true, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_before_the_free_is_done),
		cmocka_unit_test(read_of_what_was_stored),
		cmocka_unit_test(freed_by_who_did_not_allocate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
