/* The log's account of a deadlock: who waits for whom (the message of RT_FAIL_DEADLOCK, src/rt/deadlock.c). */
#ifndef RETHREAD_CLI_CYCLE_H
#define RETHREAD_CLI_CYCLE_H

#include "trace/trace.h"

struct cycle_step {
	char thread[64], other[64]; /* names */
	bool joins;                 /* it waits for the other's end, not for a lock that it has */
};

/* The first of the steps in *message, which goes on to the next; false when there is none. */
bool cycle_next(const char **message, struct cycle_step *step);

/* "FILE:LINE" of the thread's own code in its backtrace of that moment; malloc'ed, empty when the log does not tell. */
char *cycle_where(const struct trace *t, const char *thread);

#endif
