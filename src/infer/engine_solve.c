/*
 * Engine solve. Reads top to bottom: execute the threads symbolically, solve, check, replay; a candidate that does not replay
 * is excluded and the next one asked for.
 */
#include "exe/unrecorded.h"
#include "infer/explore.h"
#include "infer/progress.h"
#include "infer/revise.h"
#include "infer/work.h"
#include "model/check.h"
#include "solve/infer.h"

#include <stdlib.h>
#include <string.h>

/*
 * For failures that only show in what the program did outside, its output or its exit status: first an interleaving that
 * shows the same, whatever its other reads read. The very same output may be hard to come by (a total of which some parts were
 * lost), and the failure may not need it, so a few without it are next, and then more time for it. Then one for each way in which
 * all reads may read; and in the end without what was shown, in case that contradicts itself (bits of an address look like any number).
 */
static const struct phase {
	bool output, all_reads;
	unsigned candidates;   /* that do not replay: so many are enough, */
	double share, seconds; /* and so much of the budget, or so many seconds and more for large runs; the last one has the rest */
} phases[] = {
	{true, false, 20, 0.45, 5}, {false, false, 20, 0.15, 20}, {true, false, 20, 0.15, 1e9}, {true, true, UINT32_MAX, 0.15, 1e9},
	{false, true, UINT32_MAX, 1, 1e9},
};
enum { PHASE_AGAIN = 2, PHASE_LAST = sizeof phases / sizeof *phases - 1 };

/* All that one inference works with. */
struct solving {
	struct work *work;
	struct explorer *explorer;
	struct execution x; /* of the executor's last run, with the conditions of this phase */
	vec(struct condition) conditions; /* all of them */
	uint64_t *rejected; /* values of its symbols in a candidate that did not replay, or NULL */
	vec(struct step) tried; /* that candidate's order */
	enum memory_model models[2]; /* to try, in this order */
	size_t nmodels;
	bool use_time;      /* believe the time stamps */
	bool outward;       /* the failure is one that phases are for */
	const struct phase *phase;
	double phase_start;      /* 0: it has not begun to solve */
	unsigned phase_replays;  /* when it began */
	bool without_output;     /* there are conditions on what was shown, and this phase has none of them */
	bool output_decided;     /* there is nothing more to find with the same output, whatever other reads read */
	unsigned seed;      /* of the order in which the executor runs the threads; 0: by time */
};

static char *formula_file(const struct solving *w)
{
	return xasprintf("%s/formula", w->work->dir);
}

/* The last one that was solved, which is the one of the answer. */
static void show_formula(const struct solving *w)
{
	char *file = w->work->request->explain ? formula_file(w) : NULL, *text;
	size_t size;
	if (file && read_file(file, &text, &size, NULL)) {
		putchar('\n');
		fwrite(text, 1, size, stdout);
		free(text);
	}
	free(file);
}

_Noreturn static void finish_solving(struct solving *w, int code, const char *outcome)
{
	show_formula(w);
	work_finish(w->work, code, outcome);
}

static void keep_conditions(struct solving *w)
{
	w->conditions.n = 0;
	for (size_t i = 0; i < w->x.conditions.n; i++)
		*vec_push(&w->conditions) = w->x.conditions.at[i];
}

/* Conditions on what was shown are for failures that show there, and not for the last phase. */
static void choose_conditions(struct solving *w)
{
	size_t outputs = 0;
	w->x.conditions.n = 0;
	for (size_t i = 0; i < w->conditions.n; i++) {
		bool output = w->conditions.at[i].kind == CONDITION_OUTPUT;
		outputs += output || w->conditions.at[i].kind == CONDITION_BUG;
		if (!output || (w->outward && w->phase->output))
			*vec_push(&w->x.conditions) = w->conditions.at[i];
	}
	w->without_output = w->outward && w->x.conditions.n < w->conditions.n;
	if (!outputs)
		w->phase = &phases[PHASE_LAST];
}

static bool in_last_phase(const struct solving *w)
{
	return !w->outward || w->phase == &phases[PHASE_LAST];
}

/* What takes long to execute takes long to solve. */
static double with_patience(const struct solving *w, double seconds, double times)
{
	return seconds + times * w->work->figures.explore.seconds;
}

/* Seconds that the phase still has. */
static double phase_left(const struct solving *w)
{
	double share = w->phase->share * w->work->request->budget, seconds = with_patience(w, w->phase->seconds, 10);
	return (share < seconds ? share : seconds) - (solver_clock() - w->phase_start);
}

/* Has it had its share? */
static bool phase_over(const struct solving *w)
{
	return !in_last_phase(w) && (w->work->figures.replays - w->phase_replays >= w->phase->candidates || phase_left(w) <= 0);
}

static void begin_phase(struct solving *w)
{
	if (w->phase_start)
		return;
	w->phase_start = solver_clock();
	w->phase_replays = w->work->figures.replays;
}

/* Runs the executor until it finds no new race. */
static void execute(struct solving *w)
{
	struct error err;
	struct explore_stats *s = &w->work->figures.explore;
	enum explore_result result = explorer_run(w->explorer, work_left(w->work), &w->x, s, &err);
	if (result != EXPLORE_DONE) {
		progress_line("rethread: %s", err.text);
			finish_solving(w, result == EXPLORE_BUDGET ? EXIT_BUDGET : EXIT_ERROR,
		       result == EXPLORE_BUDGET ? "budget" : "error");
	}
	keep_conditions(w);
	if (w->seed)
		progress_status("executing in other orders: run %u, %u candidates", s->runs, w->work->figures.replays);
	if (w->work->request->verbose || (explore_on_path(s) && !w->seed))
		progress_line("executed %llu instructions symbolically in %u runs, %.2f s: %llu SAPs, %llu events, "
			      "%llu racy locations, %llu symbols, %llu assumptions",
			      (unsigned long long)s->instructions, s->runs, s->seconds, (unsigned long long)s->saps,
			      (unsigned long long)s->events, (unsigned long long)s->racy,
			      (unsigned long long)s->symbols, (unsigned long long)s->assumptions);
}

/* Why a path cannot be followed to the failure when the log is not all of the run; NULL when it is. */
static const char *missing_from_log(const struct trace *t)
{
	if (t->header.flags & RT_LOG_CAP)
		return "--max-log was reached";
	return t->header.flags & RT_LOG_FULL ? "the disk was full" : NULL;
}

/*
 * What the program computes from addresses is something else here than it was in the recorded run. Says so and ends if it
 * does compute such numbers, or `possible` is asked for and it may.
 */
static void check_numbers(struct solving *w, bool possible)
{
	char where[200];
	struct error err;
	enum explore_numbers numbers = explorer_numbers(w->explorer, work_left(w->work), where, sizeof where);
	if (numbers == NUMBERS_NONE || (numbers != NUMBERS_MADE && !possible))
		return;
	if (numbers != NUMBERS_UNKNOWN)
		fail(&err, "no interleaving was found, which proves nothing: at %s a number is made of an address, which is "
			   "another one in each run", where);
	else
		fail(&err, "no interleaving was found, which proves nothing: whether numbers are made of addresses was not "
			   "found out: %s", where);
	work_give_up(w->work, &err);
}

/* Code that is not in the log may have done anything to shared memory. */
static void check_libraries(struct solving *w)
{
	char *library = unrecorded_first(w->work->trace->dir);
	struct error err;
	if (!library)
		return;
	fail(&err, "no interleaving was found, which proves nothing: what %s did is not recorded", library);
	free(library);
	work_give_up(w->work, &err);
}

_Noreturn static void unexplained(struct solving *w)
{
	const struct explore_stats *s = &w->work->figures.explore;
	const char *missing = missing_from_log(w->work->trace);
	struct error err;
	/* Library code outside of the module changes shared structures without a trace; only the order of locks tells when. */
	const char *advice = w->work->trace->header.scheme == RT_SCHEME_PATH
				     ? "; scheme path knows nothing of what libraries do under a lock, path+sync may"
			     : w->work->trace->header.flags & RT_LOG_VALUES
				     ? "; where memory lies is not all in the log: record --all-values keeps it"
				     : "; another failing run may be explained, and --engine search with a longer --budget does without";
	if (!missing)
		check_numbers(w, false);
	if (missing)
		fail(&err, "the log ends before the failure (%s), and what it lacks cannot be inferred: record again with "
			   "more room", missing);
	else if (s->mismatches)
		fail(&err, "the log cannot be explained: at %s the recorded path differs from the computed one, and "
			   "nothing known to race decides it%s",
		     s->first_mismatch, advice);
	else if (s->faults)
		fail(&err, "the log cannot be explained: at %s a bad address is used where the recorded run went on%s",
		     s->first_fault, advice);
	else if (s->failed)
		fail(&err, "the log cannot be explained: the threads' paths lead to the failure, but no order of what they did "
			   "gives the values that the paths need%s", advice);
	else if (w->work->trace->header.failure.thread >= w->work->trace->nthreads)
		fail(&err, "the run failed in no thread's own code: before main, in a thread of a library, or as a thread ended, which "
			   "happens when its stack was overwritten; inference sees none of these");
	else
		fail(&err, "the failing thread did not reach its failure symbolically: inference does not model this "
			   "kind of failure yet");
	work_give_up(w->work, &err);
}

_Noreturn static void over_budget(struct solving *w)
{
	if (w->work->alone)
		progress_line("rethread: the budget of %.0f s ended before an interleaving was found; --budget gives more",
			      w->work->request->budget);
	else
		progress_line("rethread: no interleaving was inferred in %.0f s", w->work->seconds);
	if (w->work->trace->header.flags & RT_LOG_VALUES)
		progress_line("rethread: the program has more racy values that decide addresses than were recorded: record "
			      "--all-values keeps them, and there is less to infer");
	finish_solving(w, EXIT_BUDGET, "budget");
}

/* There is nothing more to find in this phase (decided), or it had its share; false: there is no other. */
static bool next_phase(struct solving *w, bool decided)
{
	if (in_last_phase(w))
		return false;
	w->output_decided |= decided && w->phase->output;
	w->phase++;
	if (w->output_decided && w->phase == &phases[PHASE_AGAIN])
		w->phase++;
	w->phase_start = 0;
	return true;
}

/* Other values for the racy reads, from a model of what is known; there are none: the log is not explained. */
static void revise(struct solving *w)
{
	struct error err;
	uint64_t *symbols = xcalloc(w->x.nsymbols + 1, sizeof *symbols);
	enum infer_result result = INFER_NONE;
	for (size_t i = 0; i < w->nmodels && result == INFER_NONE; i++) {
		struct infer_options options = infer_defaults();
		options.model = w->models[i];
		options.seconds = work_left(w->work);
		options.use_time = w->use_time;
		options.time_margin = w->work->trace->header.time_margin;
		options.workers = w->work->request->workers;
		progress_status("revising guesses: run %u, %llu symbols, %llu assumptions", w->work->figures.explore.runs,
				(unsigned long long)w->x.nsymbols,
				(unsigned long long)w->work->figures.explore.assumptions);
		result = revise_values(&w->x, &options, symbols, &err);
	}
	if (result == INFER_BUDGET || work_over(w->work))
		over_budget(w);
	if (result == INFER_ERROR)
		work_give_up(w->work, &err);
	enum forced_before forced = FORCED_SAME;
	if (result == INFER_FOUND && !forced_set(explorer_forced(w->explorer), &w->x, symbols, &forced, &err))
		work_give_up(w->work, &err);
	/* Back where it was: it would go round for ever. */
	if (forced == FORCED_AGAIN && !forced_exclude(explorer_forced(w->explorer), &w->x, symbols, &err))
		work_give_up(w->work, &err);
	if (forced == FORCED_SAME && !next_phase(w, true))
		unexplained(w);
	w->work->figures.revisions++;
	free(w->rejected);
	w->rejected = NULL;
	free(symbols);
	execution_release(&w->x);
}

/* A gate stands between steps: who comes between the parts of one, a long copy or a call, is left to chance. */
static void say_unenforced(const struct solving *w, const struct schedule *schedule, enum replays replays)
{
	uint32_t n = schedule->unenforced;
	if (n && (w->work->request->verbose || replays != REPLAYS))
		progress_line("the interleaving needs %u order%s inside of single copies or calls, which replay cannot part", n,
			      n == 1 ? "" : "s");
}

/* Does the candidate replay? Then it is the answer. */
static bool prove(struct solving *w, const struct schedule *schedule, struct infer_state *state,
		  enum memory_model model)
{
	struct error err = { 0 };
	char *interleaving;
	enum replays replays = w->work->request->prove ? work_replays(w->work, schedule, 10, &err) : REPLAYS;
	say_unenforced(w, schedule, replays);
	if (replays == REPLAYS_NEVER) {
		if (err.text[0])
			work_give_up(w->work, &err);
		return false;
	}
	if (!work_keep(w->work, schedule, &interleaving, &err) ||
	    !result_write_interleaving(&w->x, model, infer_order(state), interleaving, &err))
		work_give_up(w->work, &err);
	free(interleaving);
	return work_accepts(w->work, replays);
}

/* A contradiction in what is known leaves no formula; solving will say so. */
static void export_formula(struct solving *w, const struct infer_options *options)
{
	struct error err;
	char *file = formula_file(w);
	if (w->work->request->smt2 && !infer_export_smt2(&w->x, options, w->work->request->smt2, &err))
		work_give_up(w->work, &err);
	if (w->work->request->explain && !infer_explain(&w->x, options, file, &err))
		progress_line("rethread: no formula: %s", err.text);
	free(file);
}

static void tell(const char *text)
{
	progress_status("%s", text);
}

/*
 * Candidates under one memory model, until one is proven or the time is up; *state is kept, so that another call goes
 * on from there.
 */
static enum infer_result solve(struct solving *w, enum memory_model model, double seconds,
			       struct infer_state **state)
{
	double end = solver_clock() + seconds;
	struct infer_options options = infer_defaults();
	options.model = model;
	options.use_time = w->use_time;
	options.time_margin = w->work->trace->header.time_margin;
	options.all_reads = w->outward && w->phase->all_reads;
	options.workers = w->work->request->workers;
	options.tell = tell;
	options.brief = model != w->models[w->nmodels - 1];
	w->work->figures.model = memory_model_name(model);
	struct error err;
	if (!*state)
		export_formula(w, &options);
	for (;;) {
		options.seconds = end - solver_clock();
		if (work_over(w->work) || options.seconds <= 0)
			return INFER_BUDGET;
		if (phase_over(w))
			return INFER_BUDGET;
		if (options.seconds > work_left(w->work))
			options.seconds = work_left(w->work);
		if (!in_last_phase(w) && options.seconds > phase_left(w))
			options.seconds = phase_left(w);
		progress_status("solving under %s: candidate %u", w->work->figures.model, w->work->figures.replays + 1);
		struct schedule schedule;
		enum infer_result result =
			infer_schedule(&w->x, &options, state, &schedule, &w->work->figures.infer, &err);
		if (result == INFER_ERROR)
			work_give_up(w->work, &err);
		if (result != INFER_FOUND)
			return result;
		work_name_module(w->work, &schedule);
		if (prove(w, &schedule, *state, model))
			return INFER_FOUND;
		const struct linear *l = infer_order(*state);
		free(w->rejected);
		w->rejected = xcalloc(w->x.nsymbols + 1, sizeof *w->rejected);
		check_order(&w->x, model, l->steps.at, l->steps.n, w->rejected, NULL);
		w->tried.n = 0;
		for (size_t i = 0; i < l->steps.n; i++)
			*vec_push(&w->tried) = l->steps.at[i];
		schedule_release(&schedule);
		if (w->seed)
			return INFER_BUDGET;
	}
}

_Noreturn static void reproduced(struct solving *w)
{
	const struct infer_stats *s = &w->work->figures.infer;
	char least[64] = "the fewest";
	if (!s->fewest)
		snprintf(least, sizeof least, "few, not proven the fewest, which are at least %u", s->least);
	progress_line("solved under %s in %.2f s: %llu racy reads, %llu variables, %llu constraints, %u candidates",
		      w->work->figures.model, s->build_seconds + s->solve_seconds + s->check_seconds,
		      (unsigned long long)s->racy_reads, (unsigned long long)s->variables,
		      (unsigned long long)s->constraints,
		      w->work->figures.replays ? w->work->figures.replays : 1);
	if (w->work->request->prove)
		printf("reproduced and proven by replay: %u context switches (%s), %llu waits%s\n", s->switches, least,
		       (unsigned long long)s->waits, work_reliability(w->work));
	else
		printf("an interleaving explains the log: %u context switches (%s), %llu waits (not replayed)\n",
		       s->switches, least, (unsigned long long)s->waits);
	if (w->without_output)
		puts("what it shows may differ from what the recorded run did");
	printf("schedule: %s/schedule\n", w->work->trace->dir);
	finish_solving(w, EXIT_DONE, w->work->request->prove ? "reproduced" : "inferred");
}

static void exclude_guesses(struct solving *w)
{
	struct error err;
	if (!forced_exclude(explorer_forced(w->explorer), &w->x, w->rejected, &err))
		work_give_up(w->work, &err);
	free(w->rejected);
	w->rejected = NULL;
	execution_release(&w->x);
}

/*
 * Where the failure is in what the program prints or returns, the path says little about it, and under other addresses
 * everything comes out differently: then orders of other runs of the executor are tried as well, which explain
 * themselves. Only as long as nothing is forced.
 */
static bool orders_differ(const struct solving *w)
{
	enum { MOST_SEEDS = 500 };
	uint32_t kind = w->work->trace->failure.kind;
	return (kind == RT_FAIL_PREDICATE || kind == RT_FAIL_EXIT) && w->phase->all_reads && w->work->figures.explore.assumptions &&
	       !forced_any(explorer_forced(w->explorer)) && w->seed < MOST_SEEDS;
}

/* How many steps of the order that was tried come before some assumption, each time another one. */
static size_t steps_to_keep(const struct solving *w)
{
	vec(uint32_t) events = { 0 };
	for (size_t i = 0; i < w->x.conditions.n; i++)
		if (w->x.conditions.at[i].kind == CONDITION_ASSUMED || w->x.conditions.at[i].kind == CONDITION_ADDRESS)
			*vec_push(&events) = w->x.conditions.at[i].event;
	uint32_t event = events.n ? events.at[w->seed * 0x9e3779b9u % events.n] : 0;
	vec_free(&events);
	size_t i = 0;
	while (i < w->tried.n && w->tried.at[i].event != event)
		i++;
	return i;
}

static void try_other_order(struct solving *w)
{
	struct error err;
	w->seed++;
	if (!explorer_reorder(w->explorer, &w->x, w->tried.n ? w->tried.at : NULL, steps_to_keep(w), w->seed, &err))
		work_give_up(w->work, &err);
	w->tried.n = 0;
	free(w->rejected);
	w->rejected = NULL;
	execution_release(&w->x);
}

/* The memory models take turns, with slices that grow, until one has a proven candidate or all are known to have none. */
static enum infer_result solve_models(struct solving *w)
{
	struct infer_state *states[2] = { NULL, NULL };
	bool decided[2] = { false, false };
	enum infer_result result = INFER_BUDGET;
	bool once = orders_differ(w); /* other runs are more promising than more time */
	double slice = w->nmodels == 1 && !once ? w->work->request->budget : with_patience(w, 3, 3);
	for (; result == INFER_BUDGET && !work_over(w->work) && !phase_over(w); slice *= 2) {
		result = INFER_NONE;
		for (size_t i = 0; i < (once ? 1 : w->nmodels) && result != INFER_FOUND; i++) {
			if (decided[i])
				continue;
			enum infer_result one = solve(w, w->models[i], slice, &states[i]);
			decided[i] = one == INFER_NONE;
			if (!decided[i])
				result = one;
		}
		if (once)
			break;
	}
	for (size_t i = 0; i < w->nmodels; i++)
		if (states[i])
			infer_free(states[i]);
	return result;
}

/* What laps read for which the log has no values any more is a guess (laps.c). */
static void check_values(struct solving *w)
{
	struct error err;
	if (!(w->work->trace->header.flags & RT_LOG_VALUES))
		return;
	fail(&err, "no interleaving was found, which proves nothing: a thread had more values that decide addresses than were "
		   "recorded, and the rest are guesses; record --all-values keeps them");
	work_give_up(w->work, &err);
}

_Noreturn static void none_found(struct solving *w)
{
	if (w->work->figures.replays) {
		progress_line("rethread: no further candidate, and none was proven: candidates did not replay; this says "
			      "nothing about others");
			finish_solving(w, EXIT_ERROR, "unproven");
	}
	check_numbers(w, true);
	check_libraries(w);
	check_values(w);
	printf("no interleaving under %s explains the log: proven\n", w->work->figures.model);
	finish_solving(w, EXIT_NO_INTERLEAVING, "none");
}

static void choose_models(struct solving *w)
{
	w->models[0] = MEMORY_SC;
	w->models[1] = MEMORY_TSO;
	w->nmodels = 2;
	if (w->work->request->model) {
		memory_model_parse(w->work->request->model, &w->models[0]);
		w->nmodels = 1;
	}
}

static void solving_init(struct solving *w, struct work *work)
{
	struct error err;
	uint32_t kind = work->trace->failure.kind;
	*w = (struct solving){ .work = work, .phase = phases, .use_time = !work->request->no_time,
			       .outward = kind == RT_FAIL_PREDICATE || kind == RT_FAIL_EXIT };
	work->figures.model = "";
	choose_models(w);
	w->explorer = explorer_new(work->trace, work->twin, work->dir, &err);
	if (!w->explorer)
		work_give_up(work, &err);
}

_Noreturn void engine_solve(struct work *work)
{
	struct solving all, *w = &all;
	bool executed = false; /* in the phase before, and nothing is different now */
	solving_init(w, work);
	for (;;) {
		if (!executed)
			execute(w);
		executed = false;
		choose_conditions(w);
		if (explore_on_path(&w->work->figures.explore)) {
			begin_phase(w);
			enum infer_result result = solve_models(w);
			if (result == INFER_FOUND)
				reproduced(w);
			if (phase_over(w)) {
				executed = next_phase(w, false);
				continue;
			}
			if (orders_differ(w) && !work_over(w->work)) {
				try_other_order(w);
				continue;
			}
			if (result == INFER_BUDGET)
				over_budget(w);
			/* Without symbols there are no guesses that could be others. */
			if (!w->work->figures.explore.assumptions || (w->rejected && !w->x.nsymbols)) {
				executed = next_phase(w, true);
				if (!executed)
					none_found(w);
				continue;
			}
			if (w->rejected) { /* under these guesses nothing fails the same way */
				exclude_guesses(w);
				continue;
			}
		}
		if (w->seed && orders_differ(w)) {
			try_other_order(w);
			continue;
		}
		/* In another order the same guesses may be right ones. */
		const struct explore_stats *last = &w->work->figures.explore;
		if (explorer_wait(w->explorer, last) || explorer_unmark(w->explorer, last))
			execution_release(&w->x);
		else
			revise(w);
	}
}
