/*
 * `rethread hunt`: runs of the twin under the conductor (include/rethread/search.h), without a sketch, each with other
 * priorities and delays. What one run shows to race, the next ones delay.
 */
#ifndef RETHREAD_HUNT_H
#define RETHREAD_HUNT_H

#include "base/base.h"

#include <rethread/search.h>

struct hunt {
	uint64_t seed;
	uint64_t length; /* SAPs of the longest run so far */
	uint8_t racy[RT_RACY_SITES / 8];
};

/* Puts what the run of that number is to do into its trace's directory. */
bool hunt_prepare(const struct hunt *h, const char *dir, unsigned long number, struct error *err);
/* Takes it away again, having learnt from it; of a run that failed what it did stays, to be explained (RT_ATTEMPT_FILE). */
void hunt_finish(struct hunt *h, const char *dir, bool failed);

#endif
