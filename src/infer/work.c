#include "infer/work.h"

#include "exe/twin.h"
#include "infer/progress.h"
#include "solve/solver.h"

#include <stdlib.h>
#include <string.h>

/*
 * A candidate is replayed so often, as long as that takes no longer than this; but twice in any case. Every second time threads are late at random: what
 * comes out right by chance, and mostly, would pass for the schedule's doing. More often where blocks have places: what the allocator does with them is played;
 * where it needs an order that no schedule can express; and once a candidate was not reliable.
 */
enum { LEAST_REPLAYS = 2, PROOF_REPLAYS = 8, DOUBTFUL_REPLAYS = 20, ENOUGH_UNRELIABLE = 3 };
#define PROOF_SECONDS 2.0
#define DOUBTFUL_SECONDS 4.0
#define UNRELIABLE "something decides that no schedule orders, like memory that is used after it was freed"

double work_left(const struct work *w)
{
	double rest = w->seconds - (solver_clock() - w->start);
	return rest > 0.01 ? rest : 0.01;
}

bool work_over(const struct work *w)
{
	return solver_clock() - w->start >= w->seconds;
}

/* Does the answer not fail as recorded even in replays that nobody disturbs? */
static bool is_unsteady(const struct work *w)
{
	return w->last.failed < w->last.runs;
}

_Noreturn void work_finish(struct work *w, int code, const char *outcome)
{
	struct error err;
	char *path = xasprintf("%s/" WORK_FIGURES, w->dir);
	if (w->unreliable && (code == EXIT_BUDGET || code == EXIT_ERROR)) {
		printf("%s%s\nschedule: %s/schedule\n", work_verdict(w), work_reliability(w), w->trace->dir);
		code = EXIT_DONE;
		outcome = "reproduced";
	}
	if (code == EXIT_DONE && is_unsteady(w)) {
		code = EXIT_UNSTEADY;
		outcome = "unsteady";
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

/* Blocks have places, chance decides an order inside of one call, or one before it failed by chance: of many, one comes through by chance, too. */
static bool is_doubtful(const struct work *w, const struct schedule *s)
{
	return s->places.n || s->lefts.n || s->disorders.n || s->unenforced || w->unreliable;
}

/* One more; shaken: threads are late. False: it could not be made. */
static bool replay_once(const struct work *w, const char *candidate, unsigned seconds, bool shaken, struct proof *p, char *why, struct error *err)
{
	struct replay_result result;
	if (!twin_replay(w->trace, w->twin, candidate, seconds, shaken ? p->shaken + 1 : 0, true, &result, err))
		return false;
	*(shaken ? &p->shaken_failed : &p->failed) += result.reproduced;
	*(shaken ? &p->shaken : &p->runs) += 1;
	if (!result.reproduced)
		memcpy(why, result.why, sizeof result.why);
	return true;
}

static bool fails_always(const struct proof *p)
{
	return p->failed == p->runs && p->shaken_failed == p->shaken;
}

enum replays work_replays(struct work *w, const struct schedule *schedule, unsigned seconds, struct error *err)
{
	char *candidate = xasprintf("%s/schedule", w->dir), why[sizeof ((struct replay_result *)0)->why] = "";
	struct proof p = { 0 };
	double start = solver_clock(), most_seconds = is_doubtful(w, schedule) ? DOUBTFUL_SECONDS : PROOF_SECONDS;
	unsigned most = is_doubtful(w, schedule) ? DOUBTFUL_REPLAYS : PROOF_REPLAYS, n = 0;
	err->text[0] = '\0';
	w->figures.replays++;
	bool ok = schedule_write(schedule, candidate, err);
	do {
		ok = ok && replay_once(w, candidate, seconds, n % 2, &p, why, err);
		n++;
	} while (ok && p.failed && n < most && (n < LEAST_REPLAYS || (solver_clock() - start < most_seconds && !work_over(w))));
	/* Then how often is worth knowing, without anything that disturbs. */
	while (ok && p.failed && !fails_always(&p) && p.runs < DOUBTFUL_REPLAYS && solver_clock() - start < most_seconds + DOUBTFUL_SECONDS)
		ok = replay_once(w, candidate, seconds, false, &p, why, err);
	w->figures.replay_seconds += solver_clock() - start;
	if (ok && !fails_always(&p))
		say_unproven(w, why);
	free(candidate);
	if (!ok || !p.failed)
		return REPLAYS_NEVER;
	w->last = p;
	w->unreliable += !fails_always(&p);
	return fails_always(&p) ? REPLAYS : REPLAYS_SOMETIMES;
}

bool work_accepts(const struct work *w, enum replays replays)
{
	return replays == REPLAYS || (replays == REPLAYS_SOMETIMES && w->unreliable >= ENOUGH_UNRELIABLE);
}

const char *work_verdict(const struct work *w)
{
	static char text[100];
	if (!is_unsteady(w))
		return "reproduced and proven by replay";
	snprintf(text, sizeof text, "reproduced %u/%u: not in every replay", w->last.failed, w->last.runs);
	return text;
}

const char *work_reliability(const struct work *w)
{
	static char text[200];
	const struct proof *p = &w->last;
	if (is_unsteady(w))
		return "; " UNRELIABLE;
	if (p->shaken_failed == p->shaken)
		return "";
	snprintf(text, sizeof text, "; where threads are late at random, in %u of %u: " UNRELIABLE, p->shaken_failed, p->shaken);
	return text;
}

bool work_keep(const struct work *w, const struct schedule *schedule, char **interleaving, struct error *err)
{
	char *path = xasprintf("%s/" WORK_SCHEDULE, w->dir);
	*interleaving = xasprintf("%s/" WORK_INTERLEAVING, w->dir);
	bool ok = schedule_write(schedule, path, err);
	free(path);
	return ok;
}
