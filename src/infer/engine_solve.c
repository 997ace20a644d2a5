/*
 * Engine solve. Reads top to bottom: execute the threads symbolically, solve, check, replay; a candidate that does not replay
 * is excluded and the next one asked for.
 */
#include "infer/progress.h"
#include "infer/rests.h"
#include "infer/revise.h"
#include "infer/solving.h"
#include "model/check.h"

#include <stdlib.h>
#include <string.h>

/* Runs the executor until it finds no new race. */
static void execute(struct solving *w)
{
	struct error err;
	struct explore_stats *s = &w->work->figures.explore;
	enum explore_result result = explorer_run(w->explorer, work_left(w->work), &w->x, s, &err);
	if (result != EXPLORE_DONE) {
		progress_line("rethread: %s", err.text);
		solving_finish(w, result == EXPLORE_BUDGET ? EXIT_BUDGET : EXIT_ERROR,
			       result == EXPLORE_BUDGET ? "budget" : "error");
	}
	phase_keep_conditions(w);
	if (w->seed)
		progress_status("executing in other orders: run %u, %u candidates", s->runs, w->work->figures.replays);
	if (w->work->request->verbose || (explore_on_path(s) && !w->seed))
		progress_line("executed %llu instruction%s symbolically in %u run%s, %.2f s: %llu SAP%s, %llu event%s, "
			      "%llu racy location%s, %llu symbol%s, %llu assumption%s",
			      (unsigned long long)s->instructions, plural(s->instructions, "s"), s->runs, plural(s->runs, "s"), s->seconds,
			      (unsigned long long)s->saps, plural(s->saps, "s"), (unsigned long long)s->events, plural(s->events, "s"),
			      (unsigned long long)s->racy, plural(s->racy, "s"), (unsigned long long)s->symbols, plural(s->symbols, "s"),
			      (unsigned long long)s->assumptions, plural(s->assumptions, "s"));
	if (w->work->request->verbose && !explore_on_path(s))
		progress_line("that run left the recorded paths: %s", s->mismatches ? s->first_mismatch : s->faults ? s->first_fault : "the failure did not come");
}

/*
 * In the order of the model, memory holds what it says, also where reads are no symbols yet. But threads that poll go round as often as it happens to say,
 * not as long as they were recorded to. So the values alone come first, and then the two take turns.
 */
static bool order_by(struct solving *w, const struct revised *better, struct error *err)
{
	enum { VALUES_ALONE = 4 };
	uint64_t revisions = w->work->figures.revisions;
	bool was_guided = w->guided;
	w->guided = revisions >= VALUES_ALONE && revisions % 2 == 0;
	if (was_guided && !w->guided)
		explorer_unguide(w->explorer);
	return !w->guided || explorer_reorder(w->explorer, &w->x, better->steps.at, better->steps.n, w->seed, err);
}

/* Other values for the racy reads, from a model of what is known; there are none: the log is not explained. */
static void revise(struct solving *w)
{
	struct error err;
	struct revised better = { 0 };
	bool strayed = !explore_on_path(&w->work->figures.explore);
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
		revised_release(&better);
		better = (struct revised){ 0 };
		result = revise_values(&w->x, strayed, &options, &better, &err);
	}
	if (result == INFER_BUDGET || work_over(w->work))
		solving_over_budget(w);
	if (result == INFER_ERROR)
		work_give_up(w->work, &err);
	enum forced_before forced = FORCED_SAME;
	if (result == INFER_FOUND && !order_by(w, &better, &err))
		work_give_up(w->work, &err);
	if (result == INFER_FOUND && !forced_set(explorer_forced(w->explorer), &w->x, better.symbols, &forced, &err))
		work_give_up(w->work, &err);
	/* Back where it was: it would go round for ever. */
	if (forced == FORCED_AGAIN && !forced_exclude(explorer_forced(w->explorer), &w->x, better.symbols, &err))
		work_give_up(w->work, &err);
	if (forced == FORCED_SAME && !explorer_stir(w->explorer, &w->work->figures.explore, true) && !phase_next(w, true) &&
	    !solving_again(w, false))
		solving_unexplained(w);
	w->work->figures.revisions++;
	free(w->rejected);
	w->rejected = NULL;
	revised_release(&better);
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

/* The order that is the answer, for a reader. */
static bool write_interleaving(struct solving *w, const struct linear *l, enum memory_model model, const char *path, struct error *err)
{
	uint64_t *symbols = xcalloc(w->x.nsymbols + 1, sizeof *symbols);
	bool ok = check_order(&w->x, model, l->steps.at, l->steps.n, symbols, err);
	double spent = 0;
	const struct rests_source source = { w->explorer, &w->work->figures.explore, &w->x, symbols, &spent };
	ok = ok && result_write_interleaving(model, l, symbols, &source, path, err);
	free(symbols);
	return ok;
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
	    !write_interleaving(w, infer_order(state), model, interleaving, &err))
		work_give_up(w->work, &err);
	free(interleaving);
	return work_accepts(w->work, replays);
}

/* A contradiction in what is known leaves no formula; solving will say so. */
static void export_formula(struct solving *w, const struct infer_options *options)
{
	struct error err;
	char *file = solving_formula_file(w);
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

/* Where a few have not replayed, it may be addresses that lead the twin another way: then no other order helps. */
static bool begins_anew(struct solving *w)
{
	enum { A_FEW = 2 };
	w->anew = ++w->nrejected == A_FEW && solving_again(w, false);
	return w->anew;
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
	options.all_reads = w->outward && phase_all_reads(w);
	options.workers = w->work->request->workers;
	options.tell = tell;
	options.brief = model != w->models[w->nmodels - 1];
	options.loose = w->loose;
	options.doubted = w->work->figures.explore.assumptions;
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
		if (!phase_is_last(w) && options.seconds > phase_left(w))
			options.seconds = phase_left(w);
		progress_status("solving under %s: candidate %u", w->work->figures.model, w->work->figures.replays + 1);
		struct schedule schedule;
		enum infer_result result =
			infer_schedule(&w->x, &options, state, &schedule, &w->work->figures.infer, &err);
		w->in_order |= w->work->figures.infer.in_order;
		w->exhausted |= w->work->figures.infer.exhausted;
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
		if (w->seed || begins_anew(w))
			return INFER_BUDGET;
	}
}

/* The executor's last run, and what was tried of it. */
static void forget(struct solving *w)
{
	free(w->rejected);
	w->rejected = NULL;
	execution_release(&w->x);
}

static void exclude_guesses(struct solving *w)
{
	struct error err;
	if (!forced_exclude(explorer_forced(w->explorer), &w->x, w->rejected, &err))
		work_give_up(w->work, &err);
	forget(w);
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
	return (kind == RT_FAIL_PREDICATE || kind == RT_FAIL_EXIT) && phase_all_reads(w) && w->work->figures.explore.assumptions &&
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
static enum infer_result solve_in_turns(struct solving *w)
{
	struct infer_state *states[2] = { NULL, NULL };
	bool decided[2] = { false, false };
	enum infer_result result = INFER_BUDGET;
	bool once = orders_differ(w); /* other runs are more promising than more time */
	bool briefly = once || (w->loose && w->work->figures.explore.assumptions); /* or other guesses are */
	w->in_order = false;
	double slice = w->nmodels == 1 && !briefly ? w->work->request->budget : phase_patience(w, 3, 3);
	for (; result == INFER_BUDGET && !work_over(w->work) && !phase_over(w); slice *= 2) {
		result = INFER_NONE;
		for (size_t i = 0; i < (once ? 1 : w->nmodels) && result != INFER_FOUND && !w->anew; i++) {
			if (decided[i])
				continue;
			enum infer_result one = solve(w, w->models[i], slice, &states[i]);
			decided[i] = one == INFER_NONE;
			if (!decided[i])
				result = one;
		}
		if (briefly || w->anew)
			break;
	}
	for (size_t i = 0; i < w->nmodels; i++)
		if (states[i])
			infer_free(states[i]);
	return result;
}

/*
 * In which order a long copy or a call does what it does is not known. A replay cannot part it anyway, so another order than the executor's is of use only
 * where there is no candidate without.
 */
static enum infer_result solve_models(struct solving *w)
{
	w->loose = false;
	enum infer_result result = solve_in_turns(w);
	if (result != INFER_NONE || !w->in_order || w->rejected || orders_differ(w))
		return result;
	w->loose = true;
	result = solve_in_turns(w);
	bool guesses = w->work->figures.explore.assumptions && !work_over(w->work) && !phase_over(w);
	return result == INFER_BUDGET && guesses ? INFER_NONE : result; /* with guesses it is no proof */
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
	*w = (struct solving){ .work = work, .use_time = !work->request->no_time,
			       .outward = kind == RT_FAIL_PREDICATE || kind == RT_FAIL_EXIT };
	work->figures.model = "";
	phase_first(w);
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
		phase_choose_conditions(w);
		if (explore_on_path(&w->work->figures.explore)) {
			phase_begin(w);
			enum infer_result result = solve_models(w);
			if (result == INFER_FOUND)
				solving_reproduced(w);
			if (w->anew) {
				w->anew = false;
				forget(w);
				continue;
			}
			if (phase_over(w)) {
				executed = phase_next(w, false);
				continue;
			}
			if (orders_differ(w) && !work_over(w->work)) {
				try_other_order(w);
				continue;
			}
			if (result == INFER_BUDGET)
				solving_over_budget(w);
			/* Without symbols there are no guesses that could be others. */
			if (!w->work->figures.explore.assumptions || (w->rejected && !w->x.nsymbols)) {
				executed = phase_next(w, true);
				if (!executed && !solving_again(w, true))
					solving_none_found(w);
				if (!executed)
					forget(w);
				continue;
			}
			if (w->rejected && explorer_stir(w->explorer, &w->work->figures.explore, true)) {
				forget(w);
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
		bool wrong = explore_on_path(last) ? !w->work->figures.infer.assumed : last->mismatches && !last->refuted;
		if (explorer_stir(w->explorer, last, wrong) || explorer_wait(w->explorer, last))
			execution_release(&w->x);
		else
			revise(w);
	}
}
