/* Recorded values, from the recorder's trays to the reader: what repeats itself is counted, and comes out as it went in. */
#include "rt/repeats.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What a thread's stream would hold after its trays, as src/rt/values.c writes it; values are complements there. */
struct stream {
	struct rt_repeats repeats;
	vec(uint32_t) words;
	vec(uint64_t) complete; /* after each tray: values */
	vec(uint32_t) values;
	size_t run; /* place of the count that goes on */
};

static void tray(struct stream *s, const uint32_t *values, uint32_t n)
{
	uint32_t complements[RT_VALUE_TRAY], more;
	for (uint32_t i = 0; i < n; i++) {
		complements[i] = ~values[i];
		*vec_push(&s->values) = values[i];
	}
	uint32_t nwords = rt_repeats_pack(&s->repeats, complements, n, &more);
	assert_true(nwords <= RT_REPEATS_MOST);
	if (more)
		s->words.at[s->run] += more;
	for (uint32_t i = 0; i < nwords; i++)
		*vec_push(&s->words) = s->repeats.words[i];
	if (nwords)
		s->run = s->words.n - 1;
	*vec_push(&s->complete) = s->repeats.n;
}

static void stream_free(struct stream *s)
{
	vec_free(&s->words);
	vec_free(&s->complete);
	vec_free(&s->values);
}

static void is_read_back(const struct stream *s, size_t nwords, uint64_t complete, uint64_t expected)
{
	struct trace_values v = { 0 };
	size_t used;
	assert_true(trace_values_decode(&v, s->words.at, nwords, complete, &used));
	assert_true(v.n <= expected && (nwords < s->words.n || v.n == expected));
	for (uint64_t i = 0; i < v.n; i++)
		assert_int_equal(trace_values_at(&v, i), s->values.at[i]);
	trace_values_free(&v);
}

static uint64_t naive_repeat(const struct stream *s, uint64_t from, uint64_t back, uint64_t most)
{
	uint64_t n = 0;
	while (n < most && from + n < s->values.n && s->values.at[from + n] == s->values.at[from + n - back])
		n++;
	return n;
}

static unsigned pick(unsigned n)
{
	return (unsigned)rand() % n;
}

/* Values of a thread that polls, now and then finds something, and works. */
static void make(uint32_t *values, uint32_t n, uint32_t *round, unsigned *period)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!pick(300))
			*period = 1 + pick(pick(2) ? 6 : 300);
		if (!pick(150))
			round[pick(*period)] = pick(2) ? 0 : (uint32_t)rand();
		values[i] = *period > 290 ? (uint32_t)rand() : round[i % *period];
	}
}

static void streams_come_back(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 200; seed++) {
		struct stream s = { .repeats = { .n = 0 } };
		uint32_t values[RT_VALUE_TRAY], round[300] = { 0 };
		unsigned period = 2;
		srand(seed);
		for (unsigned i = 0; i < 20; i++) {
			uint32_t n = pick(4) ? RT_VALUE_TRAY : 1 + pick(RT_VALUE_TRAY);
			make(values, n, round, &period);
			tray(&s, values, n);
		}
		struct trace_values v = { 0 };
		size_t used;
		assert_true(trace_values_decode(&v, s.words.at, s.words.n, s.repeats.n, &used));
		assert_int_equal(used, s.words.n);
		for (unsigned i = 0; i < 200; i++) {
			uint64_t back = 1 + pick(pick(2) ? 8 : 600), from = back + pick((unsigned)(v.n - back)), most = pick(2) ? UINT64_MAX : pick(2000);
			assert_int_equal(trace_values_repeat(&v, from, back, most), naive_repeat(&s, from, back, most));
		}
		trace_values_free(&v);
		/* However many of them the thread record says are complete, and wherever the file ends. */
		for (size_t i = 0; i < s.complete.n; i++)
			is_read_back(&s, s.words.n, s.complete.at[i], s.complete.at[i]);
		for (unsigned i = 0; i < 50; i++)
			is_read_back(&s, pick((unsigned)s.words.n + 1), s.repeats.n, s.repeats.n);
		stream_free(&s);
	}
}

/* A billion values are a few words, there as here. */
static void polling_takes_no_room(void **state)
{
	(void)state;
	enum { LAP = 5, LAPS = 1000000 };
	struct stream s = { .repeats = { .n = 0 } };
	struct trace_values v = { 0 };
	uint32_t values[RT_VALUE_TRAY];
	size_t used;
	for (uint32_t i = 0; i < RT_VALUE_TRAY; i++)
		values[i] = i % LAP;
	tray(&s, values, RT_VALUE_TRAY - RT_VALUE_TRAY % LAP);
	assert_true(s.words.n < 2 * LAP);
	for (unsigned i = 0; i < LAPS / 100; i++) {
		tray(&s, values, RT_VALUE_TRAY - RT_VALUE_TRAY % LAP);
		s.values.n = 0;
	}
	assert_true(s.words.n < 2 * LAP);
	s.words.at[s.run] = UINT32_MAX;
	assert_true(trace_values_decode(&v, s.words.at, s.words.n, UINT64_MAX, &used));
	assert_true(v.n > UINT32_MAX && v.at.n < 3 * LAP);
	assert_int_equal(trace_values_at(&v, 4000000003), 3);
	assert_int_equal(trace_values_repeat(&v, 2 * LAP, 2 * LAP, UINT64_MAX), v.n - 2 * LAP);
	assert_int_equal(trace_values_repeat(&v, 4000000000, 3, UINT64_MAX), 0);
	trace_values_free(&v);
	stream_free(&s);
}

static void damage_is_seen(void **state)
{
	(void)state;
	struct trace_values v = { 0 };
	size_t used;
	/* Before the first value; and further back than any. */
	assert_false(trace_values_decode(&v, (uint32_t[]){ RT_VALUE_HEAD(1, 2), 7, 9 }, 3, 10, &used));
	assert_false(trace_values_decode(&v, (uint32_t[]){ RT_VALUE_HEAD(2, RT_VALUE_BACK + 1), 7, 8, 9 }, 4, 10, &used));
	/* A count of none is one that was not written. */
	assert_true(trace_values_decode(&v, (uint32_t[]){ RT_VALUE_HEAD(2, 1), ~7u, ~8u, 0 }, 4, 10, &used));
	assert_int_equal(v.n, 2);
	trace_values_free(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_come_back),
		cmocka_unit_test(polling_takes_no_room),
		cmocka_unit_test(damage_is_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
