#include "exe/predicate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

bool predicate_holds(const char *command, const char *output, int status)
{
	pid_t pid = fork();
	if (pid == 0) {
		char text[16];
		snprintf(text, sizeof text, "%d", status);
		int fd = open(output, O_RDONLY);
		if (fd >= 0)
			dup2(fd, 0);
		dup2(2, 1); /* standard output belongs to the recorded program */
		setenv("RETHREAD_OUTPUT", output, 1);
		setenv("RETHREAD_STATUS", text, 1);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	int raw = -1;
	while (pid > 0 && waitpid(pid, &raw, 0) < 0 && errno == EINTR)
		continue;
	bool ended = pid > 0 && WIFEXITED(raw);
	if (!ended || WEXITSTATUS(raw) >= 126)
		warn("--fail-if: the command `%s' could not be run", command);
	return ended && WEXITSTATUS(raw) == 0;
}
