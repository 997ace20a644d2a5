#include "trace/log_file.h"

#include <stdlib.h>
#include <string.h>

bool log_damaged(const struct log *l, struct error *err, const char *what, uint64_t where)
{
	return fail(err, "%s is damaged: %s (at %llu)", l->path, what, (unsigned long long)where);
}

static bool check_failure(const struct log *l, struct rt_failure *f, struct error *err)
{
	if (f->state > 2 || f->kind > RT_FAIL_PREDICATE || f->nframes > RT_FRAMES)
		return log_damaged(l, err, "impossible failure",
			       offsetof(struct rt_log_header, failure));
	f->message[RT_MESSAGE_SIZE - 1] = 0;
	return true;
}

bool log_header(const struct log *l, struct rt_log_header *h, struct error *err)
{
	if (l->size < RT_PAGE)
		return fail(err, "%s is damaged: %zu bytes are less than its header", l->path,
			    l->size);
	memcpy(h, l->data, sizeof *h);
	if (h->magic != RT_LOG_MAGIC)
		return fail(err, "%s is not a log of rethread", l->path);
	if (h->version != RT_TRACE_VERSION)
		return fail(err,
			    "%s has format version %u, this rethread reads version %u: use the "
			    "rethread that "
			    "recorded it",
			    l->path, h->version, RT_TRACE_VERSION);
	if (h->abi != RT_ABI)
		return fail(err,
			    "%s was recorded by a program with instrumentation %u, this rethread "
			    "has %u: use "
			    "the rethread that built the program",
			    l->path, h->abi, RT_ABI);
	if (h->scheme == RT_SCHEME_OFF || h->scheme > RT_SCHEME_RW_LEAP)
		return log_damaged(l, err, "unknown scheme", h->scheme);
	return check_failure(l, &h->failure, err);
}

bool is_same_stream(const struct piece *a, const struct piece *b)
{
	return a->thread == b->thread && a->stream == b->stream;
}

/* Nothing but zeros: space that was reserved when the process died. */
static bool is_unwritten(const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (data[i])
			return false;
	return true;
}

/* Is the last piece the copy of a window that was not done when the process died? Then the window itself is there. */
static bool is_unfinished_copy(const struct log *l)
{
	const struct piece *last = l->pieces.n ? &l->pieces.at[l->pieces.n - 1] : NULL;
	for (size_t i = 0; last && i < l->pieces.n - 1; i++) {
		const struct piece *p = &l->pieces.at[i];
		if (p->window && is_same_stream(p, last) && p->seq == last->seq)
			return true;
	}
	return false;
}

bool log_pieces(struct log *l, struct error *err)
{
	size_t at = RT_PAGE;

	l->reach = at;
	while (l->size - at >= sizeof(struct rt_chunk)) {
		struct rt_chunk c;
		size_t there;

		memcpy(&c, l->data + at, sizeof c);
		if (!c.magic && is_unwritten(l->data + at, l->size - at)) {
			l->cut = true;
			break;
		}
		if (c.magic != RT_CHUNK_MAGIC)
			return log_damaged(l, err, "no chunk where one should be", at);
		if (c.size <= sizeof c || c.size % sizeof c)
			return log_damaged(l, err, "impossible size of a chunk", at);
		if (c.stream < RT_STREAM_THREAD || c.stream > RT_STREAM_LAST)
			return log_damaged(l, err, "unknown stream", at);
		there = l->size - at < c.size ? l->size - at : c.size;
		if (!(c.seq & RT_CHUNK_COPIED) && c.stream != RT_STREAM_SPARE)
			*vec_push(&l->pieces) = (struct piece){c.thread, c.stream, c.seq, c.window == 1, there < c.size,
							       l->data + at + sizeof c, there - sizeof c};
		l->reach = at + c.size;
		at += there;
	}
	if (l->size < l->reach && !is_unfinished_copy(l))
		l->reach = l->size;
	return true;
}

static int compare_pieces(const void *pa, const void *pb)
{
	const struct piece *a = pa, *b = pb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->seq != b->seq)
		return a->seq < b->seq ? -1 : 1;
	return b->window - a->window;
}

/*
 * Leave out the copies of windows that were not done when the process died, and windows whose earlier contents a file
 * that was cut off does not have. The pieces are sorted.
 */
static void settle_windows(struct log *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->pieces.n; i++) {
		const struct piece *p = &l->pieces.at[i], *last = n ? &l->pieces.at[n - 1] : NULL;
		bool follows = last && is_same_stream(last, p);

		if (follows && last->window && last->seq == p->seq)
			continue;
		if (follows && p->window && (last->seq + 1 != p->seq || last->cut) && l->cut)
			continue;
		l->pieces.at[n++] = *p;
	}
	l->pieces.n = n;
}

void log_sort(struct log *l)
{
	if (l->pieces.n)
		qsort(l->pieces.at, l->pieces.n, sizeof *l->pieces.at, compare_pieces);
	settle_windows(l);
}
