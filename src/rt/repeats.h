/*
 * Values that repeat themselves become counts (trace.h, above RT_VALUE_TRAY). A thread that polls reads a few values again and again; so does one that
 * works in a loop, with others in between. What is looked for is where the values at hand, two of them, were last, at most RT_VALUE_BACK values ago.
 */
#ifndef RETHREAD_RT_REPEATS_H
#define RETHREAD_RT_REPEATS_H

#include <rethread/trace.h>

#include <string.h>

enum {
	RT_REPEATS_SHORTEST = 8,  /* an entry takes two words */
	RT_REPEATS_PATIENCE = 64, /* after so many values in vain, not all are looked at */
	RT_REPEATS_BITS = 9,
	RT_REPEATS_MOST = RT_VALUE_TRAY + 2, /* words that a tray can become */
};

struct rt_repeats {
	uint64_t n;    /* values so far */
	uint32_t back; /* of the count that goes on; 0: none does */
	uint32_t last[1u << RT_REPEATS_BITS]; /* number of the value at which two such values were last */
	uint32_t values[RT_VALUE_BACK + RT_VALUE_TRAY]; /* the last ones, those at hand behind them */
	uint32_t words[RT_REPEATS_MOST]; /* what they become: not on the stack, which may be a coroutine's */
};

static inline uint32_t *rt_repeats_place(struct rt_repeats *r, const uint32_t *at)
{
	uint64_t two;

	memcpy(&two, at, sizeof two);
	return &r->last[two * 0x9e3779b97f4a7c15u >> (64 - RT_REPEATS_BITS)];
}

/* How many of them are the same as those before. */
static inline uint32_t rt_repeats_same(const uint32_t *at, uint32_t back, uint32_t n)
{
	uint64_t two, before;
	uint32_t i = 0;

	for (; i + 2 <= n; i += 2) {
		memcpy(&two, at + i, sizeof two);
		memcpy(&before, at + i - back, sizeof before);
		if (two != before)
			break;
	}
	while (i < n && at[i] == at[(int64_t)i - back])
		i++;
	return i;
}

/* A count ends before value i of those at hand. The last round of it may come again. */
static inline void rt_repeats_learn(struct rt_repeats *r, const uint32_t *at, uint32_t i, uint32_t round)
{
	for (uint32_t k = round; k; k--)
		*rt_repeats_place(r, at + i - k) = (uint32_t)r->n + i - k;
}

/*
 * The tray's values go on with the last count for *more values, then come the entries in r->words: how many words. When r->back is not 0 afterwards, the last
 * word is a count that may go on; or, where there is none, *more belongs to it.
 */
static inline uint32_t rt_repeats_pack(struct rt_repeats *r, const uint32_t *tray, uint32_t n, uint32_t *more)
{
	uint32_t *at = r->values + RT_VALUE_BACK, *to = r->words, i = 0, from, vain = 0;

	memcpy(at, tray, n * sizeof *at);
	if (r->back) {
		i = rt_repeats_same(at, r->back, n);
		if (i < n) {
			rt_repeats_learn(r, at, i, r->back);
			r->back = 0;
		}
	}
	*more = from = i;
	while (i + RT_REPEATS_SHORTEST <= n) {
		uint32_t *place = rt_repeats_place(r, at + i), back = (uint32_t)r->n + i - *place, same;

		*place = (uint32_t)r->n + i;
		if (back - 1 >= RT_VALUE_BACK || back > r->n + i || (same = rt_repeats_same(at + i, back, n - i)) < RT_REPEATS_SHORTEST) {
			i += 1 + vain++ / RT_REPEATS_PATIENCE;
			continue;
		}
		*to++ = RT_VALUE_HEAD(i - from, back);
		memcpy(to, at + from, (i - from) * sizeof *to);
		to += i - from;
		*to++ = same;
		from = i += same;
		vain = 0;
		if (i < n)
			rt_repeats_learn(r, at, i, back < same ? back : same);
		else
			r->back = back;
	}
	if (from < n) {
		*to++ = RT_VALUE_HEAD(n - from, 0);
		memcpy(to, at + from, (n - from) * sizeof *to);
		to += n - from;
	}
	memmove(r->values, r->values + n, RT_VALUE_BACK * sizeof *at);
	r->n += n;
	return (uint32_t)(to - r->words);
}

#endif
