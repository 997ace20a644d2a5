/* Looking ahead in a path: how often a pattern comes again, against reading bit by bit. */
#include "random.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 12 };

/* Words of a pattern that may be broken somewhere, some of them short. */
static size_t make_path(uint64_t *slots, uint64_t pattern, unsigned n)
{
	uint32_t at = 0, broken = pick(WORDS * 70);
	size_t words = 1 + pick(WORDS - 1);
	for (size_t i = 0; i < words; i++) {
		unsigned bits = pick(3) ? RT_PATH_WORD : 1 + pick(RT_PATH_WORD - 2);
		slots[i] = 1ull << bits;
		for (unsigned k = 0; k < bits; k++, at++)
			slots[i] |= ((pattern >> (n - 1 - at % n) & 1) ^ (at == broken)) << k;
	}
	return words;
}

static uint64_t repeats_bit_by_bit(struct path_reader r, uint64_t pattern, unsigned n, uint64_t most)
{
	for (uint64_t repeats = 0; repeats < most; repeats++)
		for (unsigned k = n; k-- > 0;)
			if (path_reader_bits(&r, 1) != (int64_t)(pattern >> k & 1))
				return repeats;
	return most;
}

static void repeats_are_counted(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++) {
		unsigned n = 1 + pick(pick(4) ? 5 : 64);
		uint64_t pattern = ((uint64_t)pick(UINT32_MAX) << 32 | pick(UINT32_MAX)) & (UINT64_MAX >> (64 - n));
		uint64_t slots[WORDS], most = pick(3) ? UINT64_MAX : pick(40);
		struct path_reader r, by_bits;
		path_reader_init(&r, slots, make_path(slots, pattern, n));
		unsigned skipped = pick(3) * n;
		path_reader_skip(&r, skipped);
		uint64_t expected = repeats_bit_by_bit(r, pattern, n, most);
		assert_int_equal(path_reader_repeats(&r, pattern, n, most), expected);
		/* Skipping is reading. */
		by_bits = r;
		path_reader_skip(&r, expected * n);
		for (uint64_t k = 0; k < expected * n; k++)
			path_reader_bits(&by_bits, 1);
		assert_int_equal(path_reader_bits(&r, 1), path_reader_bits(&by_bits, 1));
		assert_int_equal(r.words, by_bits.words);
	}
}

/* Peeking sees what comes next, also where a word ends, and reads nothing. */
static void peeking_looks_ahead(void **state)
{
	(void)state;
	uint64_t slots[2] = {1ull << 60, 1ull << 2 | 1};
	for (unsigned k = 0; k < 60; k++)
		slots[0] |= (uint64_t)(k % 3 == 0) << k;
	struct path_reader r;
	path_reader_init(&r, slots, 2);
	assert_int_equal(path_reader_bits(&r, 54), 0444444444444444444);
	for (unsigned n = 1; n <= 6; n++)
		assert_int_equal(path_reader_peek(&r, n), 044 >> (6 - n));
	assert_int_equal(path_reader_peek(&r, 7), 044 << 1 | 1);
	assert_int_equal(path_reader_peek(&r, 8), 044 << 2 | 2);
	assert_int_equal(path_reader_peek(&r, 9), -1);
	assert_int_equal(path_reader_bits(&r, 8), 044 << 2 | 2);
}

int main(void)
{
	seed = 11;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeats_are_counted),
		cmocka_unit_test(peeking_looks_ahead),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
