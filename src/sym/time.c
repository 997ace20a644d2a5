/*
 * Time in the executor (design §4, Time). Stamps tell between which two moments a thread did something. Threads are
 * run in about the order of their stamps, so that what memory holds when a racy read comes is likely to be what it
 * read; and events take their stamps along.
 */
#include "sym/engine.h"

#include <stdlib.h>

/* The first n events come before the stamp. */
static void marks(struct ethread *t, uint64_t stamp, size_t n)
{
	for (; stamp > t->time && t->stamped < n && t->stamped < t->events.n; t->stamped++)
		t->events.at[t->stamped].before = stamp;
}

static void passes(struct ethread *t, uint64_t stamp, size_t n)
{
	if (stamp <= t->time)
		return;
	marks(t, stamp, n);
	t->time = stamp;
	baton_yield(t);
}

void time_passes(struct ethread *t, uint64_t stamp)
{
	passes(t, stamp, t->events.n);
}

/*
 * A stamp was made some time between two bits of the path: before a call in between, as it may be, that takes long. So what comes before
 * the first of them comes before the stamp, and the thread has passed it once it comes to the second.
 */
void time_path_stamps(struct ethread *t)
{
	const struct trace_thread *log = t->log;
	uint64_t done = path_reader_done(&t->path);
	size_t first = t->next_time;
	while (t->next_time < log->ntimes && log->times[t->next_time].bits < done)
		t->next_time++;
	if (t->next_time > first) {
		/* Between stamps that come at once nothing happened: others are let ahead once, not at each (laps that were left out have millions). */
		marks(t, log->times[first].time, t->stamp_end);
		passes(t, log->times[t->next_time - 1].time, t->stamp_end);
	}
	if (t->next_time < log->ntimes && log->times[t->next_time].bits == done)
		t->stamp_end = t->events.n;
}

static uint64_t min_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of the next step of synchronization that has a time: where locks come fast one after the other, most have none. */
static uint64_t next_step(const struct ethread *t)
{
	enum { FAR = 16 };
	for (size_t i = t->next_sync; i < t->log->nsync && i < t->next_sync + FAR; i++)
		if (t->log->sync[i].time)
			return t->log->sync[i].time;
	return UINT64_MAX;
}

uint64_t time_next(const struct ethread *t)
{
	uint64_t next = UINT64_MAX;
	if (!t->log)
		return next;
	if (t->next_time < t->log->ntimes)
		next = t->log->times[t->next_time].time;
	return min_of(next, next_step(t));
}

static struct ethread *thread_of_log(uint32_t number)
{
	for (size_t i = 0; i < engine.threads.n; i++)
		if (engine.threads.at[i]->log && engine.threads.at[i]->log->info.number == number)
			return engine.threads.at[i];
	return NULL;
}

/* SAPs that are over: one that waits has been counted already. */
static uint64_t executed(const struct ethread *t)
{
	bool waits = t->held || (t->wait != WAIT_NOTHING && t->wait != WAIT_FOREVER);
	return t->saps - waits;
}

struct ethread *time_guided(void)
{
	for (; engine.guided < engine.guide.n; engine.guided++) {
		const struct guide_run *r = &engine.guide.at[engine.guided];
		struct ethread *t = thread_of_log(r->thread);
		if (t && (t->ended || executed(t) >= r->sap))
			continue;
		return t && sync_can_go(t) ? t : NULL;
	}
	return NULL;
}

/* The thread has just counted a SAP: others run until the guide lets it execute it. */
static void follow_guide(struct ethread *t)
{
	t->held = true;
	while (engine.guided < engine.guide.n) {
		const struct guide_run *r = &engine.guide.at[engine.guided];
		if (r->thread == t->log->info.number && t->saps <= r->sap)
			break;
		struct ethread *next = time_guided();
		if (!next)
			engine.guided = engine.guide.n; /* it cannot be followed any further */
		else if (next != t)
			baton_give(t, next);
	}
	t->held = false;
}

/* Where there are no paths, their SAPs say how far threads came; but the one that fails does so by itself. */
static void stop_beyond(struct ethread *t)
{
	if (!engine_step_is_beyond(t) || !engine_may_be_over(t))
		return;
	t->saps--;
	t->left_going = true;
	ithread_stop(t->interp);
}

void time_wander(struct ethread *t)
{
	static uint64_t random;
	if (engine.free)
		stop_beyond(t);
	if (engine.guided < engine.guide.n && t->log) {
		follow_guide(t);
		return;
	}
	if (!engine.seed)
		return;
	random = (random ^ engine.seed) * 0x9e3779b97f4a7c15ull + 1;
	/* Seeds differ in how long a thread runs at a stretch: 4 to 512 accesses. */
	if (random >> 32 & ((4u << engine.seed % 8) - 1))
		return;
	baton_wander(t, random >> 20, time_next(t));
}

void time_load(void)
{
	char *data, *path = xasprintf("%s/seed", engine.config->state);
	size_t size;
	if (read_file(path, &data, &size, NULL)) {
		engine.seed = strtoull(data, NULL, 10);
		free(data);
	}
	free(path);
	path = xasprintf("%s/guide", engine.config->state);
	if (read_file(path, &data, &size, NULL)) {
		engine.guide.n = engine.guide.cap = size / sizeof *engine.guide.at;
		engine.guide.at = (struct guide_run *)data;
	}
	free(path);
}

/* The next stamp of the path may have been taken before the access, if the word was complete already; the one after that was not. */
uint64_t time_over_by(const struct ethread *t)
{
	uint64_t by = UINT64_MAX;
	if (t->next_time + 1 < t->log->ntimes)
		by = t->log->times[t->next_time + 1].time;
	return min_of(by, next_step(t));
}
