#include "search/sketch.h"

#include <rethread/search.h>
#include <string.h>

typedef vec(char) bytes;

/* Returns where they are. */
static uint64_t add(bytes *b, const void *data, size_t size)
{
	uint64_t at = b->n;
	for (size_t i = 0; i < size; i++)
		*vec_push(b) = ((const char *)data)[i];
	return at;
}

/* A path as plain bits. */
struct plain {
	vec(uint64_t) words; /* 64 bits each, the first one highest */
	uint64_t nbits;
};

static void add_bits(struct plain *p, uint64_t bits, unsigned n)
{
	unsigned used = p->nbits % 64;
	if (!used)
		*vec_push(&p->words) = 0;
	bits <<= 64 - n;
	p->words.at[p->words.n - 1] |= bits >> used;
	if (used + n > 64)
		*vec_push(&p->words) = bits << (64 - used);
	p->nbits += n;
}

static void decode(struct plain *p, const struct trace_thread *t)
{
	struct path_reader *r = xmalloc(sizeof *r);
	path_reader_init(r, t->path, t->npath);
	for (int64_t first; (first = path_reader_bits(r, 1)) >= 0;) {
		add_bits(p, (uint64_t)first, 1);
		unsigned rest = r->left;
		if (rest)
			add_bits(p, r->word & ((1ull << rest) - 1), rest);
		r->left = 0;
	}
	*vec_push(&p->words) = 0;
	free(r);
}

static void add_thread(bytes *b, size_t place, const struct trace_thread *t)
{
	struct rt_sketch_thread to = { .start_time = t->info.start_time, .end_time = t->info.ended ? t->info.end_time : 0,
				       .sync_done = t->info.sync_done, .ended = t->info.ended };
	snprintf(to.name, sizeof to.name, "%s", t->name);
	struct plain p = {0};
	decode(&p, t);
	to.path = add(b, p.words.at, p.words.n * sizeof *p.words.at);
	to.nbits = p.nbits;
	to.sync = add(b, t->sync, t->nsync * sizeof *t->sync);
	to.nsync = t->nsync;
	to.times = add(b, t->times, t->ntimes * sizeof *t->times);
	to.ntimes = t->ntimes;
	memcpy(b->at + place, &to, sizeof to);
	vec_free(&p.words);
}

static uint32_t flags_of(const struct trace *t, bool use_time)
{
	uint32_t scheme = t->header.scheme, flags = 0;
	if (scheme == RT_SCHEME_PATH || scheme == RT_SCHEME_PATH_SYNC)
		flags |= RT_SKETCH_PATH;
	if (scheme == RT_SCHEME_PATH_SYNC)
		flags |= RT_SKETCH_SYNC;
	if (use_time && t->header.time_margin && flags)
		flags |= RT_SKETCH_TIME;
	if (!trace_ends_early(t) && !t->header.dropped)
		flags |= RT_SKETCH_WHOLE;
	if (t->failure.kind == RT_FAIL_DEADLOCK || t->failure.kind == RT_FAIL_TIMEOUT)
		flags |= RT_SKETCH_HANGS;
	return flags;
}

bool sketch_write(const struct trace *t, bool use_time, const char *path, struct error *err)
{
	bytes b = {0};
	bool fails = t->failure.kind == RT_FAIL_ASSERT || t->failure.kind == RT_FAIL_SIGNAL;
	struct rt_sketch head = { .magic = RT_SKETCH_MAGIC, .flags = flags_of(t, use_time), .nthreads = t->nthreads,
				  .failing = fails ? t->failure.thread : UINT32_MAX };
	add(&b, &head, sizeof head);
	size_t places = b.n;
	struct rt_sketch_thread empty = {0};
	for (uint32_t i = 0; i < t->nthreads; i++)
		add(&b, &empty, sizeof empty);
	for (uint32_t i = 0; i < t->nthreads; i++)
		add_thread(&b, places + i * sizeof empty, &t->threads[i]);
	bool ok = write_file(path, b.at, b.n, err);
	vec_free(&b);
	return ok;
}
