/*
 * One attempt of a search: the twin runs once under the conductor (src/replay/conductor.h), follows the sketch as far as it
 * can, and records the order of all accesses.
 *
 *     struct attempt a;
 *     attempt_init(&a, dir);                 a directory of its own, for as many attempts as wanted
 *     a.in.seed = ...; *vec_push(&a.waits) = ...;
 *     attempt_start(&a, &setting, &err);     several may run at a time
 *     attempt_finish(&a, &setting, &err);    a.failed: as recorded; a.out: what came of it
 *     attempt_release(&a);
 */
#ifndef RETHREAD_ATTEMPT_H
#define RETHREAD_ATTEMPT_H

#include "model/schedule.h"
#include "trace/trace.h"

#include <rethread/search.h>
#include <signal.h>
#include <sys/types.h>

/* What all attempts of a search have in common. */
struct attempt_setting {
	const struct trace *trace;
	const char *twin;
	const char *sketch;    /* file */
	unsigned timeout;      /* seconds for each */
	const volatile sig_atomic_t *stop; /* not 0: end at once; NULL: nobody asks */
};

struct attempt {
	char *dir;
	vec(struct schedule_wait) waits; /* to be enforced */
	struct rt_attempt *out;          /* mapped: both what is asked and what came */
	bool failed;                     /* as recorded */
	bool timed_out;
	pid_t pid;                       /* while it runs, else 0 */
	double started;
};

bool attempt_init(struct attempt *a, const char *dir, struct error *err);
void attempt_release(struct attempt *a);
bool attempt_start(struct attempt *a, const struct attempt_setting *s, struct error *err);
/* Waits for its end. False: it could not be run at all. */
bool attempt_finish(struct attempt *a, const struct attempt_setting *s, struct error *err);
/* What it recorded, as a trace of scheme rw; NULL when there is none. */
struct trace *attempt_trace(const struct attempt *a, struct error *err);
/* Ends it at once. */
void attempt_kill(struct attempt *a);

#endif
