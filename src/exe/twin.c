#include "exe/twin.h"

#include "base/interrupt.h"
#include "base/sources.h"
#include "exe/origin.h"
#include "exe/predicate.h"
#include "exe/sections.h"
#include "exe/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The program must be the one that was recorded: its addresses and its module mean nothing to another. */
static bool check_build(const struct trace *t, struct error *err)
{
	static const uint8_t none[RT_BUILD_ID_SIZE];
	uint8_t now[RT_BUILD_ID_SIZE] = {0};
	if (access(t->image, R_OK))
		return fail(err, "cannot read %s (%s): a trace that has not kept the program is of use only where the program that was recorded, "
				 "or a copy of it, is at that path", t->program, strerror(errno));
	struct symbols *s = symbols_open(t->image, err);
	if (!s)
		return false;
	symbols_build_id(s, now, sizeof now);
	symbols_close(s);
	if (memcmp(t->header.build_id, none, sizeof none) && memcmp(t->header.build_id, now, sizeof now))
		return fail(err, "%s was built again since it was recorded: its build-id is another; record again",
			    t->program);
	return true;
}

char *twin_extract(const struct trace *t, const char *dir, struct error *err)
{
	if (!t->program) {
		fail(err, "%s has no meta.json: it does not say which program was recorded", t->dir);
		return NULL;
	}
	if (!check_build(t, err))
		return NULL;
	char *path = xasprintf("%s/twin", dir);
	if (!access(path, X_OK))
		return path;
	char *data;
	size_t size;
	bool ok = sections_read(t->image, RT_SECTION_TWIN, &data, &size, err);
	if (ok) {
		ok = replace_file(path, data, size, 0700, err);
		free(data);
	}
	if (ok)
		return path;
	free(path);
	return NULL;
}

/* Ours, which programs walk over as well: as long as the recorded one, where it may be. Nobody minds commas at the end. */
static char *own_variable(const char *recorded, const char *options)
{
	char *ours = xasprintf("RETHREAD_OPTIONS=%s", options);
	size_t n = strlen(ours), long_as = recorded ? strlen(recorded) : 0;
	if (n >= long_as)
		return ours;
	ours = xrealloc(ours, long_as + 1);
	memset(ours + n, ',', long_as - n);
	ours[long_as] = 0;
	return ours;
}

/* In the child: never returns. */
static void start_twin(const struct trace *t, const char *twin, const struct twin_run *run, const char *output)
{
	if (run->quiet) {
		int null = open("/dev/null", O_RDWR);
		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
	}
	if (output) {
		int file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		dup2(file, 1);
		dup2(file, 2);
	}
	size_t n = 0;
	while (t->environment && t->environment[n])
		n++;
	char **env = xcalloc(n + 4, sizeof *env);
	size_t kept = 0;
	const char *libraries = NULL, *ours = NULL;
	for (size_t i = 0; i < n; i++)
		if (!strncmp(t->environment[i], "LD_LIBRARY_PATH=", 16))
			libraries = t->environment[i] + 16;
		else if (!strncmp(t->environment[i], "RETHREAD_OPTIONS=", 17))
			ours = t->environment[i];
	char *setting = origin_setting(t->program, libraries);
	for (size_t i = 0; i < n; i++)
		if (strncmp(t->environment[i], "RETHREAD_", 9) && !(setting && libraries == t->environment[i] + 16))
			env[kept++] = t->environment[i];
	if (setting)
		env[kept++] = setting;
	if (run->options)
		env[kept++] = own_variable(ours, run->options);
	else if (ours)
		env[kept++] = (char *)ours;
	env[kept] = xasprintf(RT_TWIN_VARIABLE "=%s", run->variable);
	if (run->inherited)
		fcntl(run->inherited, F_SETFD, 0);
	personality(ADDR_NO_RANDOMIZE);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody is left who would wait for it */
	if (t->cwd && chdir(t->cwd))
		(void)!chdir("/"); /* it is gone, or was another machine's: what the program asked of it is in the log */
	execve(twin, t->argv, env);
	_exit(127);
}

static bool await(pid_t child, unsigned timeout, int *status, bool *timed_out)
{
	*timed_out = false;
	struct timespec start, now, tick = { .tv_nsec = 200 * 1000 };
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (;;) {
		pid_t got = waitpid(child, status, timeout ? WNOHANG : 0);
		if (got == child)
			return true;
		if (got < 0 && errno != EINTR)
			return false;
		clock_gettime(CLOCK_MONOTONIC, &now);
		bool late = timeout && now.tv_sec - start.tv_sec >= (time_t)timeout;
		if ((late || interrupt_signal()) && !*timed_out) {
			*timed_out = true;
			kill(child, SIGKILL);
		}
		nanosleep(&tick, NULL);
		if (tick.tv_nsec < 5 * 1000 * 1000)
			tick.tv_nsec += tick.tv_nsec / 4; /* short runs are noticed quickly, long ones cheaply */
	}
}

pid_t twin_start(const struct trace *t, const char *twin, const struct twin_run *run, const char *output,
		 struct error *err)
{
	pid_t child = fork();
	if (child < 0)
		fail(err, "cannot start %s: %s", twin, strerror(errno));
	if (!child)
		start_twin(t, twin, run, output);
	return child;
}

/* Run to the end; standard output and error go to the file `output` when that is not NULL. *status as from waitpid, *timed_out when it was killed. */
static bool run_into(const struct trace *t, const char *twin, const struct twin_run *run, const char *output,
		     int *status, bool *timed_out, struct error *err)
{
	pid_t child = twin_start(t, twin, run, output, err);
	if (child < 0)
		return false;
	if (!await(child, run->timeout, status, timed_out))
		return fail(err, "lost %s: %s", twin, strerror(errno));
	if (WIFEXITED(*status) && WEXITSTATUS(*status) == 127)
		return fail(err, "cannot execute %s", twin);
	return true;
}

/* ---- judging a replay ---- */

static const char *failing_thread(const struct trace *t)
{
	return t->failure.thread < t->nthreads ? t->threads[t->failure.thread].name : "?";
}

char *deadlock_text(const char *message)
{
	size_t left = 0;
	for (const char *c = message; *c; c++)
		left += *c == ' ';
	if (!*message || strstr(message, " waits for ") || message[strlen(message) - 1] != ' ')
		return xstrdup(message);
	char *text = xstrdup(left > 1 ? "threads " : "thread ");
	for (const char *name = message, *end; (end = strchr(name, ' ')); name = end + 1) {
		char *more = xasprintf("%s%.*s%s", text, (int)(end - name), name, --left > 1 ? ", " : left ? " and " : "");
		free(text);
		text = more;
	}
	char *all = xasprintf("%s %s", text, strchr(message, ' ')[1] ? "are all blocked" : "is blocked");
	free(text);
	return all;
}

void failure_describe(const struct trace *t, const struct rt_failure *f, const char *thread, char *text,
		      size_t size)
{
	(void)t;
	switch (f->kind) {
	case RT_FAIL_ASSERT:
		snprintf(text, size, "assertion failed in thread %s: %s", thread, f->message);
		break;
	case RT_FAIL_SIGNAL:
		snprintf(text, size, "%s in thread %s", strsignal(f->signal), thread);
		break;
	case RT_FAIL_EXIT:
		snprintf(text, size, "exit status %d", f->status);
		break;
	case RT_FAIL_DEADLOCK: {
		char *who = deadlock_text(f->message);
		snprintf(text, size, "deadlock: %s", who);
		free(who);
		break;
	}
	case RT_FAIL_TIMEOUT:
		snprintf(text, size, "timeout%s%s", *f->message ? ": " : "", f->message);
		break;
	case RT_FAIL_PREDICATE:
		snprintf(text, size, "the predicate holds");
		break;
	default:
		snprintf(text, size, "no failure");
	}
}

/* What comes with rethread as code of the program (src/library) is no part of the runtime: the program and its twin have the same. */
static bool is_library(const char *file)
{
	return strstr(file, RT_SOURCE_PREFIX "library/") != NULL;
}

/* The address of the failure in the program's own code, or in such a library's, and its position; 0: it is not known. */
static uint64_t failing_address(struct symbols *s, const struct rt_failure *f, bool in_library, struct position *p)
{
	for (uint32_t i = 0; i < f->nframes && i < RT_FRAMES; i++) {
		/* A return address is behind its call; the first address of a signal is the instruction itself. */
		uint64_t at = f->frames[i] ? f->frames[i] - (i > 0 || f->kind != RT_FAIL_SIGNAL) : 0;
		if (at && symbols_find(s, at, p) && !(p->file && strstr(p->file, RT_SOURCE_PREFIX) && !(in_library && is_library(p->file))))
			return at;
	}
	return 0;
}

bool failure_site(struct symbols *s, const struct rt_failure *f, struct position *p)
{
	return failing_address(s, f, false, p) != 0;
}

bool failure_code_site(struct symbols *s, const struct rt_failure *f, struct position *p)
{
	return failing_address(s, f, true, p) != 0;
}

bool failure_own_site(struct symbols *s, const struct rt_failure *f, struct position *p)
{
	for (uint32_t i = 0; i < f->nframes && i < RT_FRAMES; i++)
		if (f->frames[i] && symbols_find_own(s, f->frames[i] - (i > 0 || f->kind != RT_FAIL_SIGNAL), p) && p->file && !strstr(p->file, RT_SOURCE_PREFIX) &&
		    !is_system_source(p->file))
			return true;
	return failure_site(s, f, p);
}

/*
 * Of loads that nothing keeps in order the code generator may put a later one first, in the recorded program; where both go through one bad pointer, that one faults there,
 * and in the twin, whose gates keep them apart, the other. Then they lead to about the same address, and close behind the one, in the recorded program, comes the other.
 */
static bool is_turned_round(struct symbols *recorded, uint64_t known, const struct rt_failure *was, struct symbols *replayed, uint64_t at, const struct rt_failure *is)
{
	enum { CODE = 48, MEMORY = 256 }; /* bytes */
	uint64_t apart = was->address < is->address ? is->address - was->address : was->address - is->address;
	struct position p;
	bool any = false;
	if (was->kind != RT_FAIL_SIGNAL || was->signal != SIGSEGV || was->address == RT_NO_ADDRESS || apart >= MEMORY || !symbols_same_function(recorded, known, replayed, at))
		return false;
	for (uint64_t i = 1; i < CODE && !any; i++)
		any = symbols_find(recorded, known + i, &p) && p.file && p.line && symbols_is_at(replayed, at, &p);
	return any;
}

/*
 * Who jumps to a function in another library as the last thing that it does (a pure virtual function, which ends the program) is in no backtrace of the recorded program. In the
 * twin, whose gates come behind the call, it is. Both failed outside, and nobody else of the program's was under way in the recorded thread.
 */
static bool was_last_call(const struct rt_failure *was, const struct rt_failure *is)
{
	bool all = was->nframes && was->nframes < RT_FRAMES && is->nframes && !is->frames[0];
	for (uint32_t i = 0; i < was->nframes && all; i++)
		all = !was->frames[i];
	return all && was->signal == SIGABRT;
}

/*
 * Of a load and what is done with its value the code generator may make one instruction, which has the line of the latter. Where it did so in the
 * twin, the gate right before it has the load's. Where it did so in the recorded program, the load is at least of a function that is inlined in that line.
 * What the optimiser moved out of a loop has no line, in one program or the other: then it is the function that is compared.
 */
static bool same_site(const struct trace *t, const char *twin, const struct rt_failure *f)
{
	struct symbols *recorded = symbols_open(trace_is_rw(t) ? twin : t->image, NULL), *replayed = symbols_open(twin, NULL);
	struct position was, is;
	uint64_t known = recorded ? failing_address(recorded, &t->failure, true, &was) : 0;
	uint64_t at = replayed ? failing_address(replayed, f, true, &is) : 0;
	bool same = known && at ? symbols_is_at(replayed, at, &was) || symbols_is_at(replayed, at - 1, &was) : !known && !at;
	if (known && at && !same && was.file && is.file && (!was.line || !is.line))
		same = symbols_same_function(recorded, known, replayed, at);
	same = same || (!known && at && was_last_call(&t->failure, f));
	same = same || (known && at && is_turned_round(recorded, known, &t->failure, replayed, at, f));
	symbols_close(recorded);
	symbols_close(replayed);
	return same;
}

/*
 * Are the threads that hung in the recorded run among those that are blocked now? `all`: every thread that was
 * not done, else those in the cycle.
 */
static bool same_blocked(const struct trace *t, const struct rt_failure *came, bool all)
{
	for (uint32_t i = 0; i < t->nthreads; i++) {
		const struct rt_thread *info = &t->threads[i].info;
		if (all ? info->ended || !info->tid : !info->waits_for)
			continue;
		char name[80];
		snprintf(name, sizeof name, "%s ", t->threads[i].name);
		const char *at = strstr(came->message, name);
		while (at && at != came->message && at[-1] != ' ')
			at = strstr(at + 1, name);
		if (!at)
			return false;
	}
	return true;
}

bool twin_same_failure(const struct trace *t, const struct replayed *x)
{
	const struct rt_failure *a = &t->failure, *b = &x->report->failure;
	const struct rt_report *r = x->report;
	bool failed = r->outcome == RT_REPLAY_FAILED && a->kind == b->kind && !x->timed_out;
	bool ended = r->outcome == RT_REPLAY_ENDED || r->outcome == RT_REPLAY_RUNNING;
	switch (a->kind) {
	case RT_FAIL_ASSERT:
		return failed && !strcmp(failing_thread(t), r->thread) && !strcmp(a->message, b->message);
	case RT_FAIL_SIGNAL:
		return failed && !strcmp(failing_thread(t), r->thread) && a->signal == b->signal &&
		       same_site(t, x->twin, b);
	case RT_FAIL_DEADLOCK:
		return failed && same_blocked(t, b, false);
	case RT_FAIL_EXIT:
		return ended && !x->timed_out && WIFEXITED(x->status) && WEXITSTATUS(x->status) == a->status;
	case RT_FAIL_PREDICATE:
		return ended && !x->timed_out && WIFEXITED(x->status) && t->fail_if && x->output &&
		       predicate_holds(t->fail_if, x->output, WEXITSTATUS(x->status));
	case RT_FAIL_TIMEOUT:
		return r->outcome == RT_REPLAY_FAILED && (b->kind == RT_FAIL_DEADLOCK || b->kind == RT_FAIL_TIMEOUT) &&
		       same_blocked(t, b, true);
	case RT_FAIL_NONE: /* the order of a run that was fine can be followed too */
		return trace_is_rw(t) && ended && !x->timed_out && WIFEXITED(x->status) && !WEXITSTATUS(x->status);
	default:
		return false;
	}
}

/* The innermost source line of the program itself in a backtrace that begins in the twin's runtime; "" for none. */
static void program_line(const char *twin, const struct rt_failure *f, char *text, size_t size)
{
	struct symbols *s = symbols_open(twin, NULL);
	*text = 0;
	for (uint32_t i = 0; s && i < f->nframes && i < RT_FRAMES && !*text; i++) {
		struct position p;
		/* as in failing_address */
		if (!f->frames[i] || !symbols_find(s, f->frames[i] - (i > 0 || f->kind != RT_FAIL_SIGNAL), &p) || !p.file || !p.line)
			continue;
		if (strstr(p.file, RT_SOURCE_PREFIX) || !strncmp(p.function, "__rethread_", 11))
			continue;
		snprintf(text, size, " at %.200s:%d in %.100s", p.file, p.line, p.function);
	}
	symbols_close(s);
}

static void say_why(const struct trace *t, const char *twin, bool timed_out, struct replay_result *result)
{
	char expected[700], came[700], there[400] = "", here[400] = "";
	const struct rt_report *r = &result->report;
	failure_describe(t, &t->failure, failing_thread(t), expected, sizeof expected);
	if (timed_out)
		snprintf(result->why, sizeof result->why, "the replay did not end in time; expected: %.600s", expected);
	else if (r->outcome == RT_REPLAY_FAILED) {
		failure_describe(t, &r->failure, r->thread, came, sizeof came);
		if (!strcmp(expected, came)) { /* but elsewhere */
			program_line(trace_is_rw(t) ? twin : t->image, &t->failure, there, sizeof there);
			program_line(twin, &r->failure, here, sizeof here);
		}
		snprintf(result->why, sizeof result->why, "expected: %.280s%.200s; came: %.280s%.200s", expected, there, came, here);
	} else if (r->outcome == RT_REPLAY_RUNNING)
		snprintf(result->why, sizeof result->why, "the replay was killed; expected: %.600s", expected);
	else {
		program_line(twin, &r->failure, came, sizeof came);
		snprintf(result->why, sizeof result->why, "%.500s%.400s", r->message, came);
	}
}

char *twin_replay_variable(const struct trace *t, const char *schedule, const char *report, unsigned timeout, unsigned shake)
{
	return xasprintf("mode=replay,schedule=%s,report=%s,timeout=%u,shake=%u,hangs=%d,log=%s/log.%u", schedule, report, timeout, shake,
			 t->failure.kind == RT_FAIL_TIMEOUT, t->dir,
			 t->header.pid);
}

bool twin_replay(const struct trace *t, const char *twin, const char *schedule, unsigned timeout, unsigned shake, bool quiet,
		 struct replay_result *result, struct error *err)
{
	memset(result, 0, sizeof *result);
	char *dir = temp_dir(err);
	if (!dir)
		return false;
	char *report = xasprintf("%s/report", dir);
	char *variable = twin_replay_variable(t, schedule, report, timeout, shake);
	char *output = t->fail_if ? xasprintf("%s/output", dir) : NULL;
	struct twin_run run = { .variable = variable, .quiet = quiet, .timeout = timeout ? timeout + 5 : 0 };
	int status;
	bool timed_out;
	bool ok = run_into(t, twin, &run, output, &status, &timed_out, err);
	char *data = NULL;
	size_t size = 0;
	if (ok && read_file(report, &data, &size, NULL) && size == sizeof result->report)
		memcpy(&result->report, data, size);
	if (ok) {
		result->report.message[RT_MESSAGE_SIZE - 1] = 0;
		result->report.failure.message[RT_MESSAGE_SIZE - 1] = 0;
		result->report.thread[sizeof result->report.thread - 1] = 0;
		struct replayed x = { twin, output, &result->report, status, timed_out };
		result->reproduced = twin_same_failure(t, &x);
		if (!result->reproduced)
			say_why(t, twin, timed_out, result);
	}
	free(data);
	remove_tree(dir, NULL);
	free(dir);
	free(report);
	free(output);
	free(variable);
	return ok;
}
