/* Processes that a program leaves behind when it ends: daemons. */
#ifndef RETHREAD_LEFT_H
#define RETHREAD_LEFT_H

#include <stdbool.h>
#include <sys/types.h>

/* From now on they become our children. Call before the program is started. */
void left_adopt(void);

/*
 * One that is a daemon (it has a session of its own), runs `file` and writes a log in the trace directory `dir`, or has ended and did; 0: there
 * is none. A process that was forked a moment ago is given the time to become one.
 */
pid_t left_find(const char *dir, const char *file);

/* It runs `file`, or has ended: it has not become another program, whose end is nothing to wait for. */
bool left_runs(pid_t pid, const char *file);

#endif
