/* Engine search: attempts of the twin (src/search), each proven like any other candidate; and orders that were recorded. */
#include "infer/follow.h"
#include "infer/guided.h"
#include "infer/progress.h"
#include "infer/work.h"
#include "search/search.h"
#include "search/story.h"
#include "solve/solver.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

/* Does what an attempt recorded replay, with the recorded inputs? Then it is the answer. */
static bool prove_attempt(void *data, const struct schedule *found, const struct rt_attempt *attempt)
{
	struct work *w = data;
	struct error err;
	struct schedule s = *found;
	char *interleaving = NULL;
	work_name_module(w, &s);
	enum replays replays = work_replays(w, &s, (unsigned)work_left(w) + 10, &err);
	bool ok = replays != REPLAYS_NEVER;
	w->figures.infer.waits = s.waits.n;
	if (!ok && err.text[0])
		progress_line("rethread: %s", err.text);
	if (ok && (!work_keep(w, &s, &interleaving, &err) || !story_write(attempt, w->trace, w->twin, interleaving, &err))) {
		progress_line("rethread: %s", err.text);
		ok = false;
	}
	free(interleaving);
	ok = ok && work_accepts(w, replays);
	if (ok)
		guided_tell(w, attempt);
	return ok;
}

_Noreturn void engine_search(struct work *w)
{
	struct error err;
	w->figures.model = "sc";
	struct search_options options = { .trace = w->trace, .twin = w->twin, .dir = w->dir, .seconds = work_left(w),
					  .seed = w->request->seed, .use_time = !w->request->no_time,
					  .verbose = w->request->verbose, .leave_one = w->beside, .prove = prove_attempt,
					  .data = w };
	struct search_stats s = { 0 };
	enum search_result result = search(&options, &s, &err);
	w->figures.attempts = s.attempts;
	switch (result) {
	case SEARCH_FOUND:
		printf("%s: %u attempt%s, %" PRIu64 " wait%s%s\nschedule: %s/schedule\n", work_verdict(w), s.attempts,
		       plural(s.attempts, "s"), w->figures.infer.waits, plural(w->figures.infer.waits, "s"), work_reliability(w), w->trace->dir);
		work_finish(w, EXIT_DONE, "reproduced");
	case SEARCH_BUDGET:
		progress_line("rethread: the budget of %.0f s ended after %u attempt%s, %u of which failed as recorded; --budget "
			      "gives more, --seed other attempts", w->seconds, s.attempts, plural(s.attempts, "s"), s.failing);
		work_finish(w, EXIT_BUDGET, "budget");
	case SEARCH_INTERRUPTED:
		progress_line("rethread: interrupted after %u attempt%s", s.attempts, plural(s.attempts, "s"));
		work_finish(w, 128 + SIGINT, "interrupted");
	default:
		work_give_up(w, &err);
	}
}

/* For `rethread explain`, where the run was one of a hunt: then it is known what it did. */
static void tell_hunted(struct work *w, const char *interleaving)
{
	char *path = xasprintf("%s/" RT_ATTEMPT_FILE, w->trace->dir), *data = NULL;
	size_t size = 0;
	struct error err;
	const struct rt_attempt *a = read_file(path, &data, &size, &err) ? (const struct rt_attempt *)data : NULL;
	bool known = a && size == sizeof *a && a->magic == RT_ATTEMPT_MAGIC;
	if (known && !story_write(a, w->trace, w->twin, interleaving, &err))
		warn("%s", err.text);
	else if (known && w->request->prove)
		guided_tell(w, a);
	free(data);
	free(path);
}

/* A trace of scheme rw has the order in it: nothing is inferred, the proof is the same. */
_Noreturn void engine_follow(struct work *w)
{
	struct error err = { 0 };
	struct schedule schedule;
	char *interleaving;
	bool prove = w->request->prove;
	w->figures.model = "sc";
	if (!follow(w->trace, &schedule, &err))
		work_give_up(w, &err);
	work_name_module(w, &schedule);
	w->figures.infer.waits = schedule.waits.n;
	if (prove && work_replays(w, &schedule, (unsigned)work_left(w) + 1, &err) == REPLAYS_NEVER) {
		progress_line("rethread: %s", err.text[0] ? err.text : "the recorded order does not replay");
		work_finish(w, EXIT_ERROR, err.text[0] ? "error" : "unproven");
	}
	if (!work_keep(w, &schedule, &interleaving, &err))
		work_give_up(w, &err);
	tell_hunted(w, interleaving);
	const char *verdict = !prove ? "the recorded order (not replayed)" : w->unreliable ? work_verdict(w) : "followed and proven by replay";
	printf("%s: %zu wait%s%s\nschedule: %s/schedule\n", verdict, (size_t)w->figures.infer.waits, plural(w->figures.infer.waits, "s"),
	       work_reliability(w), w->trace->dir);
	work_finish(w, EXIT_DONE, prove ? "reproduced" : "inferred");
}
