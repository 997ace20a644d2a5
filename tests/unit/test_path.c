/* Looking ahead in a path: how often a pattern comes again, against reading bit by bit. */
#include "random.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* As the recorder writes them: words that the ones before foretell are counted. */
static size_t encode(const uint64_t *words, size_t n, uint64_t *slots)
{
	static uint64_t table[RT_PATH_TABLE];
	struct rt_path_stage stage = rt_path_stage_first();
	uint64_t context = 0;
	size_t count = 0;
	memset(table, 0, sizeof table);
	for (size_t i = 0; i < n; i++) {
		bool right = !stage.resting && table[rt_path_place(context)] == words[i];
		if (right && stage.row + 1 >= RT_PATH_RUN_AFTER && count && RT_PATH_IS_RUN(slots[count - 1]))
			slots[count - 1]++;
		else
			slots[count++] = right && stage.row + 1 >= RT_PATH_RUN_AFTER ? RT_PATH_RUN + 1 : words[i];
		if (!stage.resting) {
			stage.row = right ? stage.row + 1 : 0;
			stage.gained += stage.row >= RT_PATH_RUN_AFTER;
			table[rt_path_place(context)] = words[i];
			context = rt_path_context(context, words[i]);
		}
		if (!--stage.left)
			stage = rt_path_stage_next(stage);
	}
	return count;
}

/* Foretold words are left out by cycles: bits, words and what comes behind them are as if each had been read. */
static void foretold_words_are_left_out(void **state)
{
	(void)state;
	enum { MOST = 1500 };
	static uint64_t words[MOST], slots[MOST];
	for (int i = 0; i < 300; i++) {
		unsigned n = 1 + pick(pick(4) ? 6 : 64);
		uint64_t pattern = ((uint64_t)pick(UINT32_MAX) << 32 | pick(UINT32_MAX)) & (UINT64_MAX >> (64 - n));
		size_t nwords = 1 + pick(MOST - 1);
		uint32_t at = 0, broken = pick(MOST * 70);
		for (size_t w = 0; w < nwords; w++) {
			words[w] = 1ull << RT_PATH_WORD;
			for (unsigned k = 0; k < RT_PATH_WORD; k++, at++)
				words[w] |= ((pattern >> (n - 1 - at % n) & 1) ^ (at == broken)) << k;
		}
		struct path_reader r, by_bits;
		path_reader_init(&r, slots, encode(words, nwords, slots));
		by_bits = r;
		uint64_t most = pick(3) ? UINT64_MAX : pick(4000), expected = repeats_bit_by_bit(r, pattern, n, most);
		assert_int_equal(path_reader_repeats(&r, pattern, n, most), expected);
		for (int round = 0; round < 3; round++) {
			uint64_t bits = pick(MOST * 30);
			path_reader_skip(&r, bits);
			for (uint64_t k = 0; k < bits; k++)
				path_reader_bits(&by_bits, 1);
			assert_int_equal(path_reader_done(&r), path_reader_done(&by_bits));
			assert_int_equal(r.words, by_bits.words);
			assert_memory_equal(&r.stage, &by_bits.stage, sizeof r.stage);
			assert_int_equal(path_reader_peek(&r, 31), path_reader_peek(&by_bits, 31));
		}
	}
}

/* A second of busy waiting is billions of rounds. */
static void busy_waiting_is_left_out_quickly(void **state)
{
	(void)state;
	enum { RUNS = 200000 };
	static uint64_t slots[2 * RUNS + 8];
	size_t n = 0;
	for (unsigned k = 0; k < RUNS; k++) {
		slots[n++] = UINT64_MAX;
		if (k > 8)
			slots[n++] = RT_PATH_RUN + RT_PATH_TRIAL - 8;
	}
	struct path_reader r;
	path_reader_init(&r, slots, n);
	uint64_t all = (uint64_t)RUNS * RT_PATH_WORD + (uint64_t)(RUNS - 9) * (RT_PATH_TRIAL - 8) * RT_PATH_WORD;
	clock_t begin = clock();
	assert_int_equal(path_reader_repeats(&r, 1, 1, UINT64_MAX), all);
	path_reader_skip(&r, all);
	assert_true(path_reader_at_end(&r));
	assert_true(clock() - begin < CLOCKS_PER_SEC / 2); /* word by word: five times as long */
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
		cmocka_unit_test(foretold_words_are_left_out),
		cmocka_unit_test(busy_waiting_is_left_out_quickly),
		cmocka_unit_test(peeking_looks_ahead),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
