/* A thread's streams: every entry is checked here, so that whoever uses a trace need not. */
#include "trace/log_file.h"

#include <rethread/sync.h>

#include <stdlib.h>
#include <string.h>

/* A stream's payload in one piece. Every chunk but the last is full, so there is no gap to skip. */
static char *join_pieces(const struct piece *p, size_t n, size_t *size)
{
	char *all;

	*size = 0;
	for (size_t i = 0; i < n; i++)
		*size += p[i].size;
	all = xmalloc(*size ? *size : 1);
	*size = 0;
	for (size_t i = 0; i < n; i++) {
		memcpy(all + *size, p[i].payload, p[i].size);
		*size += p[i].size;
	}
	return all;
}

static bool read_thread(struct log *l, struct trace_thread *t, uint32_t number,
			const struct piece *p, size_t n, struct error *err)
{
	/*
	 * Cut off inside the record, or not written when the process died in the middle of creating the thread:
	 * as if it had not been created yet.
	 */
	if (n != 1)
		return log_damaged(l, err, "thread record in several chunks", number);
	if (p->size < sizeof t->info) {
		memset(&t->info, 0, sizeof t->info);
		memcpy(&t->info, p->payload, p->size);
		l->cut = true;
	} else {
		memcpy(&t->info, p->payload, sizeof t->info);
	}
	static const struct rt_thread unwritten;
	if (t->info.number != number && p->size >= sizeof t->info &&
	    memcmp(&t->info, &unwritten, sizeof unwritten))
		return log_damaged(l, err, "thread record with another number", number);
	t->info.number = number;
	return true;
}

static bool read_path(struct log *l, struct trace_thread *t, const struct piece *p, size_t n,
		      struct error *err)
{
	uint64_t complete = RT_PATH_STATE_WORDS(t->info.path_state), words = complete;
	size_t size, before_last = 0;

	for (size_t i = 0; i + 1 < n; i++)
		before_last += p[i].size / sizeof *t->path;
	t->path = (uint64_t *)join_pieces(p, n, &size);
	if (!path_measure(t->path, size / sizeof *t->path, &words, &t->npath, &t->nbits))
		return log_damaged(l, err, "impossible run in a path", t->info.number);
	if (words < complete) {
		if (t->npath < before_last)
			return log_damaged(l, err, "hole in a path", t->info.number);
		t->info.path_state = 0; /* cut off: what is in the tray does not come next */
	}
	return true;
}

/* What the tray has comes after the path's words, as if it had been packed. */
static bool read_tray(struct log *l, struct trace_thread *t, const struct piece *p, struct error *err)
{
	uint64_t left, from = RT_PATH_STATE_PACKED(t->info.path_state);
	const uint8_t *bytes = (const uint8_t *)p->payload;
	size_t n = 0, most = p->size < RT_TRAY + RT_TRAY_SPARE ? p->size : RT_TRAY + RT_TRAY_SPARE;

	if (RT_PATH_STATE_IS_LEFT(t->info.path_state, &left)) {
		from = 0;
		most = left < most ? left : most;
	}
	if (from >= most)
		return true;
	bytes += from;
	for (size_t i = 0; i < most - from && i - n <= RT_SILENT_MOST; i++) {
		if (bytes[i] == RT_TRAY_NONE)
			continue;
		if (bytes[i] > 1)
			return log_damaged(l, err, "impossible branch in a path", t->info.number);
		n = i + 1;
	}
	t->path = xrealloc(t->path, (t->npath + PATH_TRAY_WORDS) * sizeof *t->path);
	t->npath += path_pack(bytes, n, t->path + t->npath);
	t->nbits += n;
	return true;
}

/* Entry e follows what is there already; object 0: a call that failed, or a time only. */
static bool is_sync_possible(const struct trace_thread *t, const struct rt_sync *e)
{
	uint64_t last = t->nsync ? t->sync[t->nsync - 1].op : 0;

	return e->op > last && e->order && (e->object || e->result || e->time);
}

/* The entries of one chunk. */
static bool read_sync_chunk(struct log *l, struct trace_thread *t, size_t *cap, const struct piece *p, bool is_last)
{
	const uint8_t *at = (const uint8_t *)p->payload, *end = at + p->size;
	struct rt_sync_state state = {0};

	while (at < end && *at) {
		struct rt_sync e;
		uint32_t size = rt_sync_unpack(&state, &e, l->timed, at, end);

		if (!size && is_last && (size_t)(end - at) < RT_SYNC_ROOM)
			return true; /* cut off */
		if (!size || !is_sync_possible(t, &e))
			return false;
		if (t->nsync == *cap)
			t->sync = xrealloc(t->sync, (*cap = *cap ? *cap * 2 : 64) * sizeof *t->sync);
		t->sync[t->nsync++] = e;
		t->sync_bytes += size;
		at += size;
	}
	return is_last || (size_t)(end - at) < RT_SYNC_ROOM;
}

static bool read_sync(struct log *l, struct trace_thread *t, const struct piece *p, size_t n,
		      struct error *err)
{
	size_t cap = 0;

	for (size_t i = 0; i < n; i++)
		if (!read_sync_chunk(l, t, &cap, &p[i], i + 1 == n))
			return log_damaged(l, err, "impossible order of synchronization", t->info.number);
	/* Death may come between an entry and the count. */
	if (t->nsync && t->info.sync_done < t->sync[t->nsync - 1].op)
		t->info.sync_done = t->sync[t->nsync - 1].op;
	return true;
}

static bool read_inputs(struct log *l, struct trace_thread *t, const struct piece *p, size_t n,
			struct error *err)
{
	size_t size, before_last = 0;

	for (size_t i = 0; i + 1 < n; i++)
		before_last += p[i].size;
	t->input_bytes = join_pieces(p, n, &size);
	if (!trace_inputs_index(t, size, before_last))
		return log_damaged(l, err, "impossible record of an input", t->info.number);
	return true;
}

static bool read_times(struct log *l, struct trace_thread *t, const struct piece *p, size_t n,
		       struct error *err)
{
	size_t size, before_last = 0;

	for (size_t i = 0; i + 1 < n; i++)
		before_last += p[i].size / sizeof *t->times;
	t->times = (struct rt_time *)join_pieces(p, n, &size);
	size /= sizeof *t->times;
	for (; t->ntimes < size && t->times[t->ntimes].bits; t->ntimes++)
		if (t->ntimes && t->times[t->ntimes].bits <= t->times[t->ntimes - 1].bits)
			return log_damaged(l, err, "time stamps out of order", t->info.number);
	if (t->ntimes < before_last)
		return log_damaged(l, err, "hole in the time stamps", t->info.number);
	return true;
}

static bool read_values(struct log *l, struct trace_thread *t, const struct piece *p, size_t n, struct error *err)
{
	uint64_t complete = RT_PATH_STATE_WORDS(t->info.value_state);
	size_t size, used, before_last = 0;
	char *words = join_pieces(p, n, &size);
	bool sound = trace_values_decode(&t->values, (const uint32_t *)words, size / sizeof(uint32_t), complete, &used);

	free(words);
	for (size_t i = 0; i + 1 < n; i++)
		before_last += p[i].size / sizeof(uint32_t);
	if (!sound)
		return log_damaged(l, err, "impossible repetition of values", t->info.number);
	if (t->values.n == complete)
		return true;
	if (used + RT_VALUE_TRAY + 2 < before_last) /* more than an entry */
		return log_damaged(l, err, "hole in the values", t->info.number);
	t->info.value_state = 0; /* cut off: what is in the tray does not come next */
	return true;
}

/* What the tray has comes after the stream's. Its chunk may be there where that of the stream is not. */
static bool read_value_tray(struct trace_thread *t, const struct piece *p)
{
	uint64_t from = RT_PATH_STATE_PACKED(t->info.value_state), n = p->size / sizeof(uint32_t);

	n = n < RT_VALUE_TRAY ? n : RT_VALUE_TRAY;
	if (from < n && t->values.n == RT_PATH_STATE_WORDS(t->info.value_state))
		trace_values_add(&t->values, (const uint32_t *)p->payload + from, n - from);
	return true;
}

/* Entries do not straddle chunks: a chunk ends with what is too small for one. */
static bool read_order(struct log *l, struct trace_thread *t, const struct piece *p, size_t n,
		       struct error *err)
{
	size_t cap = 0;

	for (size_t i = 0; i < n; i++)
		cap += p[i].size / sizeof *t->order;
	t->order = xmalloc((cap ? cap : 1) * sizeof *t->order);
	for (size_t i = 0; i < n; i++) {
		for (size_t at = 0; at + sizeof *t->order <= p[i].size; at += sizeof *t->order) {
			struct rt_order *o = &t->order[t->norder];

			memcpy(o, p[i].payload + at, sizeof *o);
			if (!o->first)
				return i + 1 == n || log_damaged(l, err, "hole in the order of accesses", t->info.number);
			if (o->kind < RT_ORDER_READ || o->kind > RT_ORDER_SIGNAL || !o->count ||
			    (o->kind < RT_ORDER_CALL && (!o->location || o->last < o->first)))
				return log_damaged(l, err, "impossible order of accesses", t->info.number);
			t->norder++;
		}
	}
	return true;
}

static bool read_stack(struct log *l, struct trace_thread *t, const struct piece *p, struct error *err)
{
	if (p->size >= sizeof t->stack)
		memcpy(&t->stack, p->payload, sizeof t->stack);
	return t->stack.nframes <= RT_FRAMES || log_damaged(l, err, "impossible backtrace", t->info.number);
}

static bool read_shown(struct log *l, struct trace_thread *t, const struct piece *p, size_t n, struct error *err)
{
	size_t size, at = 0;

	t->shown_bytes = join_pieces(p, n, &size);
	for (size_t i = 0; i < n; at += p[i++].size)
		if (!trace_shown_index(t, t->shown_bytes + at, p[i].size))
			return log_damaged(l, err, "impossible output", t->info.number);
	return true;
}

/* The n pieces of one stream, in order of seq. */
static bool read_stream(struct log *l, struct trace *t, const struct piece *p, size_t n,
			struct error *err)
{
	struct trace_thread *thread = &t->threads[p->thread];

	for (size_t i = 0; i < n; i++)
		if (p[i].seq != i)
			return log_damaged(l, err, "chunk missing or twice in a stream", p->thread);
	switch (p->stream) {
	case RT_STREAM_THREAD:
		return read_thread(l, thread, p->thread, p, n, err);
	case RT_STREAM_PATH:
		return read_path(l, thread, p, n, err);
	case RT_STREAM_SYNC:
		return read_sync(l, thread, p, n, err);
	case RT_STREAM_INPUT:
		return read_inputs(l, thread, p, n, err);
	case RT_STREAM_SHOWN:
		return read_shown(l, thread, p, n, err);
	case RT_STREAM_ORDER:
		return read_order(l, thread, p, n, err);
	case RT_STREAM_STACK:
		return read_stack(l, thread, p, err);
	case RT_STREAM_VALUE:
		return read_values(l, thread, p, n, err);
	case RT_STREAM_VALUE_TRAY:
		return read_value_tray(thread, p);
	case RT_STREAM_TRAY:
		return read_tray(l, thread, p, err);
	default:
		return read_times(l, thread, p, n, err);
	}
}

/* Threads are in the file in order of number, so a log that ends early has the first ones. */
static bool count_threads(struct log *l, struct trace *t, struct error *err)
{
	for (size_t i = 0; i < l->pieces.n; i++) {
		const struct piece *p = &l->pieces.at[i];

		if (p->stream != RT_STREAM_THREAD)
			continue;
		if (p->thread != t->nthreads)
			return log_damaged(l, err, "threads out of order", p->thread);
		t->nthreads++;
	}
	for (size_t i = 0; i < l->pieces.n; i++)
		if (l->pieces.at[i].thread >= t->nthreads)
			return log_damaged(l, err, "chunk of an unknown thread",
				       l->pieces.at[i].thread);
	t->threads = xcalloc(t->nthreads ? t->nthreads : 1, sizeof *t->threads);
	return true;
}

bool log_streams(struct log *l, struct trace *t, struct error *err)
{
	if (!count_threads(l, t, err))
		return false;
	log_sort(l);
	for (size_t i = 0, n; i < l->pieces.n; i += n) {
		const struct piece *p = &l->pieces.at[i];

		for (n = 1; i + n < l->pieces.n && is_same_stream(&p[n], p);)
			n++;
		if (!read_stream(l, t, p, n, err))
			return false;
	}
	return true;
}
