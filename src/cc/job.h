/*
 * Jobs: the commands a clang driver would run, as it prints them with -###.
 *
 *     struct jobs jobs = {0};
 *     if (!jobs_ask(&jobs, clang_argv, tmp, &err)) ...
 *     status = jobs_run(jobs.at, jobs.n - 1, nproc, true);
 *     jobs_release(&jobs);
 */
#ifndef RETHREAD_CC_JOB_H
#define RETHREAD_CC_JOB_H

#include "base/base.h"

typedef vec(char *) strings; /* owns its strings; NULL-terminated only after strings_end */

void strings_add(strings *s, const char *text);
void strings_insert(strings *s, size_t at, const char *text);
void strings_remove(strings *s, size_t at);
strings strings_copy(const strings *s);
char **strings_end(strings *s); /* s->at with a NULL behind the last */
void strings_release(strings *s);

struct job {
	strings argv;
	strings environment;  /* "NAME=VALUE", added to ours */
	const char *output;   /* file that gets stdout and stderr, or NULL */
	const char *printed;  /* another file that gets stdout, or NULL */
	int status;           /* after jobs_run: exit status, 128 + signal, or -1: not run */
};

struct jobs {
	vec(struct job) list;
	char *remarks;        /* what clang said besides the jobs and its banner: warnings */
};

/*
 * Run clang (argv without -###, NULL-terminated) with -### and TMPDIR=tmp. False with the error
 * empty when clang itself failed: run it again without -### to let it say why.
 */
bool jobs_ask(struct jobs *jobs, char **argv, const char *tmp, struct error *err);
/* The parser behind jobs_ask: text is what clang -### printed. */
void jobs_parse(struct jobs *jobs, const char *text);
void jobs_release(struct jobs *jobs);
void job_release(struct job *job);

/*
 * Run n jobs, up to `parallel` at once; a job waits for earlier ones whose output (-o) it reads, or that write the same file, and is left
 * out when one whose output it reads failed. With keep_going false the first failure stops what has not started. Returns the first
 * failing status, or 0.
 * An interruption (base/interrupt.h) is handed on to those that run, and no more are started.
 */
int jobs_run(struct job *jobs, size_t n, unsigned parallel, bool keep_going);

/* Print as -v does. */
void job_print(const struct job *job);

#endif
