#include "cli/run.h"
#include "cli/left.h"
#include "cli/runner.h"
#include "cli/stuck.h"
#include "exe/origin.h"
#include "exe/predicate.h"
#include "trace/trace.h"

#include <rethread/schedule.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How often the log's header is looked at for a deadlock, in milliseconds. */
enum { WATCH_MS = 20 };

/* A program that ends by a signal that came by way of us was ended by the user. */
static volatile sig_atomic_t forwarded[NSIG];
static volatile sig_atomic_t asked_to_end; /* the last signal that did */
static volatile pid_t forward_to;

/* Those that ask for an end, and those that mean whatever the program takes them for. */
static const int forwarded_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM};
enum { NENDING = 4, NFORWARDED = sizeof forwarded_signals / sizeof *forwarded_signals };
static struct sigaction inherited[NFORWARDED]; /* what the program is to have */
static bool was_ignored[NSIG];                 /* among them */

/* Whether the program ignores the signal, or is none: the kernel's word. */
static bool program_ignores(int sig)
{
	char path[40], status[4096];
	snprintf(path, sizeof path, "/proc/%d/status", (int)forward_to);
	int fd = forward_to > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n = fd >= 0 ? read(fd, status, sizeof status - 1) : 0;
	if (fd >= 0)
		close(fd);
	status[n > 0 ? n : 0] = 0;
	const char *mask = strstr(status, "\nSigIgn:");
	return !mask || strtoull(mask + strlen("\nSigIgn:"), NULL, 16) >> (sig - 1) & 1;
}

/*
 * What the terminal sends (SI_KERNEL) reaches the program by itself, unless it is a daemon: those have a session of their own.
 * A signal that was ignored when we started (a shell's background job) is the program's alone, once that has a handler for it.
 */
static void forward(int sig, siginfo_t *info, void *context)
{
	(void)context;
	int saved = errno;
	if (was_ignored[sig] && (info->si_code == SI_KERNEL || program_ignores(sig))) {
		errno = saved;
		return;
	}
	forwarded[sig] = 1;
	for (size_t i = 0; i < NENDING; i++)
		if (forwarded_signals[i] == sig)
			asked_to_end = sig;
	if (forward_to > 0 && (info->si_code != SI_KERNEL || getsid(forward_to) != getsid(0)))
		kill(forward_to, sig);
	errno = saved;
}

void run_catch_signals(void)
{
	struct sigaction new = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO};
	for (size_t i = 0; i < NFORWARDED; i++) {
		sigaction(forwarded_signals[i], NULL, &inherited[i]);
		was_ignored[forwarded_signals[i]] = inherited[i].sa_handler == SIG_IGN;
		sigaction(forwarded_signals[i], &new, NULL);
	}
}

int run_signal(void)
{
	return asked_to_end;
}

/* Who crashes while it ends, because it was asked to, has failed. */
static bool crashed(int status)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		if (WIFSIGNALED(status) && WTERMSIG(status) == faults[i] && !forwarded[faults[i]])
			return true;
	return false;
}

static bool was_interrupted(int status)
{
	return asked_to_end || (WIFSIGNALED(status) && forwarded[WTERMSIG(status)]);
}

/* ---------------------------------------------------------------- starting */

struct watch {
	const struct run_options *options;
	const char *dir;
	pid_t pid;
	pid_t leader;                /* the one before it, when it was left behind by the program; else 0 */
	int pidfd;
	int copy_to;                 /* the file `output`, or -1 */
	int pipes[2];                /* read ends of the program's stdout and stderr, or -1 */
	const struct rt_log_header *log; /* mapped once it exists */
	ino_t inode;                 /* of the log */
	double look_again;           /* when to look whether it is stuck, in seconds after the start */
	struct runner runner;        /* of those that it starts, if it is one */
	bool stuck;
	struct timespec start;
};

char *run_variable(const struct run_options *o, const char *dir)
{
	const char *user = getenv("RETHREAD_OPTIONS");
	return xasprintf("margin=%llu%s%s%s,dir=%s%s%s%s%s%s%s%s%s", (unsigned long long)o->margin, o->patient ? ",tries=0" : "",
				user && *user ? "," : "", user ? user : "", dir,
				o->scheme ? ",scheme=" : "", o->scheme ? o->scheme : "",
				o->max_log ? ",max-log=" : "", o->max_log ? o->max_log : "",
				o->no_output ? ",output=0" : "", o->all_values ? ",values=all" : "",
				o->fail_if ? ",stacks=1" : "", o->runner ? ",command=1" : ",command=0");
}

static void set_options_variable(const struct watch *w)
{
	char *value = run_variable(w->options, w->dir);
	setenv("RETHREAD_OPTIONS", value, 1);
	free(value);
}

static void child(const struct watch *w, int write_ends[2], const sigset_t *mask)
{
	for (size_t i = 0; i < NFORWARDED; i++)
		sigaction(forwarded_signals[i], &inherited[i], NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	umask(w->options->umask);
	for (int i = 0; i < 2; i++)
		if (write_ends[i] >= 0)
			dup2(write_ends[i], i + 1);
	set_options_variable(w);
	if (w->options->twin) {
		const char *program = w->options->program;
		bool named = !strchr(program, ',') && strlen(program) < 500;
		char *variable = xasprintf("mode=record,build=%s%s%s%s", w->options->build_id,
					   w->options->shake ? ",shake=1" : "", named ? ",program=" : "",
					   named ? program : "");
		char *libraries = origin_setting(program, getenv("LD_LIBRARY_PATH"));
		if (w->options->attempt)
			variable = xasprintf("%s,sketch=%s/sketch,attempt=%s/attempt", variable, w->dir, w->dir);
		setenv(RT_TWIN_VARIABLE, variable, 1);
		if (libraries)
			putenv(libraries);
		execv(w->options->twin, w->options->argv);
	}
	execv(w->options->program, w->options->argv);
	dprintf(2, "rethread: cannot run %s: %s\n", w->options->program, strerror(errno));
	_exit(127);
}

/* Signals wait until it is known whom to forward them to. */
static pid_t fork_program(struct watch *w, int write_ends[2])
{
	sigset_t block, mask;
	sigemptyset(&block);
	for (size_t i = 0; i < NFORWARDED; i++)
		sigaddset(&block, forwarded_signals[i]);
	sigprocmask(SIG_BLOCK, &block, &mask);
	pid_t pid = fork();
	if (pid == 0)
		child(w, write_ends, &mask);
	forward_to = pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return pid;
}

static bool watch_process(struct watch *w)
{
	if (w->pidfd >= 0)
		close(w->pidfd);
	w->pidfd = (int)syscall(SYS_pidfd_open, w->pid, 0);
	return w->pidfd >= 0;
}

static bool start(struct watch *w, struct error *err)
{
	int write_ends[2] = {-1, -1};
	if (w->options->fail_if) {
		char *path = xasprintf("%s/output", w->dir);
		w->copy_to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (w->copy_to < 0)
			fail(err, "cannot write %s: %s", path, strerror(errno));
		free(path);
		if (w->copy_to < 0)
			return false;
		for (int i = 0; i < 2; i++) {
			int ends[2];
			if (pipe2(ends, O_CLOEXEC))
				return fail(err, "cannot make a pipe: %s", strerror(errno));
			w->pipes[i] = ends[0];
			write_ends[i] = ends[1];
		}
	}
	fflush(NULL);
	left_adopt();
	clock_gettime(CLOCK_MONOTONIC, &w->start);
	w->pid = fork_program(w, write_ends);
	for (int i = 0; i < 2; i++)
		if (write_ends[i] >= 0)
			close(write_ends[i]);
	if (w->pid < 0)
		return fail(err, "cannot start a process: %s", strerror(errno));
	if (!watch_process(w)) {
		kill(w->pid, SIGKILL);
		waitpid(w->pid, NULL, 0);
		forward_to = 0;
		return fail(err, "cannot watch the process: %s", strerror(errno));
	}
	return true;
}

/* ---------------------------------------------------------------- watching */

static void unmap_log(struct watch *w)
{
	if (w->log)
		munmap((void *)w->log, sizeof *w->log);
	w->log = NULL;
}

/* A process that becomes another program has a new log. */
static bool is_current(const struct watch *w, const char *path)
{
	struct stat st;
	return w->log && (stat(path, &st) || st.st_ino == w->inode);
}

static void map_log(struct watch *w)
{
	char *path = xasprintf("%s/log.%d", w->dir, (int)w->pid);
	bool current = is_current(w, path);
	int fd = current ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (fd < 0)
		return;
	unmap_log(w);
	struct stat st;
	if (!fstat(fd, &st) && st.st_size >= (off_t)sizeof *w->log) {
		w->inode = st.st_ino;
		void *p = mmap(NULL, sizeof *w->log, PROT_READ, MAP_SHARED, fd, 0);
		w->log = p == MAP_FAILED ? NULL : p;
	}
	close(fd);
}

static bool is_deadlocked(struct watch *w)
{
	map_log(w);
	if (!w->log || w->log->magic != RT_LOG_MAGIC)
		return false;
	/* The log ends when the other threads have said where they are. */
	return __atomic_load_n(&w->log->end_time, __ATOMIC_ACQUIRE) && w->log->failure.state == 2 &&
	       w->log->failure.kind == RT_FAIL_DEADLOCK;
}

/* Before the process is ended for being late: where its threads are. It has them say it soon, or not at all. */
static void ask_for_stacks(struct watch *w)
{
	const union sigval value = {.sival_int = RT_ASK_VALUE};
	int signal = w->log ? (int)w->log->ask_signal : 0;
	if (signal <= 0 || signal >= NSIG || w->log->magic != RT_LOG_MAGIC || sigqueue(w->pid, signal, value))
		return;
	for (int i = 0; i < 150 && !__atomic_load_n(&w->log->stacks, __ATOMIC_ACQUIRE); i++)
		nanosleep(&(struct timespec){0, 1000000}, NULL);
}

static double passed(const struct watch *w)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - w->start.tv_sec) + (double)(now.tv_nsec - w->start.tv_nsec) / 1e9;
}

static bool is_late(const struct watch *w)
{
	return w->options->timeout && passed(w) >= (double)w->options->timeout;
}

/* Looking takes time with many threads, of which the program is to have more. Twins look after themselves. */
static bool is_stuck(struct watch *w)
{
	double begin = passed(w);
	if (w->options->twin || !w->log || w->log->magic != RT_LOG_MAGIC || w->log->failure.state || begin < w->look_again)
		return false;
	w->stuck = stuck_is(w->pid, (int)w->log->ask_signal);
	double took = passed(w) - begin;
	w->look_again = begin + (took > 0.002 ? 50 * took : 0.1);
	return w->stuck;
}

static void put(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		data += n;
		size -= (size_t)n;
	}
}

/* Pass on what the program wrote; false at the end of the stream. */
static bool copy_output(struct watch *w, int which)
{
	char buffer[65536];
	ssize_t n = read(w->pipes[which], buffer, sizeof buffer);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0)
		return false;
	put(which + 1, buffer, (size_t)n);
	put(w->copy_to, buffer, (size_t)n);
	return true;
}

static void drain_output(struct watch *w)
{
	for (int i = 0; i < 2; i++) {
		struct pollfd p = {w->pipes[i], POLLIN, 0};
		while (w->pipes[i] >= 0 && poll(&p, 1, 0) > 0 && copy_output(w, i))
			continue;
	}
}

static const char *what_runs(const struct watch *w)
{
	return w->options->twin ? w->options->twin : w->options->program;
}

/* The program has ended well, and left a daemon behind: that is the one to watch now. */
static bool goes_on(struct watch *w)
{
	pid_t pid = left_find(w->dir, what_runs(w));
	if (!pid)
		return false;
	unmap_log(w);
	w->leader = w->pid;
	w->pid = pid;
	forward_to = pid;
	return watch_process(w);
}

/* What was left behind has become another program. */
static void look_away(struct watch *w)
{
	forward_to = 0;
	unmap_log(w);
	w->pid = w->leader;
}

/* Waits for the end; the kind it returns is RT_FAIL_TIMEOUT when that had to be forced, else NONE. */
static uint32_t watch_run(struct watch *w, int *status)
{
	uint32_t forced = RT_FAIL_NONE;
	for (;;) {
		struct pollfd p[3] = {{w->pidfd, POLLIN, 0}, {w->pipes[0], POLLIN, 0}, {w->pipes[1], POLLIN, 0}};
		poll(p, 3, WATCH_MS);
		for (int i = 0; i < 2; i++) {
			if ((p[i + 1].revents & (POLLIN | POLLHUP | POLLERR)) && !copy_output(w, i)) {
				close(w->pipes[i]);
				w->pipes[i] = -1;
			}
		}
		if (p[0].revents)
			break;
		if (w->leader && !left_runs(w->pid, what_runs(w))) {
			look_away(w);
			return forced;
		}
		if (forced)
			continue;
		if (w->options->runner && !w->log)
			runner_watch(&w->runner, passed(w));
		if (is_deadlocked(w))
			forced = RT_FAIL_DEADLOCK;
		else if (is_stuck(w) || is_late(w))
			forced = RT_FAIL_TIMEOUT;
		if (forced == RT_FAIL_TIMEOUT)
			ask_for_stacks(w);
		if (forced == RT_FAIL_TIMEOUT && w->options->runner && !w->log)
			runner_end(&w->runner);
		if (forced)
			kill(w->pid, SIGKILL);
	}
	forward_to = 0; /* the number may soon be somebody else's */
	while (waitpid(w->pid, status, 0) < 0 && errno == EINTR)
		continue;
	drain_output(w);
	return forced;
}

/* ---------------------------------------------------------------- judging */

static bool is_bad(const struct watch *w)
{
	char *output = xasprintf("%s/output", w->dir);
	mode_t ours = umask(w->options->umask);
	bool bad = predicate_holds(w->options->fail_if, output, 0);
	umask(ours);
	free(output);
	return bad;
}

/* The main thread, where the log does not say it. */
static uint32_t exiting_thread(const struct run_result *r)
{
	return r->logged && r->log.exits ? r->log.exits - 1 : 0;
}

static void judge(const struct watch *w, struct run_result *r, uint32_t forced)
{
	struct rt_failure *f = &r->failure;
	if (r->logged && r->log.failure.state == 2) {
		*f = r->log.failure;
		return;
	}
	f->state = 2;
	if (r->interrupted && !crashed(r->status))
		return;
	if (forced == RT_FAIL_TIMEOUT) {
		f->kind = RT_FAIL_TIMEOUT;
		if (w->stuck)
			snprintf(f->message, sizeof f->message, "all threads wait, and none is left that could wake one");
		else
			snprintf(f->message, sizeof f->message, "still running after %ld s", w->options->timeout);
	} else if (WIFSIGNALED(r->status)) {
		f->kind = RT_FAIL_SIGNAL;
		f->signal = WTERMSIG(r->status);
	} else if (WEXITSTATUS(r->status)) {
		f->kind = RT_FAIL_EXIT;
		f->status = WEXITSTATUS(r->status);
		f->thread = exiting_thread(r);
	} else if (w->options->fail_if && is_bad(w)) {
		f->kind = RT_FAIL_PREDICATE;
		f->thread = exiting_thread(r);
		snprintf(f->message, sizeof f->message, "%s", w->options->fail_if);
	}
}

static bool failed_with_threads(const struct rt_log_header *h)
{
	return h->flags & RT_LOG_CHILD && h->nthreads > 1 && h->failure.state == 2;
}

/*
 * Frameworks run tests in processes of their own, and servers their workers: the process that failed first is the one that
 * matters, if it had threads and the one that was started had not. An exit status alone is for that one to judge.
 */
static void blame_child(const struct watch *w, struct run_result *r)
{
	bool may = r->logged && r->log.nthreads <= 1 && !r->interrupted && r->failure.kind != RT_FAIL_PREDICATE;
	DIR *d = may ? opendir(w->dir) : NULL;
	struct rt_log_header h, first = {0};
	for (struct dirent *e; d && (e = readdir(d));)
		if (trace_log_header(w->dir, e->d_name, &h) && failed_with_threads(&h) &&
		    (r->failure.kind != RT_FAIL_NONE || h.failure.kind != RT_FAIL_EXIT) &&
		    (!first.pid || h.failure.time < first.failure.time))
			first = h;
	if (d)
		closedir(d);
	if (!first.pid)
		return;
	r->log = first;
	r->failure = first.failure;
	r->pid = (pid_t)first.pid;
}

bool run_recorded(const struct run_options *o, const char *dir, struct run_result *r, struct error *err)
{
	struct watch w = {.options = o, .dir = dir, .pidfd = -1, .copy_to = -1, .pipes = {-1, -1}, .runner.dir = dir};
	memset(r, 0, sizeof *r);
	bool ok = start(&w, err);
	if (ok) {
		uint32_t forced = watch_run(&w, &r->status);
		while (!forced && !r->status && !asked_to_end && goes_on(&w))
			forced = watch_run(&w, &r->status);
		r->pid = w.pid;
		r->interrupted = was_interrupted(r->status);
		map_log(&w);
		r->logged = w.log && w.log->magic == RT_LOG_MAGIC;
		if (r->logged)
			memcpy(&r->log, w.log, sizeof r->log);
		judge(&w, r, forced);
		if (o->runner && !r->logged)
			r->started = runner_judge(&w.runner, r);
		else
			blame_child(&w, r);
	}
	unmap_log(&w);
	for (int i = 0; i < 2; i++)
		if (w.pipes[i] >= 0)
			close(w.pipes[i]);
	if (w.copy_to >= 0)
		close(w.copy_to);
	if (w.pidfd >= 0)
		close(w.pidfd);
	return ok;
}
