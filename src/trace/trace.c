#include "trace/trace.h"

#include "trace/exec.h"
#include "trace/image.h"

#include "trace/log_file.h"
#include "trace/meta.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ choosing a log ---------- */

long trace_log_pid(const char *name)
{
	char *end;
	long pid;

	if (strncmp(name, "log.", 4) || !isdigit((unsigned char)name[4]))
		return 0;
	errno = 0;
	pid = strtol(name + 4, &end, 10);
	return *end || errno || pid <= 0 ? 0 : pid;
}

bool trace_log_header(const char *dir, const char *name, struct rt_log_header *h)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *f = trace_log_pid(name) ? fopen(path, "rb") : NULL;
	bool is_log = f && fread(h, sizeof *h, 1, f) == 1 && h->magic == RT_LOG_MAGIC;

	if (f)
		fclose(f);
	free(path);
	return is_log;
}

/* The one that meta.json names, else the lowest PID with a failure, else the lowest PID. */
static long choose_log(const char *dir, long named, struct error *err)
{
	DIR *d = opendir(dir);
	long lowest = 0, failing = 0;
	bool has_named = false;
	struct rt_log_header h;

	if (!d) {
		fail(err, "cannot open trace %s: %s", dir, strerror(errno));
		return 0;
	}
	for (struct dirent *e; (e = readdir(d));) {
		long pid = trace_log_pid(e->d_name);

		if (!pid)
			continue;
		has_named |= pid == named;
		if (!lowest || pid < lowest)
			lowest = pid;
		if ((!failing || pid < failing) && trace_log_header(dir, e->d_name, &h) && h.failure.state)
			failing = pid;
	}
	closedir(d);
	if (has_named)
		return named;
	if (!lowest)
		fail(err, "%s has no log: it is not a trace, or the program was not recorded", dir);
	return failing ? failing : lowest;
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
			return log_damaged(l, err, "thread without a creator", number);
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
			ok = log_damaged(l, err, "two threads with one name", i);
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
			return log_damaged(l, err, "synchronization with an unknown thread",
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
			ok = log_damaged(l, err, "two operations at one place in an object's order",
				     all.at[i].object);
	vec_free(&all);
	return ok;
}

static bool check_whole(struct log *l, struct trace *t, struct error *err)
{
	const struct rt_failure *f = &t->header.failure;

	if (t->nthreads && t->threads[0].info.parent != 0)
		return log_damaged(l, err, "main thread with a creator", 0);
	if (f->state && f->thread >= t->nthreads && f->thread != UINT32_MAX && !l->cut)
		return log_damaged(l, err, "failure in an unknown thread", f->thread);
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
	ok = ok && log_header(&l, &t->header, err);
	l.timed = ok && t->header.time_margin;
	if (ok)
		l.cut = l.size < t->header.size || (t->header.flags & (RT_LOG_FULL | RT_LOG_CAP)) ||
			t->header.dropped;
	ok = ok && log_pieces(&l, err);
	if (ok && l.reach < t->header.size)
		t->header.flags |= RT_LOG_SHORT;
	ok = ok && log_streams(&l, t, err) && check_whole(&l, t, err);
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

const char *trace_ends_early(const struct trace *t)
{
	if (t->header.flags & RT_LOG_CAP)
		return "--max-log was reached";
	if (t->header.flags & RT_LOG_BARRED)
		return "the program forbade the system calls that writing it takes (seccomp)";
	if (t->header.flags & RT_LOG_FULL)
		return "the disk was full";
	return t->header.flags & RT_LOG_SHORT ? "its file was cut off, or not copied whole" : NULL;
}

static void free_strings(char **list)
{
	for (char **s = list; s && *s; s++)
		free(*s);
	free(list);
}

static char **copy_strings(char **list)
{
	vec(char *) copy = {0};

	for (; *list; list++)
		*vec_push(&copy) = xstrdup(*list);
	*vec_push(&copy) = NULL;
	return copy.at;
}

/* The recorder's variable is the last, as for `rethread record` and in the twin. */
static void put_last(char **environment)
{
	char *ours = NULL;

	for (; *environment; environment++) {
		if (!ours && !strncmp(*environment, "RETHREAD_OPTIONS=", 17))
			ours = *environment;
		if (ours)
			*environment = environment[1] ? environment[1] : ours;
	}
}

/* Of a program that was started without the tool: how, it has said itself. */
static void read_command(struct trace *t, long pid)
{
	struct exec_command c;

	if (!exec_read(&c, t->dir, (pid_t)pid))
		return;
	free(t->program);
	free(t->cwd);
	free_strings(t->argv);
	free_strings(t->environment);
	t->program = xstrdup(c.program);
	t->cwd = xstrdup(c.cwd);
	t->argv = copy_strings(c.argv);
	t->environment = copy_strings(c.environment);
	put_last(t->environment);
	exec_release(&c);
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
	t->image = xstrdup("");
	t->cwd = xstrdup("");
	t->argv = xcalloc(1, sizeof *t->argv);
	t->environment = xcalloc(1, sizeof *t->environment);
	ok = trace_meta_read(t, &meta, err) && (pid = choose_log(dir, meta.pid, err));
	if (ok) {
		path = xasprintf("%s/log.%ld", dir, pid);
		ok = read_log(t, path, err);
	}
	if (ok && !meta.present)
		read_command(t, pid);
	if (ok) {
		judge(t, &meta);
		free(t->image);
		t->image = t->program ? trace_image(dir, t->program) : NULL;
	}
	free(path);
	free(meta.thread_name);
	if (ok)
		return t;
	trace_free(t);
	return NULL;
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
		free(t->threads[i].unpacked);
		trace_values_free(&t->threads[i].values);
		free(t->threads[i].inputs);
		free(t->threads[i].shown);
		free(t->threads[i].shown_bytes);
	}
	free(t->threads);
	free(t->dir);
	free(t->program);
	free(t->image);
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
