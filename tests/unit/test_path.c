/* Looking ahead in a path: how often a pattern comes again, against reading bit by bit. */
#include "random.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 12 };

/* Complete words of 56 to 62 bits and a last one, of a pattern that may be broken somewhere. */
static size_t make_path(uint64_t *slots, uint64_t pattern, unsigned n)
{
	uint32_t at = 0, broken = pick(WORDS * 70);
	size_t words = 1 + pick(WORDS - 1);
	for (size_t i = 0; i < words; i++) {
		unsigned bits = i + 1 < words ? 56 + pick(7) : pick(50);
		slots[i] = RT_PATH_EMPTY;
		for (unsigned k = 0; k < bits; k++, at++)
			slots[i] = slots[i] << 1 | ((pattern >> (n - 1 - at % n) & 1) ^ (at == broken));
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

/* Peeking sees what the word at hand has left, all of it and no more, and reads nothing. */
static void peeking_stays_in_the_word(void **state)
{
	(void)state;
	uint64_t slots[2] = {RT_PATH_EMPTY, RT_PATH_EMPTY};
	for (unsigned k = 0; k < 60; k++)
		slots[0] = slots[0] << 1 | (k % 3 == 0);
	slots[1] = slots[1] << 2 | 2;
	struct path_reader r;
	path_reader_init(&r, slots, 2);
	assert_int_equal(path_reader_bits(&r, 54), 0444444444444444444);
	for (unsigned n = 1; n <= 6; n++)
		assert_int_equal(path_reader_peek(&r, n), 044 >> (6 - n));
	assert_int_equal(path_reader_peek(&r, 7), -1);
	assert_int_equal(path_reader_bits(&r, 8), 044 << 2 | 2);
}

int main(void)
{
	seed = 11;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repeats_are_counted),
		cmocka_unit_test(peeking_stays_in_the_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
