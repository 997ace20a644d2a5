/*
 * The executor's side of inference: translate the program, then run its twin in infer mode again and again,
 * each run knowing the racy locations the earlier ones found, until nothing new appears (design §5.2).
 */
#ifndef RETHREAD_EXPLORE_H
#define RETHREAD_EXPLORE_H

#include "base/base.h"
#include "model/execution.h"
#include "trace/trace.h"

struct explore_stats {
	unsigned runs;
	uint64_t racy;         /* locations */
	uint64_t saps, instructions, events, symbols;
	uint64_t mismatches;   /* concrete branches that went another way in the log, in the last run */
	uint64_t assumptions;  /* guesses made where a symbolic value was needed concretely */
	bool failed;           /* the failing thread reached its failure */
	double seconds;
	char first_mismatch[256];
};

/* Called after each run, for progress. */
typedef void explore_progress(const struct explore_stats *stats, void *data);

/*
 * `twin` is the twin's path, `dir` a directory for files. On success x is the execution at the fixed point.
 * budget in seconds, 0 = none; *out_of_budget tells when that was the reason for false.
 */
bool explore(const struct trace *t, const char *twin, const char *dir, double budget,
	     explore_progress *progress, void *data, struct execution *x, struct explore_stats *stats,
	     bool *out_of_budget, struct error *err);

#endif
