#include "cli/stuck.h"

#include "base/base.h"

#include <dirent.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* A thread's wait: where, and how often it has given up the processor. */
struct wait {
	long tid;
	unsigned long long address, switches;
};

typedef vec(struct wait) waits;

/* A file in /proc of a task; malloc'ed, or NULL. */
static char *look(pid_t pid, long tid, const char *name)
{
	char *path = xasprintf("/proc/%d/task/%ld/%s", (int)pid, tid, name), *text = NULL;
	if (!read_file(path, &text, NULL, NULL))
		text = NULL;
	free(path);
	return text;
}

/* The number behind a word at the beginning of a line. */
static unsigned long long field(const char *text, const char *name, int base)
{
	const char *at = strstr(text, name);
	return at ? strtoull(at + strlen(name), NULL, base) : 0;
}

/* Does the task wait at a futex, for as long as it takes? */
static bool waits_at(const char *syscall_line, unsigned long long *address)
{
	unsigned long long a[4];
	int number;
	if (sscanf(syscall_line, "%d %llx %llx %llx %llx", &number, &a[0], &a[1], &a[2], &a[3]) != 5 || number != SYS_futex || a[3])
		return false;
	switch (a[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		*address = a[0];
		return true;
	default:
		return false;
	}
}

enum task { GOES_ON, WAITS, IS_OVER };

static enum task look_at_task(pid_t pid, long tid, struct wait *w)
{
	char *call = look(pid, tid, "syscall"), *status = look(pid, tid, "status");
	enum task task = GOES_ON;
	if (status && strstr(status, "\nState:\tZ"))
		task = IS_OVER; /* a main thread that has called pthread_exit */
	else if (status && call && waits_at(call, &w->address) && strstr(status, "\nState:\tS") && !field(status, "\nTracerPid:", 10))
		task = WAITS;
	w->tid = tid;
	if (task == WAITS)
		w->switches = field(status, "\nvoluntary_ctxt_switches:", 10) + field(status, "\nnonvoluntary_ctxt_switches:", 10);
	free(call);
	free(status);
	return task;
}

/* All tasks, in the order of the folder; false as soon as one does not wait. */
static bool look_at_all(pid_t pid, waits *all)
{
	char *path = xasprintf("/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	enum task task = d ? IS_OVER : GOES_ON;
	free(path);
	for (struct dirent *e; task != GOES_ON && (e = readdir(d));) {
		struct wait w;
		if (e->d_name[0] == '.')
			continue;
		task = look_at_task(pid, atol(e->d_name), &w);
		if (task == WAITS)
			*vec_push(all) = w;
	}
	if (d)
		closedir(d);
	return task != GOES_ON && all->n;
}

/* Handlers of the target's own may wake somebody. Those of what a thread does itself are the recorder's, 32 and 33 the C library's. */
static bool catches_signals(pid_t pid, const waits *all, int asks)
{
	const int not_its_own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGPIPE, SIGXFSZ, 32, 33, asks};
	char *status = look(pid, all->at[0].tid, "status");
	uint64_t caught = status ? field(status, "\nSigCgt:", 16) : UINT64_MAX;
	for (size_t i = 0; i < sizeof not_its_own / sizeof *not_its_own; i++)
		if (not_its_own[i] > 0 && not_its_own[i] <= 64)
			caught &= ~(1ull << (not_its_own[i] - 1));
	free(status);
	return caught;
}

/* Is the address in memory of this process alone? */
static bool is_private(const char *maps, unsigned long long address)
{
	for (const char *line = maps; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		unsigned long long from, to;
		char rights[5];
		if (sscanf(line, "%llx-%llx %4s", &from, &to, rights) == 3 && address >= from && address < to)
			return rights[3] == 'p';
	}
	return false;
}

static bool are_private(pid_t pid, const waits *all)
{
	char *maps = look(pid, all->at[0].tid, "maps");
	bool are = maps != NULL;
	for (size_t i = 0; are && i < all->n; i++)
		are = is_private(maps, all->at[i].address);
	free(maps);
	return are;
}

static bool are_same(const waits *a, const waits *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (a->at[i].tid != b->at[i].tid || a->at[i].address != b->at[i].address || a->at[i].switches != b->at[i].switches)
			return false;
	return a->n == b->n;
}

bool stuck_is(pid_t pid, int asks)
{
	waits first = {0}, second = {0};
	bool is = look_at_all(pid, &first) && !catches_signals(pid, &first, asks) && are_private(pid, &first) && look_at_all(pid, &second) &&
		  are_same(&first, &second);
	vec_free(&first);
	vec_free(&second);
	return is;
}
