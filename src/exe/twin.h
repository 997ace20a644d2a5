/*
 * Running the twin of a recorded program: taking it out of the executable, starting it with the recorded
 * arguments, environment and directory, and judging whether a replayed run failed as recorded.
 * Used by `rethread replay` and by rethread-infer.
 */
#ifndef RETHREAD_EXE_TWIN_H
#define RETHREAD_EXE_TWIN_H

#include "base/base.h"
#include "trace/trace.h"

#include <sys/types.h>

#include <rethread/schedule.h>

/*
 * The executable that a trace was recorded with: checks that it is still the same build. The twin is put into
 * `dir` as the file `twin`, once. Malloc'ed path, or NULL.
 */
char *twin_extract(const struct trace *t, const char *dir, struct error *err);

struct twin_run {
	const char *variable;  /* value of RETHREAD_TWIN */
	const char *options;   /* value of RETHREAD_OPTIONS, or NULL */
	bool quiet;            /* standard output and error go to /dev/null, input comes from it */
	unsigned timeout;      /* seconds, then SIGKILL; 0 = none */
	int inherited;         /* a descriptor that the twin keeps; 0 = none */
};
/*
 * Starts it, addresses not randomised where that is allowed; output and error go to the file `output` when that is not NULL. -1: cannot. Runs that
 * have to lay memory out alike are those of one server (twin_server.h).
 */
pid_t twin_start(const struct trace *t, const char *twin, const struct twin_run *run, const char *output,
		 struct error *err);

/* A run of the twin that is over. */
struct replayed {
	const char *twin, *output; /* output: a file, or NULL */
	const struct rt_report *report;
	int status;                /* as from waitpid */
	bool timed_out;
};
/* Did it fail with the recorded signature: kind, thread, and what names the failure among those of its kind? */
bool twin_same_failure(const struct trace *t, const struct replayed *x);

/* One replay of a schedule: what came of it. */
struct replay_result {
	bool reproduced;       /* failed with the recorded signature */
	struct rt_report report;
	char why[1024];        /* not reproduced: one sentence */
};
/* Value of RETHREAD_TWIN for a replay; malloc'ed. `shake`: 0, or a seed by which threads are late (src/replay/shake.c). */
char *twin_replay_variable(const struct trace *t, const char *schedule, const char *report, unsigned timeout, unsigned shake);
bool twin_replay(const struct trace *t, const char *twin, const char *schedule, unsigned timeout, unsigned shake, bool quiet,
		 struct replay_result *result, struct error *err);

struct symbols;
struct position;
/*
 * Where the program failed: the innermost frame that is its own code, not the runtime's that is linked into it. False
 * when there is none or nothing is known of it.
 */
bool failure_site(struct symbols *s, const struct rt_failure *f, struct position *p);
/* The same, or in code that comes with rethread as the program's (src/library). */
bool failure_code_site(struct symbols *s, const struct rt_failure *f, struct position *p);
/* The same, but the program's own line, where that is in a header of the system. */
bool failure_own_site(struct symbols *s, const struct rt_failure *f, struct position *p);

/* The recorded signature as one line: "assertion failed in thread 1:2: ...". */
/* "threads 1, 1:1 and 1:2 are all blocked", where the message of a deadlock has names and no cycle (src/replay/attempt.c, watchdog.c); else the message. To be freed. */
char *deadlock_text(const char *message);
void failure_describe(const struct trace *t, const struct rt_failure *f, const char *thread, char *text,
		      size_t size);

#endif
