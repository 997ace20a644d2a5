#include "search/attempt.h"

#include "exe/twin.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool attempt_init(struct attempt *a, const char *dir, struct error *err)
{
	memset(a, 0, sizeof *a);
	a->dir = xstrdup(dir);
	if (!make_dirs(dir, err))
		return false;
	char *path = xasprintf("%s/attempt", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	free(path);
	if (fd < 0 || ftruncate(fd, sizeof *a->out))
		return fail(err, "cannot write to %s: %s", dir, strerror(errno));
	void *p = mmap(NULL, sizeof *a->out, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return fail(err, "cannot map a file in %s: %s", dir, strerror(errno));
	a->out = p;
	return true;
}

void attempt_release(struct attempt *a)
{
	if (a->out)
		munmap(a->out, sizeof *a->out);
	vec_free(&a->waits);
	free(a->dir);
	memset(a, 0, sizeof *a);
}

/* Everything the attempt writes, as if it had never run. */
static bool clean(struct attempt *a, struct error *err)
{
	char *trace = xasprintf("%s/trace", a->dir), *report = xasprintf("%s/report", a->dir);
	struct rt_attempt *o = a->out;
	o->magic = RT_ATTEMPT_MAGIC;
	memset(&o->outcome, 0, offsetof(struct rt_attempt, runs) - offsetof(struct rt_attempt, outcome));
	unlink(report);
	bool ok = remove_tree(trace, err) && make_dirs(trace, err);
	free(trace);
	free(report);
	return ok;
}

static bool write_waits(const struct attempt *a, const char *path, struct error *err)
{
	struct schedule s = { .model = MEMORY_SC };
	snprintf(s.module, sizeof s.module, "0");
	for (size_t i = 0; i < a->waits.n; i++)
		*vec_push(&s.waits) = a->waits.at[i];
	bool ok = schedule_write(&s, path, err);
	schedule_release(&s);
	return ok;
}

static char *build_id(const struct trace *t)
{
	char *hex = xcalloc(2 * RT_BUILD_ID_SIZE + 1, 1);
	for (unsigned i = 0; i < RT_BUILD_ID_SIZE; i++)
		snprintf(hex + 2 * i, 3, "%02x", t->header.build_id[i]);
	return hex;
}

bool attempt_start(struct attempt *a, const struct attempt_setting *s, struct error *err)
{
	const struct trace *t = s->trace;
	char *schedule = xasprintf("%s/waits", a->dir), *id = build_id(t);
	char *output = t->fail_if ? xasprintf("%s/output", a->dir) : NULL;
	char *variable = xasprintf("mode=record,build=%s,log=%s/log.%u,schedule=%s,report=%s/report,sketch=%s,attempt=%s/attempt", id,
				   t->dir, t->header.pid, schedule, a->dir, s->sketch, a->dir);
	char *options = xasprintf("dir=%s/trace,scheme=rw", a->dir);
	struct twin_run run = { .variable = variable, .options = options, .quiet = true };
	bool ok = clean(a, err) && write_waits(a, schedule, err);
	a->failed = a->timed_out = false;
	a->started = now();
	a->pid = ok ? twin_start(t, s->twin, &run, output, err) : 0;
	free(schedule);
	free(id);
	free(output);
	free(variable);
	free(options);
	return ok && a->pid > 0;
}

static int await(struct attempt *a, const struct attempt_setting *s)
{
	int status = 0;
	struct timespec tick = { .tv_nsec = 100 * 1000 };
	while (waitpid(a->pid, &status, WNOHANG) == 0) {
		bool stop = (s->stop && *s->stop) || now() - a->started >= s->timeout;
		if (stop && !a->timed_out) {
			a->timed_out = true;
			kill(a->pid, SIGKILL);
		}
		nanosleep(&tick, NULL);
		if (tick.tv_nsec < 2 * 1000 * 1000)
			tick.tv_nsec += tick.tv_nsec / 4;
	}
	a->pid = 0;
	return status;
}

bool attempt_finish(struct attempt *a, const struct attempt_setting *s, struct error *err)
{
	struct rt_report *report = NULL;
	char *path = xasprintf("%s/report", a->dir), *output = s->trace->fail_if ? xasprintf("%s/output", a->dir) : NULL;
	size_t size = 0;
	int status = await(a, s);
	bool started = read_file(path, (char **)&report, &size, NULL) && size == sizeof *report;
	if (started) {
		report->message[RT_MESSAGE_SIZE - 1] = report->failure.message[RT_MESSAGE_SIZE - 1] = 0;
		report->thread[sizeof report->thread - 1] = 0;
		struct replayed x = { s->twin, output, report, status, a->timed_out };
		bool ended = a->out->outcome == RT_ATTEMPT_RUNNING || a->out->outcome == RT_ATTEMPT_HUNG;
		a->failed = ended && twin_same_failure(s->trace, &x);
	} else {
		fail(err, "the twin did not start an attempt (status %d)", status);
	}
	free(report);
	free(path);
	free(output);
	return started;
}

struct trace *attempt_trace(const struct attempt *a, struct error *err)
{
	char *dir = xasprintf("%s/trace", a->dir);
	struct trace *t = trace_open(dir, err);
	free(dir);
	return t;
}

void attempt_kill(struct attempt *a)
{
	if (a->pid <= 0)
		return;
	kill(a->pid, SIGKILL);
	waitpid(a->pid, NULL, 0);
	a->pid = 0;
}
