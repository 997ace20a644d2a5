/*
 * What inference leaves in the trace: the interleaving with its values (interleaving.json, for `rethread
 * explain`), and the figures (--json).
 */
#ifndef RETHREAD_RESULT_H
#define RETHREAD_RESULT_H

#include "infer/explore.h"
#include "solve/infer.h"

/* symbols: of x, in this order (check.h); tied: what the failure rests on, as far as that is known (rests.h). */
bool result_write_interleaving(const struct execution *x, enum memory_model model, const struct linear *l, uint64_t *symbols, const tied_list *tied,
			       const char *path, struct error *err);

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
