/* `rethread replay --gdb`: a replay in the debugger. */
#ifndef RETHREAD_CLI_GDB_H
#define RETHREAD_CLI_GDB_H

#include "trace/trace.h"

/*
 * Runs gdb on the twin so that it replays the schedule, and stops just before the failing operation. `batch`: a file of
 * gdb commands to run there, after which gdb ends; NULL: the user takes over. Returns gdb's exit status.
 */
int gdb_replay(const struct trace *t, const char *twin, const char *schedule, const char *batch);

#endif
