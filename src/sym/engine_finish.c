/* The end of a run of the executor: what it found goes to the files of its state (engine.h). */
#include "sym/engine.h"

#include "sym/sync.h"
#include "sym/laps.h"
#include "sym/ties.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

static void write_racy(const struct range *found, size_t nfound)
{
	size_t n = engine.known.n + nfound;
	struct range *all = xmalloc((n + 1) * sizeof *all);
	if (engine.known.n)
		memcpy(all, engine.known.at, engine.known.n * sizeof *all);
	if (nfound)
		memcpy(all + engine.known.n, found, nfound * sizeof *all);
	struct error err;
	if (!write_file(engine_state_file("racy"), all, n * sizeof *all, &err))
		engine_fatal("%s", err.text);
}

/*
 * What goes to the next run. Nothing is a symbol in the first one, so that threads soon leave their paths, and go on with wrong values: thousands of
 * places that nobody touched. Where there is anything else to go by, they are left out; what of them is true is found again.
 */
static const struct range *racy_places(size_t *n, size_t learnt)
{
	size_t sure, doubtful;
	const struct range *races = races_found(engine.races, &sure), *doubts = races_doubtful(engine.races, &doubtful);
	*n = sure;
	if (!doubtful || ((sure || learnt) && !engine.known.n))
		return races;
	struct range *all = xmalloc((sure + doubtful) * sizeof *all);
	if (sure)
		memcpy(all, races, sure * sizeof *all);
	memcpy(all + sure, doubts, doubtful * sizeof *all);
	*n += doubtful;
	return all;
}

static void write_barriers(void)
{
	struct error err;
	if (!write_file(engine_state_file("barriers"), engine.open_barriers.at,
			engine.open_barriers.n * sizeof *engine.open_barriers.at, &err))
		engine_fatal("%s", err.text);
}

/* Threads that were ended before all that they did was done: what is left out may be what somebody else has seen. */
static size_t cut_short(void)
{
	size_t n = 0;
	for (size_t i = 0; i < engine.threads.n; i++)
		n += !engine_log_used_up(engine.threads.at[i]) || engine.threads.at[i]->left_going;
	return n;
}

static void write_status(size_t found)
{
	uint64_t saps = 0, instructions = 0, events = 0;
	bool failed = false;
	size_t doubts = engine.assumptions.n + recall_doubtful() + mirror_doubtful() + unordered_doubtful() + text_doubtful() + outside_doubtful() + lulls_doubtful() + laps_doubtful() + cut_short();
	for (size_t i = 0; i < engine.threads.n; i++) {
		const struct ethread *t = engine.threads.at[i];
		saps += t->saps;
		instructions += ithread_instructions(t->interp);
		events += t->events.n;
		failed |= t->failed;
	}
	json_t *status = json_pack(
		"{s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:I s:b s:s s:s s:s s:s s:s s:s s:s}", "found", (json_int_t)found, "early", (json_int_t)early_finish(), "racy",
		(json_int_t)engine.known.n, "saps", (json_int_t)saps, "instructions", (json_int_t)instructions,
		"events", (json_int_t)events, "symbols", (json_int_t)engine.symbols.n, "mismatches",
		(json_int_t)engine.mismatches, "assumptions", (json_int_t)doubts, "faults",
		(json_int_t)engine.faults, "refuted", (json_int_t)engine.refuted, "lulls", (json_int_t)lulls_doubtful(), "shared_bytes", (json_int_t)engine.config->shared_bytes(), "unseen", (json_int_t)engine.unseen, "failed", failed,
		"first_mismatch", engine.first_mismatch, "first_fault", engine.first_fault, "answering", engine.answering, "outside", outside_text(), "gone", gone_text(), "numbers", numbers_made(), "possible_numbers",
		numbers_possible());
	/* Where everyone was left, for a reader of RETHREAD_KEEP=1. */
	json_t *threads = json_array();
	for (size_t i = 0; status && i < engine.threads.n; i++) {
		const struct ethread *t = engine.threads.at[i];
		struct position p;
		ithread_position(t->interp, &p);
		char at[200];
		snprintf(at, sizeof at, "%s:%u %s", p.file ? p.file : "?", p.line, p.function ? p.function : "?");
		json_array_append_new(threads, json_pack("{s:s s:s s:I s:I s:I s:i s:I s:b}", "name", t->name, "at", at, "saps",
							 (json_int_t)t->saps, "operations", (json_int_t)t->ops,
							 "recorded", (json_int_t)(t->log ? t->log->info.sync_done : 0),
							 "wait", (int)t->last_wait, "order",
							 (json_int_t)t->wait_order, "log_used_up",
							 engine_log_used_up(t)));
	}
	if (status)
		json_object_set_new(status, "threads", threads);
	if (!status || json_dump_file(status, engine_state_file("status.json"), JSON_INDENT(1)))
		engine_fatal("cannot write %s", engine_state_file("status.json"));
}

/* Cancelled where the log does not say it: what its cleanup handlers did is lost, and with it all that depends on that. */
static void check_cancelled(const struct ethread *t)
{
	if (t->cancelled && t->log && t->log->info.ended && !engine_log_used_up(t))
		engine_fatal("thread %s was cancelled in a call that is neither synchronization nor an input: which is not in the log",
			     t->name);
}

_Noreturn void engine_finish(void)
{
	for (size_t i = 0; i < engine.threads.n; i++)
		check_cancelled(engine.threads.at[i]);
	for (size_t i = 0; i < engine.threads.n; i++)
		engine_thread_ends(engine.threads.at[i], false); /* blocked where its log ends */
	if (ties_on())
		engine_fatal("what was asked for did not happen%s%s", engine.faults ? ": a fault at " : "", engine.faults ? engine.first_fault : "");
	engine_order_ends();
	unmapped_finish();
	if (engine.mismatches || engine.faults)
		recall_share();
	size_t nfound, learnt = sync_finish() + mirror_finish() + turns_finish() + inside_finish() + left_finish() + recall_finish() + quiet_finish() + lulls_finish();
	const struct range *found = racy_places(&nfound, learnt);
	bool last = nfound == 0 && !learnt; /* else nobody reads it, and it may be gigabytes */
	guess_finish(last);
	struct error err;
	if (last && !events_write(engine_state_file("execution"), &err))
		engine_fatal("%s", err.text);
	write_racy(found, nfound);
	lines_write();
	write_barriers();
	suspect_finish();
	write_status(nfound + learnt);
	_exit(0);
}
