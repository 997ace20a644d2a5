/*
 * The server of a twin's runs (src/exe/twin_server.h): before anything of the program has run it waits for requests. A request is the
 * length and the text of a setting; the answers are the run's number, and how it ended. Each run goes on in a fork.
 *
 * The kernel is asked by `syscall` alone: nothing here may be recorded or played.
 */
#include "replay/twin.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool hear(int fd, void *to, size_t size)
{
	char *at = to;
	while (size) {
		long n = syscall(SYS_read, fd, at, size);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

static void answer(int fd, int number)
{
	while (syscall(SYS_write, fd, &number, sizeof number) == -1 && errno == EINTR)
		;
}

/* A run: dies with the server, as the server dies with the tool. */
static void begin(int line, pid_t server)
{
	syscall(SYS_prctl, PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0ul, 0ul, 0ul);
	if (syscall(SYS_getppid) != server)
		_exit(125);
	syscall(SYS_close, line);
}

void serve(int line, char *setting, size_t size)
{
	pid_t server = (pid_t)syscall(SYS_getpid);
	for (;;) {
		uint32_t length;
		int status;
		if (!hear(line, &length, sizeof length) || length >= size || !hear(line, setting, length))
			_exit(0); /* nobody asks any more */
		setting[length] = 0;
		pid_t run = _Fork();
		if (run == 0) {
			begin(line, server);
			return;
		}
		answer(line, run < 0 ? -errno : run);
		if (run < 0)
			continue;
		while (syscall(SYS_wait4, run, &status, 0, NULL) == -1 && errno == EINTR)
			;
		answer(line, status);
	}
}
