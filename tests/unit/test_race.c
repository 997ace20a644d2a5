/* Which locations race, and which bytes of a word may be padding. */
#include "sym/race.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

enum { AT = 0x1000 };

static bool access_bytes(struct races *r, uint32_t thread, uint64_t address, uint64_t size, bool write)
{
	static const uint32_t clocks[2][2] = {{1, 0}, {0, 1}};
	size_t fresh;
	struct racer who = {.thread = thread, .nclock = 2, .clock = clocks[thread]};
	return races_access(r, who, address, size, write, &fresh);
}

static size_t found(const struct races *r)
{
	size_t n;
	races_found(r, &n);
	return n;
}

static void writes_that_nothing_orders_race(void **state)
{
	(void)state;
	struct races *r = races_new(NULL, 0);
	access_bytes(r, 0, AT, 4, true);
	access_bytes(r, 1, AT + 4, 4, true);
	assert_int_equal(found(r), 0);
	access_bytes(r, 1, AT, 4, false);
	assert_int_equal(found(r), 1);
	races_free(r);
}

/* A float and what lies behind it, copied as one word. */
static void padding_is_never_apart(void **state)
{
	(void)state;
	struct races *r = races_new(NULL, 0);
	access_bytes(r, 0, AT, 8, true);
	assert_int_equal(races_never_apart(r, AT, 8), UINT64_MAX);
	access_bytes(r, 1, AT, 4, false);
	assert_int_equal(races_never_apart(r, AT, 8), UINT64_MAX << 32);
	assert_int_equal(races_never_apart(r, AT, 4), UINT32_MAX);
	access_bytes(r, 0, AT, 16, false);
	assert_int_equal(races_never_apart(r, AT, 8), UINT64_MAX << 32);
	access_bytes(r, 1, AT + 6, 2, true);
	assert_int_equal(races_never_apart(r, AT, 8), 0xffffull << 32);
	races_free(r);
}

static void members_are_apart(void **state)
{
	(void)state;
	struct races *r = races_new(NULL, 0);
	access_bytes(r, 0, AT, 4, true);
	access_bytes(r, 0, AT + 4, 4, true);
	access_bytes(r, 1, AT, 8, false);
	assert_int_equal(races_never_apart(r, AT, 8), 0);
	/* What nobody accessed is no padding that was copied. */
	assert_int_equal(races_never_apart(r, AT + 8, 8), 0);
	/* Another block has other members. */
	races_give_back(r, AT, 8);
	races_take_again(r, AT, 8);
	assert_int_equal(races_never_apart(r, AT, 8), UINT64_MAX);
	races_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_that_nothing_orders_race),
		cmocka_unit_test(padding_is_never_apart),
		cmocka_unit_test(members_are_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
