/*
 * Time in the executor (design §4, Time). Stamps tell between which two moments a thread did something. Threads are
 * run in about the order of their stamps, so that what memory holds when a racy read comes is likely to be what it
 * read; and events take their stamps along.
 */
#include "sym/engine.h"

void time_passes(struct ethread *t, uint64_t stamp)
{
	if (stamp <= t->time)
		return;
	for (; t->stamped < t->events.n; t->stamped++)
		t->events.at[t->stamped].before = stamp;
	t->time = stamp;
	baton_yield(t);
}

void time_path(struct ethread *t)
{
	const struct trace_thread *log = t->log;
	uint64_t complete = t->path.words ? t->path.words - 1 : 0;
	t->words_seen = t->path.words;
	while (t->next_time < log->ntimes && log->times[t->next_time].words <= complete)
		time_passes(t, log->times[t->next_time++].time);
}
