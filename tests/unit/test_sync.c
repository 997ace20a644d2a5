/* Entries of the order of synchronization come back from their packed form; a cut one is no entry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rethread/sync.h>

enum { ENTRIES = 2000 };

static uint64_t any(unsigned bits)
{
	uint64_t n = (uint64_t)random() << 62 ^ (uint64_t)random() << 31 ^ (uint64_t)random();

	return n & ((2ull << random() % bits) - 1);
}

/* Some entries have no time, also in logs that have times. */
static struct rt_sync any_entry(const struct rt_sync *last, int timed, uint64_t *now)
{
	struct rt_sync e = {
		.op = last->op + 1 + any(20),
		.order = any(40),
		.object = (uint32_t)any(random() % 2 ? 5 : 30),
		.result = random() % 5 ? 0 : (uint32_t)any(32),
		.time = timed && random() % 3 ? (*now += RT_SYNC_TICK + any(50)) / RT_SYNC_TICK * RT_SYNC_TICK : 0,
	};

	if (random() % 7 == 0)
		e.object |= RT_OBJECT_THREAD;
	if (!e.object)
		e.order = 1;
	return e;
}

static void assert_same(const struct rt_sync *a, const struct rt_sync *b)
{
	assert_int_equal(a->op, b->op);
	assert_int_equal(a->order, b->order);
	assert_int_equal(a->object, b->object);
	assert_int_equal(a->result, b->result);
	assert_int_equal(a->time, b->time);
}

static void round_trip(int timed)
{
	static struct rt_sync entries[ENTRIES + 1];
	static uint8_t bytes[ENTRIES * RT_SYNC_ROOM];
	struct rt_sync_state writer = {0}, reader = {0};
	uint32_t at = 0, back = 0;
	uint64_t now = 0;

	for (int i = 1; i <= ENTRIES; i++) {
		uint8_t *to = bytes + at;

		entries[i] = any_entry(&entries[i - 1], timed, &now);
		at += rt_sync_pack(&writer, &entries[i], timed, to, to);
		assert_true(bytes + at - to < (ptrdiff_t)RT_SYNC_ROOM);
	}
	for (int i = 1; i <= ENTRIES; i++) {
		struct rt_sync_state before = reader;
		struct rt_sync e;
		uint32_t size;

		assert_true(bytes[back]);
		size = rt_sync_unpack(&reader, &e, timed, bytes + back, bytes + at);
		assert_same(&e, &entries[i]);
		for (uint32_t cut = 1; cut < size; cut++)
			assert_int_equal(rt_sync_unpack(&before, &e, timed, bytes + back, bytes + back + cut), 0);
		back += size;
	}
	assert_int_equal(back, at);
}

static void comes_back(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++)
		round_trip(i % 2);
}

/* What a lock that changes hands usually costs. */
static void is_small(void **state)
{
	struct rt_sync_state s = {0};
	struct rt_sync e = {.op = 1, .order = 1, .object = 3, .time = 1ull << 50};
	uint8_t bytes[RT_SYNC_ROOM], head;

	(void)state;
	rt_sync_pack(&s, &e, 1, bytes, &head);
	e = (struct rt_sync){.op = 3, .order = 9, .object = 3, .time = (1ull << 50) + 9000};
	assert_int_equal(rt_sync_pack(&s, &e, 1, bytes, &head), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(comes_back), cmocka_unit_test(is_small)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
