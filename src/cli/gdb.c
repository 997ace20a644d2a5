#include "cli/gdb.h"

#include "base/interrupt.h"
#include "exe/origin.h"
#include "exe/twin.h"

#include <errno.h>
#include <rethread/schedule.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What gdb is told first. Variables that a line of gdb cannot hold are left out. */
static void write_commands(FILE *f, const struct trace *t, const char *variable)
{
	char *script = tool_file("rethread-gdb.py");
	fprintf(f, "set confirm off\nset pagination off\nset breakpoint pending on\nunset environment\n");
	for (size_t i = 0; t->environment && t->environment[i]; i++) {
		const char *e = t->environment[i];
		if (strncmp(e, "RETHREAD_", 9) && !strchr(e, '\n'))
			fprintf(f, "set environment %s\n", e);
	}
	const char *libraries = NULL;
	for (size_t i = 0; t->environment && t->environment[i]; i++)
		if (!strncmp(t->environment[i], "LD_LIBRARY_PATH=", 16))
			libraries = t->environment[i] + 16;
	char *setting = origin_setting(t->program, libraries);
	if (setting)
		fprintf(f, "set environment %s\n", setting);
	free(setting);
	/* gdb has the file's name for the program's own; not every name can stand in the line. */
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";
	const char *own = t->argv ? t->argv[0] : NULL;
	if (own && *own && !own[strspn(own, plain)])
		fprintf(f, "set exec-wrapper bash -c 'exec -a %s \"$0\" \"$@\"'\n", own);
	fprintf(f, "set environment " RT_TWIN_VARIABLE "=%s\n", variable);
	if (t->cwd && !access(t->cwd, X_OK))
		fprintf(f, "set cwd %s\n", t->cwd);
	fprintf(f, "source %s\nrethread run\n", script);
	free(script);
}

_Noreturn static void start_gdb(const struct trace *t, const char *twin, const char *commands, const char *batch)
{
	size_t n = 0, argc = 0;
	while (t->argv && t->argv[argc])
		argc++;
	char **argv = xcalloc(argc + 12, sizeof *argv);
	argv[n++] = "gdb";
	argv[n++] = "-q";
	if (batch)
		argv[n++] = "-batch";
	argv[n++] = "-x";
	argv[n++] = xstrdup(commands);
	if (batch) {
		argv[n++] = "-x";
		argv[n++] = xstrdup(batch);
	}
	argv[n++] = "--args";
	argv[n++] = xstrdup(twin);
	for (size_t i = 1; i < argc; i++)
		argv[n++] = t->argv[i];
	setenv("SHELL", "/bin/sh", 1); /* gdb starts the program through it */
	execvp("gdb", argv);
	fprintf(stderr, "rethread: cannot start gdb: %s\n", strerror(errno));
	_exit(EXIT_ERROR);
}

int gdb_replay(const struct trace *t, const char *twin, const char *schedule, const char *batch)
{
	struct error err;
	interrupt_catch(); /* at the terminal SIGINT is for gdb, which is in the same group */
	char *dir = temp_dir(&err);
	if (!dir)
		die(EXIT_ERROR, "%s", err.text);
	char *report = xasprintf("%s/report", dir), *commands = xasprintf("%s/commands", dir);
	char *variable = twin_replay_variable(t, schedule, report, 1000000, 0);
	FILE *f = fopen(commands, "we");
	if (!f)
		die(EXIT_ERROR, "cannot write %s: %s", commands, strerror(errno));
	write_commands(f, t, variable);
	if (fclose(f))
		die(EXIT_ERROR, "cannot write %s: %s", commands, strerror(errno));
	fflush(NULL);
	pid_t child = fork();
	if (!child)
		start_gdb(t, twin, commands, batch);
	int status = 0;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		if (interrupt_signal() != SIGINT)
			kill(child, interrupt_signal());
	remove_tree(dir, NULL);
	if (interrupt_signal() != SIGINT)
		interrupt_end();
	free(dir);
	free(report);
	free(commands);
	free(variable);
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_ERROR;
}
