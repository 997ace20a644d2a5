/*
 * Prints a trace through the reader, one line per fact:
 *     flags 4 scheme 3 threads 2 dropped 0
 *     margin 10000
 *     failure assert 6 1:1 frames 5 p.c:3: f: x
 *     thread 1 bits 3 done 4 ended 0 waits 0
 *     path 1 101                                       (up to 200 bits)
 *     sum 1 af63bc4c8601b62c                           (FNV-1a of all bits, one after the other)
 *     sync 1 op 1 object 2 order 1 result 0            (t1, t2 for threads 1, 2)
 *     inputs 1 7 af63bc4c8601b62c cbf29ce484222325 4   (how many, FNV-1a of results and pieces, the same without the last, how many have a time)
 *     values 1 7 af63bc4c8601b62c                      (recorded values, if there are any: how many, FNV-1a of all)
 *     times 1 3 in order, the last 16 words apart      (time stamps, if there are any)
 */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"none",     "assert",  "signal",   "exit",
				    "deadlock", "timeout", "predicate"};

static void dump_sum(const struct trace_thread *t)
{
	struct path_reader r;
	uint64_t sum = 14695981039346656037u;
	int64_t bit;

	path_reader_init(&r, t->path, t->npath);
	while ((bit = path_reader_bits(&r, 1)) >= 0)
		sum = (sum ^ (uint64_t)bit) * 1099511628211u;
	printf("sum %s %016llx\n", t->name, (unsigned long long)sum);
}

static uint64_t add_bytes(uint64_t sum, const uint8_t *bytes, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sum = (sum ^ bytes[i]) * 1099511628211u;
	return sum;
}

static void dump_inputs(const struct trace_thread *t)
{
	uint64_t sum = 14695981039346656037u, before = sum, size, time;
	unsigned timed = 0;

	for (size_t i = 0; i < t->ninputs; i++) {
		const uint8_t result = (uint8_t)t->inputs[i]->result;

		before = sum;
		sum = add_bytes(sum, &result, 1);
		for (const uint8_t *at = NULL; (at = trace_input_piece(t->inputs[i], at, &size));)
			sum = add_bytes(sum, at, size);
		timed += trace_input_time(t->inputs[i], &time) != TRACE_INPUT_TIMELESS;
	}
	if (t->ninputs)
		printf("inputs %s %zu %016llx %016llx %u\n", t->name, t->ninputs, (unsigned long long)sum, (unsigned long long)before, timed);
}

static void dump_values(const struct trace_thread *t)
{
	uint64_t sum = 14695981039346656037u;

	for (uint64_t i = 0; i < t->values.n; i++)
		sum = (sum ^ trace_values_at(&t->values, i)) * 1099511628211u;
	if (t->values.n)
		printf("values %s %llu %016llx\n", t->name, (unsigned long long)t->values.n, (unsigned long long)sum);
}

static void dump_thread(const struct trace_thread *t)
{
	struct path_reader r;
	int64_t bit;

	printf("thread %s bits %llu done %llu ended %u waits %u\n", t->name,
	       (unsigned long long)t->nbits, (unsigned long long)t->info.sync_done, t->info.ended,
	       t->info.waits_for);
	printf("path %s ", t->name);
	path_reader_init(&r, t->path, t->npath);
	for (int i = 0; i < 200 && (bit = path_reader_bits(&r, 1)) >= 0; i++)
		putchar('0' + (int)bit);
	putchar('\n');
	dump_sum(t);
	dump_inputs(t);
	dump_values(t);
	bool ordered = true;
	for (size_t i = 0; i < t->ntimes; i++)
		ordered &= t->times[i].time >= (i ? t->times[i - 1].time : t->info.start_time);
	if (t->ntimes)
		printf("times %s %zu %s, the last %llu bits apart\n", t->name, t->ntimes, ordered ? "in order" : "out of order",
		       (unsigned long long)(t->times[t->ntimes - 1].bits - (t->ntimes > 1 ? t->times[t->ntimes - 2].bits : 0)));
	for (size_t i = 0; i < t->nsync; i++) {
		const struct rt_sync *s = &t->sync[i];

		printf("sync %s op %llu object %s%u order %lld result %u\n", t->name,
		       (unsigned long long)s->op, s->object & RT_OBJECT_THREAD ? "t" : "",
		       s->object & ~RT_OBJECT_THREAD, (long long)s->order, s->result);
	}
}

int main(int argc, char **argv)
{
	struct error err;
	struct trace *t = trace_open(argc > 1 ? argv[1] : ".", &err);

	if (!t) {
		printf("error %s\n", err.text);
		return 4;
	}
	printf("flags %u scheme %u threads %u dropped %u\n", t->header.flags, t->header.scheme,
	       t->nthreads, t->header.dropped);
	printf("failure %s %d %s frames %u %s\n", kinds[t->failure.kind], t->failure.signal,
	       t->failure.thread < t->nthreads ? t->threads[t->failure.thread].name : "?",
	       t->failure.nframes, t->failure.message);
	printf("margin %llu\n", (unsigned long long)t->header.time_margin);
	for (uint32_t i = 0; i < t->nthreads; i++)
		dump_thread(&t->threads[i]);
	trace_free(t);
	return 0;
}
