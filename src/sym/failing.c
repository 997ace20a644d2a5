/* Who fails, and how far a thread's log goes: the ends of threads as the recorded failure wants them (engine.h). */
#include "sym/engine.h"

bool engine_path_used_up(const struct ethread *t)
{
	if (engine.free)
		return !t->log || t->saps >= t->log->info.sync_done;
	return !t->log || (path_reader_at_end(&t->path) && t->ops >= t->log->info.sync_done);
}

bool engine_step_is_beyond(const struct ethread *t)
{
	return !t->log || (engine.free ? t->saps > t->log->info.sync_done : t->ops >= t->log->info.sync_done);
}

bool engine_log_used_up(const struct ethread *t)
{
	return engine_path_used_up(t) && (!t->log || t->next_input >= t->log->ninputs);
}

bool engine_is_failing(const struct ethread *t, bool at_end)
{
	const struct rt_failure *f = &engine.trace->failure;
	if (!t->log)
		return false;
	switch (f->kind) {
	case RT_FAIL_NONE:
		return false;
	case RT_FAIL_DEADLOCK: /* everyone who is in the cycle; of an attempt that hangs, who was not done */
		return engine.free ? !t->log->info.ended : t->log->info.waits_for != 0;
	case RT_FAIL_TIMEOUT: /* everyone who was not done */
		return !t->log->info.ended;
	case RT_FAIL_EXIT:
	case RT_FAIL_PREDICATE: /* whoever ended the process */
		return at_end && (!engine.trace->header.exits || t->log->info.number + 1 == engine.trace->header.exits);
	default:
		return at_end && t->log->info.number == f->thread;
	}
}

bool engine_fails_as_it_ends(const struct ethread *t)
{
	return engine.trace->failure.kind == RT_FAIL_SIGNAL && engine_is_failing(t, true) && t->log->info.ended;
}

void engine_order_ends(void)
{
	const struct ethread *last = NULL;
	for (size_t i = 0; i < engine.threads.n; i++)
		if (engine.threads.at[i]->failed && engine_fails_as_it_ends(engine.threads.at[i]))
			last = engine.threads.at[i];
	for (size_t i = 0; last && i < engine.threads.n; i++) {
		const struct ethread *t = engine.threads.at[i];
		if (t != last && t->log && t->log->info.ended && t->log->info.end_time < engine.trace->failure.time)
			order_add(t->end, last->end);
	}
}

bool engine_exits(const struct ethread *t)
{
	uint32_t kind = engine.trace->failure.kind;
	bool fails_there = (kind == RT_FAIL_ASSERT || kind == RT_FAIL_SIGNAL) && engine_is_failing(t, true);
	return t->log && (fails_there || !engine_log_used_up(t));
}

bool engine_may_be_over(const struct ethread *t)
{
	uint32_t kind = engine.trace->failure.kind;
	bool hangs = kind == RT_FAIL_DEADLOCK || kind == RT_FAIL_TIMEOUT;
	bool has_to_arrive = engine_is_failing(t, true) && (!hangs || engine.free); /* it is not known to have been polling there */
	return engine_log_used_up(t) && !has_to_arrive && !(t->log && t->log->info.ended);
}

bool engine_blocking_fails(const struct ethread *t)
{
	uint32_t kind = engine.trace->failure.kind;
	return (kind == RT_FAIL_DEADLOCK || kind == RT_FAIL_TIMEOUT) && engine_is_failing(t, false);
}

bool engine_goes_too_far(const struct ethread *t)
{
	uint32_t kind = engine.trace->failure.kind;
	return (kind == RT_FAIL_ASSERT || kind == RT_FAIL_SIGNAL) && engine_is_failing(t, true) && !engine_fails_as_it_ends(t) &&
	       !trace_ends_early(engine.trace);
}

/* Nothing that the thread still does can be what the other one has seen: that has come to its end, and earlier. */
static bool is_past(const struct ethread *t, const struct ethread *other)
{
	if (!other->ended && !(engine_path_used_up(other) && other->wait != WAIT_NOTHING))
		return false;
	return !engine.trace->header.time_margin || other->time < t->time;
}

bool engine_goes_round(struct ethread *t)
{
	enum { LONG_ENOUGH = 16, MANY_WORDS = 1 << 14 };
	if (engine.trace->failure.kind != RT_FAIL_TIMEOUT || !t->log || t->log->info.waits_for)
		return false;
	/* What is soon done is done: it may work, and then wait for something. */
	if ((uint64_t)(t->path.end - t->path.slot) + t->path.run < MANY_WORDS)
		return false;
	/* Where the order of locks is not known, others may have waited for what it is yet to do. */
	if (!engine.lock_order && t->ops < t->log->info.sync_done)
		return false;
	size_t begun = 0;
	for (size_t i = 0; i < engine.threads.n; i++) {
		begun += engine.threads.at[i]->log != NULL;
		if (engine.threads.at[i] != t && !is_past(t, engine.threads.at[i]))
			return false;
	}
	/* Who is alone because it has yet to create the others does not go round. */
	return begun >= engine.trace->nthreads && ++t->alone > LONG_ENOUGH;
}

bool engine_fails_in_call(const struct ethread *t)
{
	return engine.trace->failure.kind == RT_FAIL_SIGNAL && engine_log_used_up(t) && engine_is_failing(t, true) &&
	       !engine_fails_as_it_ends(t);
}
