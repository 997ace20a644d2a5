/*
 * Engine `search` (PRES §5): attempts at the recorded failure by running the twin, each of which follows what was recorded, is
 * free elsewhere, and teaches the next one. An attempt that does not fail as recorded has races: pairs of accesses whose
 * order nothing recorded fixes. The next attempt is the same up to one of them and has that pair in the other order; those
 * nearest to where the attempt left the recorded path come first, and what gets further than all before is gone on
 * with (depth first). In between, attempts of another kind: random priorities, delays at sites that have been seen to race.
 *
 * Everything is decided by the seed and by what attempts bring, so the same search makes the same attempts.
 */
#ifndef RETHREAD_SEARCH_ENGINE_H
#define RETHREAD_SEARCH_ENGINE_H

#include "model/schedule.h"
#include "trace/trace.h"

#include <rethread/search.h>

struct search_options {
	const struct trace *trace;
	const char *twin;
	const char *dir;  /* for files; the caller's to remove */
	double seconds;
	uint64_t seed;
	bool use_time;    /* believe time stamps */
	bool verbose;
	bool leave_one;   /* of the processors to somebody else */
	/* Is the schedule of a failing attempt the answer? False: the search goes on. */
	bool (*prove)(void *data, const struct schedule *s, const struct rt_attempt *a);
	void *data;
};

struct search_stats {
	unsigned attempts;
	unsigned flips;    /* attempts that exchanged a race; the others were of the random kind */
	unsigned failing;  /* attempts that failed as recorded */
	uint64_t steps;    /* of all */
};

enum search_result { SEARCH_FOUND, SEARCH_BUDGET, SEARCH_INTERRUPTED, SEARCH_ERROR };

enum search_result search(const struct search_options *options, struct search_stats *stats, struct error *err);

#endif
