/*
 * How a process was started, in its own words (DIR/command.PID, written by src/rt/command.c): one that was not started by `rethread record`,
 * or that became another program by exec.
 */
#ifndef RETHREAD_EXEC_H
#define RETHREAD_EXEC_H

#include "base/base.h"

#include <sys/types.h>

struct exec_command {
	char *program, *cwd;
	char **argv, **environment; /* each ends with NULL */
	char *bytes;                /* where the words are */
};

/* False when the process has left no such word. */
bool exec_read(struct exec_command *c, const char *dir, pid_t pid);
void exec_release(struct exec_command *c);
/* No longer needed: they hold environments. */
void exec_forget(const char *dir);

#endif
