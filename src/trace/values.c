/* Recorded values: see trace.h. What repeats itself is kept once, however often it comes. */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* The run with value i. */
static const struct values_run *run_of(const struct trace_values *v, uint64_t i)
{
	size_t low = 0, high = v->runs.n;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (v->runs.at[middle].first <= i)
			low = middle;
		else
			high = middle;
	}
	return &v->runs.at[low];
}

static uint64_t end_of(const struct trace_values *v, const struct values_run *r)
{
	return r + 1 < v->runs.at + v->runs.n ? r[1].first : v->n;
}

static uint32_t value_in(const struct trace_values *v, const struct values_run *r, uint64_t i)
{
	return v->at.at[r->at + (r->period ? (i - r->first) % r->period : i - r->first)];
}

uint32_t trace_values_at(const struct trace_values *v, uint64_t i)
{
	return value_in(v, run_of(v, i), i);
}

uint64_t trace_values_repeat(const struct trace_values *v, uint64_t from, uint64_t back, uint64_t most)
{
	uint64_t i = from, end = from >= v->n ? from : most < v->n - from ? from + most : v->n;

	while (i < end) {
		const struct values_run *r = run_of(v, i);
		uint64_t stop = end_of(v, r), settled = 0;

		/* In a run, once as many are the same as come round in it, the others are. */
		for (; i < stop && i < end && !(r->period && settled >= r->period); i++) {
			if (value_in(v, r, i) != trace_values_at(v, i - back))
				return i - from;
			settled = r->first + back <= i + r->period ? settled + 1 : 0;
		}
		i = i < stop ? stop : i;
	}
	return (i < end ? i : end) - from;
}

static void add(struct trace_values *v, const uint32_t *values, uint64_t n)
{
	const struct values_run *last = v->runs.n ? &v->runs.at[v->runs.n - 1] : NULL;

	if (!n)
		return;
	if (!last || last->period)
		*vec_push(&v->runs) = (struct values_run){v->n, v->at.n, 0};
	for (uint64_t i = 0; i < n; i++)
		*vec_push(&v->at) = values[i];
	v->n += n;
}

static void repeat(struct trace_values *v, uint32_t back, uint64_t n)
{
	uint32_t round[RT_VALUE_BACK];

	if (v->runs.n && v->runs.at[v->runs.n - 1].period == back) {
		v->n += n;
		return;
	}
	for (uint32_t i = 0; i < back; i++)
		round[i] = trace_values_at(v, v->n - back + i);
	if (n <= back) {
		add(v, round, n);
		return;
	}
	*vec_push(&v->runs) = (struct values_run){v->n, v->at.n, back};
	for (uint32_t i = 0; i < back; i++)
		*vec_push(&v->at) = round[i];
	v->n += n;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* One entry, of which no more than so many values count: the words that it takes; 0: it is not all there. */
static size_t decode_entry(struct trace_values *v, const uint32_t *words, size_t n, uint64_t most)
{
	uint64_t fresh = RT_VALUE_NEW(*words), count = least(least(fresh, most), n - 1);
	uint32_t back = RT_VALUE_BACK_OF(*words), values[RT_VALUE_TRAY];

	for (uint64_t done = 0; done < count;) {
		uint64_t k = least(count - done, RT_VALUE_TRAY);

		for (uint64_t i = 0; i < k; i++)
			values[i] = ~words[1 + done + i];
		add(v, values, k);
		done += k;
	}
	if (fresh >= most)
		return count == most ? 1 + fresh : 0;
	if (count < fresh || !back)
		return count < fresh ? 0 : 1 + fresh;
	if (2 + fresh > n || !words[1 + fresh])
		return 0;
	repeat(v, back, least(words[1 + fresh], most - fresh));
	return 2 + fresh;
}

bool trace_values_decode(struct trace_values *v, const uint32_t *words, size_t n, uint64_t complete, size_t *used)
{
	size_t i = 0;

	for (size_t k; v->n < complete && i < n && words[i]; i += k) {
		uint32_t fresh = RT_VALUE_NEW(words[i]), back = RT_VALUE_BACK_OF(words[i]);

		if (back > RT_VALUE_BACK || back > v->n + fresh)
			return false;
		k = decode_entry(v, words + i, n - i, complete - v->n);
		if (!k)
			break;
	}
	*used = i;
	return true;
}

void trace_values_add(struct trace_values *v, const uint32_t *tray, size_t n)
{
	while (n && !tray[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		add(v, (uint32_t[]){~tray[i]}, 1);
}

void trace_values_free(struct trace_values *v)
{
	vec_free(&v->at);
	vec_free(&v->runs);
}
