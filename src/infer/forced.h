/*
 * What racy reads are taken to have read in the executor's next runs: values that a model of what is known gives them, and
 * combinations of values that did not happen. Both are files in the executor's directory, "values" and "nogoods" (src/sym/guess.c
 * reads them). Values that lead nowhere and come back would lead there for ever: forced_set tells.
 */
#ifndef RETHREAD_FORCED_H
#define RETHREAD_FORCED_H

#include "base/base.h"
#include "model/execution.h"

struct forced {
	const char *dir;                 /* must outlive it */
	vec(struct forced_value) values; /* in force; by thread, sap, piece */
	vec(uint64_t) hashes;            /* of all that were, with the run that they followed */
};

/* Values that are those in force, or were before after a run that met the same, or new. */
enum forced_before { FORCED_SAME, FORCED_AGAIN, FORCED_NEW };

void forced_release(struct forced *f);
/* Are there any? Then what the reads get does not come from the order in which the threads run. */
bool forced_any(const struct forced *f);
/* Racy reads of x are taken to read these values (by symbol of x) from now on. */
bool forced_set(struct forced *f, const struct execution *x, const uint64_t *symbols, enum forced_before *what, struct error *err);
/* The same for the next run only, whoever takes it back. */
bool forced_write(const char *dir, const struct execution *x, const uint64_t *symbols, struct error *err);
/* What was assumed in x, with these values, is not what happened: later runs say so by a condition. */
bool forced_exclude(struct forced *f, const struct execution *x, const uint64_t *symbols, struct error *err);

#endif
