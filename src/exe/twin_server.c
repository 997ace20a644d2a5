#include "exe/twin_server.h"

#include "base/interrupt.h"
#include "exe/twin.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct twin_server {
	pid_t pid;
	int line; /* requests go there, answers come from there */
	const char *twin; /* for messages */
};

struct twin_server *twin_server_start(const struct trace *t, const char *twin, bool quiet, struct error *err)
{
	int line[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line)) {
		fail(err, "cannot make a socket: %s", strerror(errno));
		return NULL;
	}
	struct twin_server *s = xcalloc(1, sizeof *s);
	*s = (struct twin_server){ .line = line[0], .twin = twin };
	char *variable = xasprintf("mode=serve,line=%d", line[1]);
	struct twin_run run = { .variable = variable, .quiet = quiet, .inherited = line[1] };
	s->pid = twin_start(t, twin, &run, NULL, err);
	free(variable);
	close(line[1]);
	if (s->pid > 0)
		return s;
	twin_server_stop(s);
	return NULL;
}

/* What a server that answers no more has to say by its end. */
static bool fail_ended(struct twin_server *s, struct error *err)
{
	int status = 0;
	waitpid(s->pid, &status, 0);
	s->pid = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return fail(err, "cannot execute %s", s->twin);
	return fail(err, WIFSIGNALED(status) ? "the twin died as it began: signal %d" : "the twin ended as it began: status %d",
		    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* A server that has died is no reason to die of SIGPIPE. */
static bool tell(struct twin_server *s, const void *data, size_t size)
{
	return send(s->line, data, size, MSG_NOSIGNAL) == (ssize_t)size;
}

static bool hear(struct twin_server *s, int *number)
{
	ssize_t n;
	do
		n = recv(s->line, number, sizeof *number, MSG_WAITALL);
	while (n < 0 && errno == EINTR);
	return n == sizeof *number;
}

/* Until it says how the run ended. */
static void await(struct twin_server *s, pid_t run, unsigned timeout, bool *timed_out)
{
	struct timespec start, now;
	struct pollfd answer = { .fd = s->line, .events = POLLIN };
	clock_gettime(CLOCK_MONOTONIC, &start);
	while (poll(&answer, 1, 5) <= 0) { /* milliseconds: soon enough to see that somebody interrupts */
		clock_gettime(CLOCK_MONOTONIC, &now);
		bool late = timeout && now.tv_sec - start.tv_sec >= (time_t)timeout;
		if ((late || interrupt_signal()) && !*timed_out) {
			*timed_out = true;
			kill(run, SIGKILL);
		}
	}
}

bool twin_server_run(struct twin_server *s, const char *variable, unsigned timeout, int *status, bool *timed_out, struct error *err)
{
	uint32_t size = (uint32_t)strlen(variable);
	int run;
	*timed_out = false;
	if (s->pid <= 0)
		return fail(err, "the twin's server is gone");
	if (!tell(s, &size, sizeof size) || !tell(s, variable, size) || !hear(s, &run))
		return fail_ended(s, err);
	if (run < 0)
		return fail(err, "cannot start another process: %s", strerror(-run));
	await(s, run, timeout, timed_out);
	return hear(s, status) || fail_ended(s, err);
}

void twin_server_stop(struct twin_server *s)
{
	if (!s)
		return;
	close(s->line);
	if (s->pid > 0) {
		kill(s->pid, SIGKILL); /* its run, if there is one, dies with it */
		waitpid(s->pid, NULL, 0);
	}
	free(s);
}
