#include "cli/runner.h"

#include "cli/stuck.h"
#include "trace/trace.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* More logs than these are not kept of processes that ended well: a test suite starts thousands. */
enum { LOGS_KEPT = 8 };

struct recorded {
	char name[64]; /* of the log's file */
	struct rt_log_header log;
};
typedef vec(struct recorded) recorded_list;

static recorded_list all_recorded(const char *dir)
{
	recorded_list all = {0};
	struct recorded one;
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));) {
		if (strncmp(e->d_name, "log.", 4) || strlen(e->d_name) >= sizeof one.name || !trace_log_header(dir, e->d_name, &one.log))
			continue;
		strcpy(one.name, e->d_name);
		*vec_push(&all) = one;
	}
	if (d)
		closedir(d);
	return all;
}

/* Its number may be another process' by now, but hardly one of the same user's that began since. */
static bool runs(const struct recorded *p)
{
	return !(p->log.flags & RT_LOG_ENDED) && !kill((pid_t)p->log.pid, 0);
}

static bool has_failed(const struct recorded *p)
{
	return p->log.failure.state == 2 && p->log.failure.kind != RT_FAIL_NONE;
}

static void forget(const char *dir, const char *log)
{
	char *path = xasprintf("%s/%s", dir, log), *command = xasprintf("%s/command%s", dir, log + strlen("log"));
	unlink(path);
	unlink(command);
	free(path);
	free(command);
}

static void ask_for_stacks(const struct recorded *p)
{
	const union sigval value = {.sival_int = RT_ASK_VALUE};
	if (p->log.ask_signal && !sigqueue((pid_t)p->log.pid, (int)p->log.ask_signal, value))
		nanosleep(&(struct timespec){0, 100000000}, NULL);
}

static void end(struct runner *r, const struct recorded *p, bool late)
{
	ask_for_stacks(p);
	kill((pid_t)p->log.pid, SIGKILL);
	if (r->hangs)
		return;
	r->hangs = (pid_t)p->log.pid;
	r->late = late;
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void runner_watch(struct runner *r, double now)
{
	if (now < r->look_again)
		return;
	double begin = seconds();
	recorded_list all = all_recorded(r->dir);
	size_t kept = all.n;
	for (size_t i = 0; i < all.n; i++) {
		const struct recorded *p = &all.at[i];
		if (has_failed(p) && p->log.failure.kind == RT_FAIL_DEADLOCK && p->log.end_time && runs(p))
			kill((pid_t)p->log.pid, SIGKILL);
		else if (!has_failed(p) && runs(p) && stuck_is((pid_t)p->log.pid, (int)p->log.ask_signal))
			end(r, p, false);
		else if (!has_failed(p) && p->log.flags & RT_LOG_ENDED && kept > LOGS_KEPT) {
			forget(r->dir, p->name);
			r->tidied++;
			kept--;
		}
	}
	vec_free(&all);
	double took = seconds() - begin;
	r->look_again = now + (took > 0.002 ? 50 * took : 0.1);
}

void runner_end(struct runner *r)
{
	recorded_list all = all_recorded(r->dir);
	for (size_t i = 0; i < all.n; i++)
		if (runs(&all.at[i]))
			end(r, &all.at[i], true);
	vec_free(&all);
}

/* ---------------------------------------------------------------- who is to blame ------------- */

/* Who hung, then who failed by itself, the first one, then who said so by its exit status. */
static const struct recorded *to_blame(const struct runner *r, const recorded_list *all)
{
	const struct recorded *first = NULL;
	for (size_t i = 0; i < all->n; i++) {
		const struct recorded *p = &all->at[i];
		if (r->hangs && (pid_t)p->log.pid == r->hangs)
			return p;
		if (!has_failed(p))
			continue;
		bool exits = p->log.failure.kind == RT_FAIL_EXIT, first_exits = first && first->log.failure.kind == RT_FAIL_EXIT;
		if (!first || exits < first_exits || (exits == first_exits && p->log.failure.time < first->log.failure.time))
			first = p;
	}
	return first;
}

static void blame(const struct runner *r, const struct recorded *p, struct run_result *result)
{
	result->pid = (pid_t)p->log.pid;
	result->log = p->log;
	result->logged = true;
	if (has_failed(p)) {
		result->failure = p->log.failure;
		return;
	}
	if (result->failure.kind == RT_FAIL_PREDICATE) { /* of what all of them printed together */
		result->failure.thread = p->log.exits ? p->log.exits - 1 : 0;
		return;
	}
	result->failure = (struct rt_failure){.state = 2, .kind = RT_FAIL_NONE};
	if (!r->hangs)
		return;
	result->failure.kind = RT_FAIL_TIMEOUT;
	snprintf(result->failure.message, sizeof result->failure.message, "%s",
		 r->late ? "still running when the time was over" : "all threads wait, and none is left that could wake one");
}

unsigned runner_judge(struct runner *r, struct run_result *result)
{
	recorded_list all = all_recorded(r->dir);
	bool failed = result->failure.kind != RT_FAIL_NONE && result->failure.kind != RT_FAIL_PREDICATE;
	unsigned n = (unsigned)all.n + r->tidied;
	const struct recorded *one = failed ? to_blame(r, &all) : n == 1 ? &all.at[0] : NULL;
	if (one)
		blame(r, one, result);
	for (size_t i = 0; i < all.n; i++)
		if (&all.at[i] != one)
			forget(r->dir, all.at[i].name);
	vec_free(&all);
	return n;
}
