#include "trace/trace.h"

#include "trace/meta.h"

#include <rethread/sync.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ choosing a log ---------- */

/* PID of "log.PID", or 0. */
static long log_pid(const char *name)
{
	char *end;
	long pid;

	if (strncmp(name, "log.", 4) || !isdigit((unsigned char)name[4]))
		return 0;
	errno = 0;
	pid = strtol(name + 4, &end, 10);
	return *end || errno || pid <= 0 ? 0 : pid;
}

static bool log_has_failure(const char *dir, long pid)
{
	char *path = xasprintf("%s/log.%ld", dir, pid);
	struct rt_log_header h;
	FILE *f = fopen(path, "rb");
	bool has =
		f && fread(&h, sizeof h, 1, f) == 1 && h.magic == RT_LOG_MAGIC && h.failure.state;

	if (f)
		fclose(f);
	free(path);
	return has;
}

/* The one that meta.json names, else the lowest PID with a failure, else the lowest PID. */
static long choose_log(const char *dir, long named, struct error *err)
{
	DIR *d = opendir(dir);
	long lowest = 0, failing = 0;
	bool has_named = false;

	if (!d) {
		fail(err, "cannot open trace %s: %s", dir, strerror(errno));
		return 0;
	}
	for (struct dirent *e; (e = readdir(d));) {
		long pid = log_pid(e->d_name);

		if (!pid)
			continue;
		has_named |= pid == named;
		if (!lowest || pid < lowest)
			lowest = pid;
		if ((!failing || pid < failing) && log_has_failure(dir, pid))
			failing = pid;
	}
	closedir(d);
	if (has_named)
		return named;
	if (!lowest)
		fail(err, "%s has no log: it is not a trace, or the program was not recorded", dir);
	return failing ? failing : lowest;
}

/* ------------------------------------------------------------------ the log file ------------ */

/* One chunk of the file, as far as it is there. */
struct piece {
	uint32_t thread, stream;
	uint64_t seq;
	bool window;
	const char *payload;
	size_t size;
};

struct log {
	const char *path;
	const char *data;
	size_t size;
	bool cut; /* something may be missing at the ends of streams */
	bool timed; /* there are time stamps */
	vec(struct piece) pieces;
};

static bool damaged(const struct log *l, struct error *err, const char *what, uint64_t where)
{
	return fail(err, "%s is damaged: %s (at %llu)", l->path, what, (unsigned long long)where);
}

static bool check_failure(const struct log *l, struct rt_failure *f, struct error *err)
{
	if (f->state > 2 || f->kind > RT_FAIL_PREDICATE || f->nframes > RT_FRAMES)
		return damaged(l, err, "impossible failure",
			       offsetof(struct rt_log_header, failure));
	f->message[RT_MESSAGE_SIZE - 1] = 0;
	return true;
}

static bool read_header(const struct log *l, struct rt_log_header *h, struct error *err)
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
		return damaged(l, err, "unknown scheme", h->scheme);
	return check_failure(l, &h->failure, err);
}

/* Nothing but zeros: space that was reserved when the process died. */
static bool is_unwritten(const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (data[i])
			return false;
	return true;
}

static bool read_pieces(struct log *l, struct error *err)
{
	size_t at = RT_PAGE;

	while (l->size - at >= sizeof(struct rt_chunk)) {
		struct rt_chunk c;
		size_t there;

		memcpy(&c, l->data + at, sizeof c);
		if (!c.magic && is_unwritten(l->data + at, l->size - at)) {
			l->cut = true;
			break;
		}
		if (c.magic != RT_CHUNK_MAGIC)
			return damaged(l, err, "no chunk where one should be", at);
		if (c.size <= sizeof c || c.size % sizeof c)
			return damaged(l, err, "impossible size of a chunk", at);
		if (c.stream < RT_STREAM_THREAD || c.stream > RT_STREAM_STACK)
			return damaged(l, err, "unknown stream", at);
		there = l->size - at < c.size ? l->size - at : c.size;
		if (!(c.seq & RT_CHUNK_COPIED))
			*vec_push(&l->pieces) = (struct piece){c.thread, c.stream, c.seq, c.window == 1,
							       l->data + at + sizeof c, there - sizeof c};
		at += there;
	}
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

static bool is_same_stream(const struct piece *a, const struct piece *b)
{
	return a->thread == b->thread && a->stream == b->stream;
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
		if (follows && p->window && last->seq + 1 != p->seq && l->cut)
			continue;
		l->pieces.at[n++] = *p;
	}
	l->pieces.n = n;
}

/* ------------------------------------------------------------------ streams ----------------- */

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
		return damaged(l, err, "thread record in several chunks", number);
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
		return damaged(l, err, "thread record with another number", number);
	t->info.number = number;
	return true;
}

static bool read_path(struct log *l, struct trace_thread *t, const struct piece *p, size_t n,
		      struct error *err)
{
	size_t size, before_last = 0;

	for (size_t i = 0; i + 1 < n; i++)
		before_last += p[i].size / sizeof *t->path;
	t->path = (uint64_t *)join_pieces(p, n, &size);
	if (!path_measure(t->path, size / sizeof *t->path, &t->npath, &t->nbits))
		return damaged(l, err, "impossible run in a path", t->info.number);
	if (t->npath < before_last)
		return damaged(l, err, "hole in a path", t->info.number);
	return true;
}

/* Entry e follows what is there already; object 0: a call that failed. */
static bool is_sync_possible(const struct trace_thread *t, const struct rt_sync *e)
{
	uint64_t last = t->nsync ? t->sync[t->nsync - 1].op : 0;

	return e->op > last && e->order && (e->object || e->result);
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
			return damaged(l, err, "impossible order of synchronization", t->info.number);
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
		return damaged(l, err, "impossible record of an input", t->info.number);
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
	for (; t->ntimes < size && t->times[t->ntimes].words; t->ntimes++)
		if (t->ntimes && t->times[t->ntimes].words <= t->times[t->ntimes - 1].words)
			return damaged(l, err, "time stamps out of order", t->info.number);
	if (t->ntimes < before_last)
		return damaged(l, err, "hole in the time stamps", t->info.number);
	return true;
}

static bool read_values(struct trace_thread *t, const struct piece *p, size_t n)
{
	size_t size;

	t->values = (uint32_t *)join_pieces(p, n, &size);
	t->nvalues = size / sizeof *t->values;
	while (t->nvalues && !t->values[t->nvalues - 1])
		t->nvalues--;
	for (size_t i = 0; i < t->nvalues; i++)
		t->values[i] = ~t->values[i];
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
				return i + 1 == n || damaged(l, err, "hole in the order of accesses", t->info.number);
			if (o->kind < RT_ORDER_READ || o->kind > RT_ORDER_SIGNAL || !o->count ||
			    (o->kind < RT_ORDER_CALL && (!o->location || o->last < o->first)))
				return damaged(l, err, "impossible order of accesses", t->info.number);
			t->norder++;
		}
	}
	return true;
}

static bool read_stack(struct log *l, struct trace_thread *t, const struct piece *p, struct error *err)
{
	if (p->size >= sizeof t->stack)
		memcpy(&t->stack, p->payload, sizeof t->stack);
	return t->stack.nframes <= RT_FRAMES || damaged(l, err, "impossible backtrace", t->info.number);
}

static bool read_shown(struct log *l, struct trace_thread *t, const struct piece *p, size_t n, struct error *err)
{
	size_t size, at = 0;

	t->shown_bytes = join_pieces(p, n, &size);
	for (size_t i = 0; i < n; at += p[i++].size)
		if (!trace_shown_index(t, t->shown_bytes + at, p[i].size))
			return damaged(l, err, "impossible output", t->info.number);
	return true;
}

/* The n pieces of one stream, in order of seq. */
static bool read_stream(struct log *l, struct trace *t, const struct piece *p, size_t n,
			struct error *err)
{
	struct trace_thread *thread = &t->threads[p->thread];

	for (size_t i = 0; i < n; i++)
		if (p[i].seq != i)
			return damaged(l, err, "chunk missing or twice in a stream", p->thread);
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
		return read_values(thread, p, n);
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
			return damaged(l, err, "threads out of order", p->thread);
		t->nthreads++;
	}
	for (size_t i = 0; i < l->pieces.n; i++)
		if (l->pieces.at[i].thread >= t->nthreads)
			return damaged(l, err, "chunk of an unknown thread",
				       l->pieces.at[i].thread);
	t->threads = xcalloc(t->nthreads ? t->nthreads : 1, sizeof *t->threads);
	return true;
}

static bool read_streams(struct log *l, struct trace *t, struct error *err)
{
	if (!count_threads(l, t, err))
		return false;
	if (l->pieces.n)
		qsort(l->pieces.at, l->pieces.n, sizeof *l->pieces.at, compare_pieces);
	settle_windows(l);
	for (size_t i = 0, n; i < l->pieces.n; i += n) {
		const struct piece *p = &l->pieces.at[i];

		for (n = 1;
		     i + n < l->pieces.n && is_same_stream(&p[n], p);
		     n++)
			;
		if (!read_stream(l, t, p, n, err))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------ what belongs together --- */

static bool make_name(struct log *l, struct trace *t, uint32_t number, struct error *err)
{
	struct trace_thread *thread = &t->threads[number];
	char *name = NULL;
	uint32_t at = number, steps = 0;

	if (number == 0) {
		thread->name = xstrdup("1");
		return true;
	}
	/* Upwards to a thread that has its name; creators need not have lower numbers. */
	while (at && !t->threads[at].name) {
		char *longer = name ? xasprintf("%u:%s", t->threads[at].info.child, name)
				    : xasprintf("%u", t->threads[at].info.child);

		free(name);
		name = longer;
		at = t->threads[at].info.parent;
		if (at >= t->nthreads || ++steps > 1000) {
			free(name);
			return damaged(l, err, "thread without a creator", number);
		}
	}
	thread->name = xasprintf("%s:%s", t->threads[at].name, name ? name : "0");
	free(name);
	return true;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool make_names(struct log *l, struct trace *t, struct error *err)
{
	char **names = xmalloc((t->nthreads + 1) * sizeof *names);
	bool ok = true;
	uint32_t n = 0;

	for (uint32_t i = 0; ok && i < t->nthreads; i++)
		ok = make_name(l, t, i, err);
	/* child 0: the place of a thread that could not be started. */
	for (uint32_t i = 0; ok && i < t->nthreads; i++)
		if (i == 0 || t->threads[i].info.child)
			names[n++] = t->threads[i].name;
	qsort(names, n, sizeof *names, compare_names);
	for (uint32_t i = 1; ok && i < n; i++)
		if (!strcmp(names[i - 1], names[i]))
			ok = damaged(l, err, "two threads with one name", i);
	free(names);
	return ok;
}

struct acquisition {
	uint32_t object;
	uint64_t order;
};

static int compare_acquisitions(const void *pa, const void *pb)
{
	const struct acquisition *a = pa, *b = pb;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Entries may speak of threads that a log which ended early has no room for: there the stream ends.
 */
static bool check_thread_objects(struct log *l, struct trace *t, struct trace_thread *thread,
				 struct error *err)
{
	for (size_t i = 0; i < thread->nsync; i++) {
		uint32_t object = thread->sync[i].object;

		if (!(object & RT_OBJECT_THREAD) || (object & ~RT_OBJECT_THREAD) < t->nthreads)
			continue;
		if (!l->cut)
			return damaged(l, err, "synchronization with an unknown thread",
				       thread->info.number);
		thread->nsync = i;
	}
	return true;
}

/* No two entries can be the same acquisition. */
static bool check_order(struct log *l, struct trace *t, struct error *err)
{
	vec(struct acquisition) all = {0};
	bool ok = true;

	for (uint32_t i = 0; i < t->nthreads; i++)
		for (size_t k = 0; k < t->threads[i].nsync; k++) {
			const struct rt_sync *s = &t->threads[i].sync[k];

			if (s->object)
				*vec_push(&all) = (struct acquisition){s->object, s->order};
		}
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, compare_acquisitions);
	for (size_t i = 1; ok && i < all.n; i++)
		if (!compare_acquisitions(&all.at[i - 1], &all.at[i]))
			ok = damaged(l, err, "two operations at one place in an object's order",
				     all.at[i].object);
	vec_free(&all);
	return ok;
}

static bool check_whole(struct log *l, struct trace *t, struct error *err)
{
	const struct rt_failure *f = &t->header.failure;

	if (t->nthreads && t->threads[0].info.parent != 0)
		return damaged(l, err, "main thread with a creator", 0);
	if (f->state && f->thread >= t->nthreads && f->thread != UINT32_MAX && !l->cut)
		return damaged(l, err, "failure in an unknown thread", f->thread);
	for (uint32_t i = 0; i < t->nthreads; i++)
		if (!check_thread_objects(l, t, &t->threads[i], err))
			return false;
	return make_names(l, t, err) && check_order(l, t, err);
}

static bool read_log(struct trace *t, const char *path, struct error *err)
{
	struct log l = {.path = path};
	char *data = NULL;
	bool ok = read_file(path, &data, &l.size, err);

	l.data = data;
	ok = ok && read_header(&l, &t->header, err);
	l.timed = ok && t->header.time_margin;
	if (ok)
		l.cut = l.size < t->header.size || (t->header.flags & (RT_LOG_FULL | RT_LOG_CAP)) ||
			t->header.dropped;
	ok = ok && read_pieces(&l, err) && read_streams(&l, t, err) && check_whole(&l, t, err);
	vec_free(&l.pieces);
	free(data);
	return ok;
}

/* ------------------------------------------------------------------ the verdict ------------- */

/* The log's own account where the tool says the same kind, because it knows more; else the tool's.
 */
static void judge(struct trace *t, const struct trace_meta *m)
{
	t->failure = t->header.failure;
	if (!m->has_verdict || (t->failure.state && m->verdict.kind == t->failure.kind))
		return;
	t->failure = m->verdict;
	t->failure.state = m->verdict.kind == RT_FAIL_NONE ? 0 : 2;
	if (!m->has_thread || t->failure.thread >= t->nthreads)
		t->failure.thread = UINT32_MAX;
	for (uint32_t i = 0; m->thread_name && i < t->nthreads; i++)
		if (!strcmp(t->threads[i].name, m->thread_name))
			t->failure.thread = i;
}

struct trace *trace_open(const char *dir, struct error *err)
{
	struct trace *t = xcalloc(1, sizeof *t);
	struct trace_meta meta = {0};
	char *path = NULL;
	long pid;
	bool ok;

	t->dir = xstrdup(dir);
	t->program = xstrdup("");
	t->cwd = xstrdup("");
	t->argv = xcalloc(1, sizeof *t->argv);
	t->environment = xcalloc(1, sizeof *t->environment);
	ok = trace_meta_read(t, &meta, err) && (pid = choose_log(dir, meta.pid, err));
	if (ok) {
		path = xasprintf("%s/log.%ld", dir, pid);
		ok = read_log(t, path, err);
	}
	if (ok)
		judge(t, &meta);
	free(path);
	free(meta.thread_name);
	if (ok)
		return t;
	trace_free(t);
	return NULL;
}

static void free_strings(char **list)
{
	for (char **s = list; s && *s; s++)
		free(*s);
	free(list);
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; i < t->nthreads && t->threads; i++) {
		free(t->threads[i].name);
		free(t->threads[i].path);
		free(t->threads[i].sync);
		free(t->threads[i].order);
		free(t->threads[i].times);
		free(t->threads[i].input_bytes);
		free(t->threads[i].values);
		free(t->threads[i].inputs);
		free(t->threads[i].shown);
		free(t->threads[i].shown_bytes);
	}
	free(t->threads);
	free(t->dir);
	free(t->program);
	free_strings(t->argv);
	free_strings(t->environment);
	free(t->cwd);
	free(t->fail_if);
	free(t);
}

const struct trace_thread *trace_thread_named(const struct trace *t, const char *name)
{
	for (uint32_t i = 0; i < t->nthreads; i++)
		if (!strcmp(t->threads[i].name, name))
			return &t->threads[i];
	return NULL;
}
