#include "infer/crew.h"

#include "base/interrupt.h"
#include "infer/progress.h"
#include "solve/solver.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What an engine may take beyond its time before it is ended; it looks at the clock itself, but not everywhere. */
#define GRACE_SECONDS 1.0
#define GRACE_SHARE 0.1
/* When solve says that nothing explains the log, search may try to refute it for so long. */
#define SECOND_LOOK 5.0

/* ---- processes ---- */

enum { MOST_CHILDREN = 64 };

static size_t children_of(pid_t pid, pid_t children[MOST_CHILDREN])
{
	char path[64], *text, *at, *end;
	size_t size, n = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	if (!read_file(path, &text, &size, NULL))
		return 0;
	for (at = text; n < MOST_CHILDREN; at = end) {
		long child = strtol(at, &end, 10);
		if (end == at)
			break;
		children[n++] = (pid_t)child;
	}
	free(text);
	return n;
}

/* What members that were ended have left: it may still write where they worked. */
static void end_orphans(void)
{
	pid_t children[MOST_CHILDREN];
	for (size_t n; (n = children_of(getpid(), children));) {
		for (size_t i = 0; i < n; i++)
			kill(children[i], SIGKILL);
		waitpid(-1, NULL, 0);
	}
}

/* ---- memory ---- */

static uint64_t number_after(const char *path, const char *name)
{
	char *text, *at;
	size_t size;
	uint64_t value = 0;
	if (!read_file(path, &text, &size, NULL))
		return 0;
	if ((at = strstr(text, name)))
		value = strtoull(at + strlen(name), NULL, 10);
	free(text);
	return value;
}

uint64_t crew_memory_default(void)
{
	uint64_t available = number_after("/proc/meminfo", "MemAvailable:") << 10;
	return available ? available / 2 : UINT64_MAX;
}

enum { GENERATIONS = 3 }; /* of an engine: the twin's server, its runs, and what those fork */

static uint64_t memory_of(pid_t pid, unsigned depth)
{
	char path[64];
	pid_t children[MOST_CHILDREN];
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	uint64_t sum = number_after(path, "RssAnon:") << 10;
	size_t n = depth ? children_of(pid, children) : 0;
	for (size_t i = 0; i < n; i++)
		sum += memory_of(children[i], depth - 1);
	return sum;
}

/* ---- members ---- */

static void start(struct crew *c, struct crew_member *m)
{
	struct error err;
	m->started = true;
	m->dir = temp_dir(&err);
	fflush(NULL);
	pid_t parent = getpid();
	m->pid = m->dir ? fork() : -1;
	if (m->pid < 0)
		die(EXIT_ERROR, "%s", m->dir ? "cannot start another process" : err.text);
	if (m->pid)
		return;
	interrupt_release();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_ERROR);
	setenv("TMPDIR", m->dir, 1); /* it may be killed at any time, with a replay's folder in there */
	char *path = xasprintf("%s/out", m->dir);
	int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (out < 0 || dup2(out, STDOUT_FILENO) < 0)
		die(EXIT_ERROR, "cannot write %s", path);
	m->run(c->data, m);
	_exit(EXIT_ERROR);
}

static void end(struct crew_member *m, int code)
{
	if (m->pid > 0) {
		kill(m->pid, SIGKILL);
		waitpid(m->pid, NULL, 0);
	}
	m->pid = 0;
	m->ended = true;
	m->code = code;
}

/* Files are written as memory, and where there is no space for them that ends in SIGBUS. */
static bool lacked_space(const struct crew_member *m, int signal)
{
	enum { LITTLE = 1 << 20 };
	struct statvfs disk;
	return signal == SIGBUS && !statvfs(m->dir, &disk) && disk.f_bavail * disk.f_frsize < LITTLE;
}

static void reap(struct crew_member *m)
{
	int status;
	if (m->pid <= 0 || waitpid(m->pid, &status, WNOHANG) != m->pid)
		return;
	m->pid = 0;
	m->ended = true;
	m->code = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_ERROR;
	if (!WIFSIGNALED(status) || interrupt_signal())
		return;
	if (lacked_space(m, WTERMSIG(status)))
		progress_line("rethread: engine %s ended: no space is left for files in %s; TMPDIR names another place", m->engine, m->dir);
	else
		progress_line("rethread: engine %s crashed: %s; this is a mistake in rethread, please report it", m->engine,
			      strsignal(WTERMSIG(status)));
}

static void check_time(const struct crew *c, struct crew_member *m)
{
	double most = m->seconds + GRACE_SECONDS + GRACE_SHARE * m->seconds;
	if (m->pid <= 0 || solver_clock() - c->begun - m->after < most)
		return;
	if (!c->none)
		progress_line("rethread: the budget of %.0f s ended before engine %s found an interleaving; --budget gives more",
			      c->budget, m->engine);
	end(m, EXIT_BUDGET);
}

/* Who takes most, ends. */
static void check_memory(struct crew *c)
{
	uint64_t sum = 0, most = 0;
	struct crew_member *greatest = NULL;
	for (size_t i = 0; i < c->n; i++) {
		struct crew_member *m = &c->members[i];
		uint64_t one = m->pid > 0 ? memory_of(m->pid, GENERATIONS) : 0;
		sum += one;
		if (one > most)
			most = one, greatest = m;
	}
	if (sum <= c->memory || !greatest)
		return;
	progress_line("rethread: engine %s takes %llu MB, and the budget is %llu MB; --memory gives more", greatest->engine,
		      (unsigned long long)(most >> 20), (unsigned long long)(c->memory >> 20));
	end(greatest, EXIT_BUDGET);
}

/* ---- all of them ---- */

static bool at_work(const struct crew *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->members[i].pid > 0)
			return true;
	return false;
}

static bool is_over(const struct crew *c)
{
	bool all = true;
	for (size_t i = 0; i < c->n; i++) {
		const struct crew_member *m = &c->members[i];
		if (m->ended && (m->code == EXIT_DONE || m->code == EXIT_USAGE))
			return true;
		all &= m->ended;
	}
	return all;
}

/* Who is due; where nobody works, the next one is. */
static void start_due(struct crew *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct crew_member *m = &c->members[i];
		double now = solver_clock() - c->begun;
		bool early = !at_work(c);
		if (m->started || (!early && now < m->after))
			continue;
		if (i && !c->none)
			progress_line(early ? "going on with engine %s" : "engine %s works beside it from now on", m->engine);
		if (early)
			m->after = now;
		m->beside = !early;
		start(c, m);
	}
}

/* Nothing explains the log, it is said: who else is there has a moment to show something that does. */
static void second_look(struct crew *c)
{
	c->none = true;
	for (size_t i = 0; i < c->n; i++) {
		struct crew_member *m = &c->members[i];
		double most = m->started ? solver_clock() - c->begun - m->after + SECOND_LOOK : SECOND_LOOK;
		if (m->ended)
			continue;
		if (m->seconds > most)
			m->seconds = most;
		progress_line("engine solve says that nothing explains the log; engine %s has a last look", m->engine);
	}
}

static void watch(struct crew *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct crew_member *m = &c->members[i];
		reap(m);
		check_time(c, m);
		if (m->ended && m->code == EXIT_NO_INTERLEAVING && !c->none)
			second_look(c);
	}
}

static void interrupt(struct crew *c)
{
	double since = solver_clock();
	struct timespec tick = { .tv_nsec = 10 * 1000 * 1000 };
	for (size_t i = 0; i < c->n; i++)
		if (c->members[i].pid > 0)
			kill(c->members[i].pid, interrupt_signal());
	while (at_work(c) && solver_clock() - since < 2) {
		for (size_t i = 0; i < c->n; i++)
			reap(&c->members[i]);
		nanosleep(&tick, NULL);
	}
}

/* Who has a result, else whose budget ended, else the first. */
static struct crew_member *choose(struct crew *c)
{
	static const int best[] = { EXIT_DONE, EXIT_USAGE, EXIT_UNSTEADY, EXIT_NO_INTERLEAVING, EXIT_BUDGET };
	for (size_t b = 0; b < sizeof best / sizeof *best; b++)
		for (size_t i = 0; i < c->n; i++)
			if (c->members[i].ended && c->members[i].code == best[b])
				return &c->members[i];
	return &c->members[0];
}

int crew_work(struct crew *c, struct crew_member **decided)
{
	struct timespec tick = { .tv_nsec = 200 * 1000 };
	c->begun = solver_clock();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	interrupt_catch();
	for (unsigned round = 0; !is_over(c) && !interrupt_signal(); round++) {
		start_due(c);
		nanosleep(&tick, NULL);
		if (tick.tv_nsec < 10 * 1000 * 1000)
			tick.tv_nsec += tick.tv_nsec / 4; /* short work is noticed quickly, long work cheaply */
		if (round % 8 == 0)
			check_memory(c);
		watch(c);
	}
	if (interrupt_signal())
		interrupt(c);
	for (size_t i = 0; i < c->n; i++)
		if (!c->members[i].ended)
			end(&c->members[i], EXIT_ERROR);
	end_orphans();
	interrupt_release();
	*decided = choose(c);
	return interrupt_signal() ? 128 + interrupt_signal() : (*decided)->code;
}

void crew_release(struct crew *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->members[i].dir && !getenv("RETHREAD_KEEP"))
			remove_tree(c->members[i].dir, NULL);
		free(c->members[i].dir);
	}
}
