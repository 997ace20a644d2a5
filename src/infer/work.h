/*
 * One engine at work on a trace, in a process of its own (crew.h): what it was asked for, what it has found. Results go to
 * files of `dir`; they become the trace's own when the engine is the first to come to an end.
 *
 *     work.c           what the engines share
 *     engine_solve.c   symbolic execution and constraints (solving.h)
 *     engine_search.c  attempts;  follow_order: an order that was recorded
 */
#ifndef RETHREAD_WORK_H
#define RETHREAD_WORK_H

#include "infer/request.h"
#include "infer/result.h"
#include "model/schedule.h"
#include "trace/trace.h"

#define WORK_SCHEDULE "found.schedule"
#define WORK_INTERLEAVING "found.json"
#define WORK_FIGURES "figures.json"

struct work {
	const struct request *request;
	const struct trace *trace;
	const char *twin;
	const char *dir;
	double start, seconds; /* when it began, and how long it may take */
	bool alone;            /* there is no other engine */
	bool beside;           /* of another one that is at work now */
	struct figures figures;
	unsigned unreliable;   /* candidates that fail as recorded in some replays only; the last one is kept */
	struct proof {
		unsigned failed, runs;          /* as recorded, of so many replays */
		unsigned shaken_failed, shaken; /* the same where threads were late at random */
	} last;                /* of the last candidate that failed as recorded at all */
};

double work_left(const struct work *w);
bool work_over(const struct work *w);

/* The end of this process. */
_Noreturn void work_finish(struct work *w, int code, const char *outcome);
_Noreturn void work_give_up(struct work *w, const struct error *err);

/* A schedule of this trace's program. */
void work_name_module(const struct work *w, struct schedule *schedule);
/*
 * Replays a candidate, several times where that is quick, with a limit of so many seconds for each run: does it fail as
 * recorded? One that does so only now and then is kept, in case nothing better comes; after a few of them it will do.
 */
enum replays { REPLAYS_NEVER, REPLAYS_SOMETIMES, REPLAYS };
enum replays work_replays(struct work *w, const struct schedule *schedule, unsigned seconds, struct error *err);
/* Is that enough? */
bool work_accepts(const struct work *w, enum replays replays);
/* Its file, and where the interleaving with its values goes (free it). */
bool work_keep(const struct work *w, const struct schedule *schedule, char **interleaving, struct error *err);
/* What is said of the answer first: that it is proven, or how often it failed as recorded. And last: "", or why it is not always so. */
const char *work_verdict(const struct work *w);
const char *work_reliability(const struct work *w);

_Noreturn void engine_solve(struct work *w);
_Noreturn void engine_search(struct work *w);
_Noreturn void engine_follow(struct work *w);

#endif
