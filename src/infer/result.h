/*
 * What inference leaves in the trace: the interleaving with its values (interleaving.json, for `rethread
 * explain`), and the figures (--json).
 */
#ifndef RETHREAD_RESULT_H
#define RETHREAD_RESULT_H

#include "infer/explore.h"
#include "infer/rests.h"
#include "solve/infer.h"

/* Of the source's execution; symbols: in this order (check.h). */
bool result_write_interleaving(enum memory_model model, const struct linear *l, uint64_t *symbols, const struct rests_source *source, const char *path,
			       struct error *err);

struct figures {
	const char *outcome; /* "reproduced", "none", "budget", "error" */
	const char *engine;
	const char *model;
	struct explore_stats explore;
	struct infer_stats infer;
	unsigned replays;    /* candidates replayed */
	unsigned attempts;   /* of engine search */
	unsigned revisions;  /* of the executor's guesses */
	double replay_seconds, seconds;
};
bool result_write_figures(const struct figures *f, const char *path, struct error *err);

#endif
