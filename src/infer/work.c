#include "infer/work.h"

#include "exe/twin.h"
#include "infer/progress.h"
#include "solve/solver.h"

#include <stdlib.h>
#include <string.h>

/*
 * A candidate is replayed so often, as long as that takes no longer than this. Where it needs an order that no schedule can express, chance
 * decides, and a few replays that fail say little.
 */
enum { PROOF_REPLAYS = 4, PROOF_REPLAYS_BY_CHANCE = 20, ENOUGH_UNRELIABLE = 3 };
#define PROOF_SECONDS 2.0
#define UNRELIABLE \
	"; it does not fail in every replay: something decides that no schedule orders, like memory that is used after it was freed"

double work_left(const struct work *w)
{
	double rest = w->seconds - (solver_clock() - w->start);
	return rest > 0.01 ? rest : 0.01;
}

bool work_over(const struct work *w)
{
	return solver_clock() - w->start >= w->seconds;
}

_Noreturn void work_finish(struct work *w, int code, const char *outcome)
{
	struct error err;
	char *path = xasprintf("%s/" WORK_FIGURES, w->dir);
	if (w->unreliable && (code == EXIT_BUDGET || code == EXIT_ERROR)) {
		printf("reproduced and proven by replay%s\nschedule: %s/schedule\n", UNRELIABLE, w->trace->dir);
		code = EXIT_DONE;
		outcome = "reproduced";
	}
	w->figures.outcome = outcome;
	w->figures.seconds = solver_clock() - w->start;
	if (!result_write_figures(&w->figures, path, &err))
		warn("%s", err.text);
	exit(code);
}

_Noreturn void work_give_up(struct work *w, const struct error *err)
{
	progress_line("rethread: %s", err->text);
	work_finish(w, EXIT_ERROR, "error");
}

void work_name_module(const struct work *w, struct schedule *schedule)
{
	for (unsigned i = 0; i < RT_HASH_SIZE; i++)
		snprintf(schedule->module + 2 * i, 3, "%02x", w->trace->header.module_hash[i]);
}

/* The first few in full; then only a count, on a terminal. */
static void say_unproven(const struct work *w, const char *why)
{
	if (w->request->verbose || w->figures.replays <= 3)
		progress_line("candidate %u does not replay: %s", w->figures.replays, why);
	else
		progress_status("%u candidates did not replay", w->figures.replays);
}

enum replays work_replays(struct work *w, const struct schedule *schedule, unsigned seconds, struct error *err)
{
	char *candidate = xasprintf("%s/schedule", w->dir);
	struct replay_result result;
	double start = solver_clock();
	unsigned failed = 0, n = 0, most = schedule->unenforced ? PROOF_REPLAYS_BY_CHANCE : PROOF_REPLAYS;
	err->text[0] = '\0';
	w->figures.replays++;
	bool ok = schedule_write(schedule, candidate, err);
	do {
		ok = ok && twin_replay(w->trace, w->twin, candidate, seconds, true, &result, err);
		failed += ok && result.reproduced;
		n++;
	} while (ok && failed == n && n < most && solver_clock() - start < PROOF_SECONDS);
	w->figures.replay_seconds += solver_clock() - start;
	if (ok && failed < n)
		say_unproven(w, result.why);
	free(candidate);
	if (!failed)
		return REPLAYS_NEVER;
	w->unreliable += failed < n;
	return failed < n ? REPLAYS_SOMETIMES : REPLAYS;
}

bool work_accepts(const struct work *w, enum replays replays)
{
	return replays == REPLAYS || (replays == REPLAYS_SOMETIMES && w->unreliable >= ENOUGH_UNRELIABLE);
}

const char *work_reliability(const struct work *w)
{
	return w->unreliable >= ENOUGH_UNRELIABLE ? UNRELIABLE : "";
}

bool work_keep(const struct work *w, const struct schedule *schedule, char **interleaving, struct error *err)
{
	char *path = xasprintf("%s/" WORK_SCHEDULE, w->dir);
	*interleaving = xasprintf("%s/" WORK_INTERLEAVING, w->dir);
	bool ok = schedule_write(schedule, path, err);
	free(path);
	return ok;
}
