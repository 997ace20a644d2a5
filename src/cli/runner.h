/*
 * A runner is a program that is not recorded itself, and starts some that are: a script, a framework for tests. Each process that is
 * recorded leaves a log of its own in the trace directory. While the runner runs, those that cannot go on are ended, since nobody else would;
 * when it has failed, one of them is to blame, and its log alone is the trace's.
 */
#ifndef RETHREAD_CLI_RUNNER_H
#define RETHREAD_CLI_RUNNER_H

#include "cli/run.h"

struct runner {
	const char *dir;  /* where the logs are */
	double look_again; /* in seconds after the start: watching takes time */
	unsigned tidied;  /* logs of processes that ended well, which are gone */
	pid_t hangs;      /* a process that was ended because it hung, or for the time it took; 0: none */
	bool late;        /* ... for the time */
};

/* Now and then, `now` seconds after the start: ends processes that are in a deadlock, or none of whose threads can go on; removes logs of those that ended well. */
void runner_watch(struct runner *r, double now);
/* The time is over: all processes that are recorded are ended. */
void runner_end(struct runner *r);
/*
 * The runner has ended, with the verdict that is in `result`. If it failed, puts the process there that is to blame (pid, log, failure); else, if only one
 * was recorded, that one, which did not fail. Logs of others are removed. How many were recorded in all.
 */
unsigned runner_judge(struct runner *r, struct run_result *result);

#endif
