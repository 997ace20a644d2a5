#include "cli/left.h"

#include "base/base.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long a process that lives on is given to become a daemon, in milliseconds. */
enum { PATIENCE_MS = 1000 };

void left_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* A child of ours that nobody has waited for; `ended`: it has. */
static bool is_child(pid_t pid, bool *ended)
{
	siginfo_t info = {.si_pid = 0};
	bool is = !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
	*ended = info.si_pid;
	return is;
}

bool left_runs(pid_t pid, const char *file)
{
	char *exe = xasprintf("/proc/%d/exe", (int)pid);
	struct stat a, b;
	bool other = !stat(exe, &a) && !stat(file, &b) && (a.st_dev != b.st_dev || a.st_ino != b.st_ino);
	free(exe);
	return !other;
}

/* `hope`: there is one that may become a daemon yet, which is what processes do first that were forked for it. */
static pid_t find(const char *dir, const char *file, bool *hope)
{
	pid_t found = 0;
	DIR *d = opendir(dir);
	*hope = false;
	for (struct dirent *e; !found && d && (e = readdir(d));) {
		pid_t pid = strncmp(e->d_name, "log.", 4) ? 0 : (pid_t)atol(e->d_name + 4);
		bool ended;
		if (pid <= 0 || !is_child(pid, &ended) || !left_runs(pid, file))
			continue;
		if (getsid(pid) != getsid(0))
			found = pid;
		else
			*hope |= !ended;
	}
	if (d)
		closedir(d);
	return found;
}

/* One that lives may be one whose log is about to appear. Those that have ended, and are no daemons, nobody will wait for. */
static bool has_living_child(void)
{
	siginfo_t info = {.si_pid = 0};
	while (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT)) {
		if (!info.si_pid)
			return true;
		waitpid(info.si_pid, NULL, 0);
		info.si_pid = 0;
	}
	return false;
}

pid_t left_find(const char *dir, const char *file)
{
	bool hope = true;
	for (int i = 0; i < PATIENCE_MS && hope; i++) {
		pid_t pid = find(dir, file, &hope);
		if (pid)
			return pid;
		hope |= has_living_child();
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	}
	return 0;
}
