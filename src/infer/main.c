/*
 * rethread-infer: `rethread infer` and `rethread reproduce`. Reads top to bottom: open the trace, execute the
 * threads symbolically, solve, check, replay; a candidate that does not replay is excluded and the next
 * one asked for.
 */
#include "base/base.h"
#include "exe/twin.h"
#include "infer/explore.h"
#include "infer/follow.h"
#include "infer/paths.h"
#include "infer/progress.h"
#include "infer/request.h"
#include "infer/result.h"
#include "infer/revise.h"
#include "model/check.h"
#include "search/search.h"
#include "search/story.h"
#include "solve/infer.h"
#include "trace/store.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * For failures that only show in what the program did outside, its output or its exit status: first an interleaving that
 * shows the same, whatever its other reads read; then one for each way in which all reads may read; then without what
 * was shown, in case that contradicts itself (bits of an address look like any number).
 */
enum phase { PHASE_OUTPUT, PHASE_OUTPUT_ALL_READS, PHASE_ALL_READS };

/* So many candidates of the first phase that do not replay are enough, and so much of the budget. */
enum { OUTPUT_CANDIDATES = 20 };
#define OUTPUT_SHARE 0.3

/* All that one inference works with. */
struct work {
	struct request request;
	struct trace *trace;
	char *twin, *dir;
	struct explorer *explorer;
	struct execution x; /* of the executor's last run */
	uint64_t *rejected; /* values of its symbols in a candidate that did not replay, or NULL */
	vec(struct step) tried; /* that candidate's order */
	enum memory_model models[2]; /* to try, in this order */
	size_t nmodels;
	bool use_time;      /* believe the time stamps */
	bool outward;       /* the failure is one that phases are for */
	enum phase phase;
	struct figures figures;
	unsigned seed;      /* of the order in which the executor runs the threads; 0: by time */
	double start;
	double share;       /* seconds that engine solve may take of the budget */
	bool may_search;    /* when solve comes to nothing, engine search is next */
};

static char *formula_file(const struct work *w)
{
	return xasprintf("%s/formula", w->dir);
}

/* The last one that was solved, which is the one of the answer. */
static void show_formula(const struct work *w)
{
	char *file = w->request.explain && w->dir ? formula_file(w) : NULL, *text;
	size_t size;
	if (file && read_file(file, &text, &size, NULL)) {
		putchar('\n');
		fwrite(text, 1, size, stdout);
		free(text);
	}
	free(file);
}

_Noreturn static void search_for_it(struct work *w);

_Noreturn static void finish(struct work *w, int code, const char *outcome)
{
	w->figures.outcome = outcome;
	w->figures.seconds = solver_clock() - w->start;
	struct error err;
	if (w->request.json && !result_write_figures(&w->figures, w->request.json, &err))
		warn("%s", err.text);
	show_formula(w);
	if (w->dir && !getenv("RETHREAD_KEEP"))
		remove_tree(w->dir, NULL);
	exit(code);
}

/* Engine solve has come to nothing. Where there is another engine, that goes on; else this returns. */
static void fall_back(struct work *w)
{
	if (!w->may_search)
		return;
	progress_line("going on with engine search");
	search_for_it(w);
}

_Noreturn static void give_up(struct work *w, const struct error *err)
{
	progress_line("rethread: %s", err->text);
	fall_back(w);
	finish(w, EXIT_ERROR, "error");
}

static void open_trace(struct work *w)
{
	struct error err;
	char *dir = traces_find(w->request.trace, &err);
	w->trace = dir ? trace_open(dir, &err) : NULL;
	if (!w->trace)
		die(EXIT_ERROR, "%s", err.text);
	if (w->trace->failure.kind == RT_FAIL_NONE && !trace_is_rw(w->trace)) /* an order can be followed to any end */
		die(EXIT_ERROR, "%s is the trace of a run that did not fail", w->trace->dir);
	w->twin = twin_extract(w->trace, w->trace->dir, &err);
	w->dir = w->twin ? temp_dir(&err) : NULL;
	if (!w->dir)
		die(EXIT_ERROR, "%s", err.text);
}

static double left(const struct work *w)
{
	double rest = w->share - (solver_clock() - w->start);
	return rest > 0.01 ? rest : 0.01;
}

static bool budget_over(const struct work *w)
{
	return solver_clock() - w->start >= w->share;
}

/* Conditions on what was shown are for failures that show there, and not for the last phase. */
static void choose_conditions(struct work *w)
{
	size_t n = 0, outputs = 0;
	for (size_t i = 0; i < w->x.conditions.n; i++) {
		bool output = w->x.conditions.at[i].kind == CONDITION_OUTPUT;
		outputs += output || w->x.conditions.at[i].kind == CONDITION_BUG;
		if (!output || (w->outward && w->phase != PHASE_ALL_READS))
			w->x.conditions.at[n++] = w->x.conditions.at[i];
	}
	w->x.conditions.n = n;
	if (!outputs)
		w->phase = PHASE_ALL_READS;
}

static bool in_first_phase(const struct work *w)
{
	return w->outward && w->phase == PHASE_OUTPUT;
}

/* Has the first phase had its share? */
static bool phase_over(const struct work *w)
{
	return in_first_phase(w) && (w->figures.replays >= OUTPUT_CANDIDATES ||
				     solver_clock() - w->start > OUTPUT_SHARE * w->request.budget);
}

/* Runs the executor until it finds no new race. */
static void execute(struct work *w)
{
	struct error err;
	struct explore_stats *s = &w->figures.explore;
	enum explore_result result = explorer_run(w->explorer, left(w), &w->x, s, &err);
	if (result != EXPLORE_DONE) {
		progress_line("rethread: %s", err.text);
		fall_back(w);
		finish(w, result == EXPLORE_BUDGET ? EXIT_BUDGET : EXIT_ERROR,
		       result == EXPLORE_BUDGET ? "budget" : "error");
	}
	choose_conditions(w);
	if (w->seed)
		progress_status("executing in other orders: run %u, %u candidates", s->runs, w->figures.replays);
	if (w->request.verbose || (explore_on_path(s) && !w->seed))
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

_Noreturn static void unexplained(struct work *w)
{
	const struct explore_stats *s = &w->figures.explore;
	const char *missing = missing_from_log(w->trace);
	struct error err;
	/* Library code outside of the module changes shared structures without a trace; only the order of locks tells when. */
	const char *advice = w->trace->header.scheme == RT_SCHEME_PATH
				     ? "; scheme path knows nothing of what libraries do under a lock, path+sync may"
				     : "";
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
	else
		fail(&err, "the failing thread did not reach its failure symbolically: inference does not model this "
			   "kind of failure yet");
	give_up(w, &err);
}

_Noreturn static void over_budget(struct work *w)
{
	if (w->may_search)
		progress_line("rethread: no interleaving was inferred in %.0f s", w->share);
	fall_back(w);
	progress_line("rethread: the budget of %.0f s ended before an interleaving was found; --budget gives more",
		      w->request.budget);
	finish(w, EXIT_BUDGET, "budget");
}

/* There is nothing more to find in this phase; false: nor is there another. */
static bool next_phase(struct work *w)
{
	if (!w->outward || w->phase == PHASE_ALL_READS)
		return false;
	w->phase++;
	return true;
}

/* Other values for the racy reads, from a model of what is known; there are none: the log is not explained. */
static void revise(struct work *w)
{
	struct error err;
	uint64_t *symbols = xcalloc(w->x.nsymbols + 1, sizeof *symbols);
	enum infer_result result = INFER_NONE;
	for (size_t i = 0; i < w->nmodels && result == INFER_NONE; i++) {
		struct infer_options options = infer_defaults();
		options.model = w->models[i];
		options.seconds = left(w);
		options.use_time = w->use_time;
		options.time_margin = w->trace->header.time_margin;
		progress_status("revising guesses: run %u, %llu symbols, %llu assumptions", w->figures.explore.runs,
				(unsigned long long)w->x.nsymbols,
				(unsigned long long)w->figures.explore.assumptions);
		result = revise_values(&w->x, &options, symbols, &err);
	}
	if (result == INFER_BUDGET || budget_over(w))
		over_budget(w);
	if (result == INFER_ERROR)
		give_up(w, &err);
	bool changed = false;
	if (result == INFER_FOUND && !explorer_force(w->explorer, &w->x, symbols, &changed, &err))
		give_up(w, &err);
	if (!changed && !next_phase(w))
		unexplained(w);
	w->figures.revisions++;
	free(w->rejected);
	w->rejected = NULL;
	free(symbols);
	execution_release(&w->x);
}

/* The first few in full; then only a count, on a terminal. */
static void say_unproven(struct work *w, const char *why)
{
	if (w->request.verbose || w->figures.replays <= 3)
		progress_line("candidate %u does not replay: %s", w->figures.replays, why);
	else
		progress_status("%u candidates did not replay", w->figures.replays);
}

/* Replays the candidate; when proven, it becomes the trace's schedule. */
static bool prove(struct work *w, const struct schedule *schedule, struct infer_state *state,
		  enum memory_model model)
{
	struct error err;
	char *candidate = xasprintf("%s/schedule", w->dir), *final = xasprintf("%s/schedule", w->trace->dir);
	char *interleaving = xasprintf("%s/interleaving.json", w->trace->dir);
	if (!schedule_write(schedule, candidate, &err))
		give_up(w, &err);
	bool proven = true;
	if (w->request.prove) {
		struct replay_result result;
		double start = solver_clock();
		w->figures.replays++;
		if (!twin_replay(w->trace, w->twin, candidate, 10, true, &result, &err))
			give_up(w, &err);
		w->figures.replay_seconds += solver_clock() - start;
		proven = result.reproduced;
		if (!proven)
			say_unproven(w, result.why);
	}
	if (proven && (!schedule_write(schedule, final, &err) ||
		       !result_write_interleaving(&w->x, model, infer_order(state), interleaving, &err)))
		give_up(w, &err);
	free(candidate);
	free(final);
	free(interleaving);
	return proven;
}

static void name_module(struct schedule *schedule, const struct trace *t)
{
	for (unsigned i = 0; i < RT_HASH_SIZE; i++)
		snprintf(schedule->module + 2 * i, 3, "%02x", t->header.module_hash[i]);
}

/* A trace of scheme rw has the order in it: nothing is inferred, the proof is the same. */
_Noreturn static void follow_order(struct work *w)
{
	struct error err;
	struct schedule schedule;
	w->figures.engine = "follow";
	w->figures.model = "sc";
	if (!follow(w->trace, &schedule, &err))
		give_up(w, &err);
	name_module(&schedule, w->trace);
	char *path = xasprintf("%s/schedule", w->trace->dir);
	if (!schedule_write(&schedule, path, &err))
		give_up(w, &err);
	w->figures.infer.waits = schedule.waits.n;
	struct replay_result result = { .reproduced = true };
	double start = solver_clock();
	if (w->request.prove && !twin_replay(w->trace, w->twin, path, (unsigned)left(w) + 1, true, &result, &err))
		give_up(w, &err);
	w->figures.replays = w->request.prove;
	w->figures.replay_seconds = solver_clock() - start;
	if (!result.reproduced) {
		progress_line("rethread: the recorded order does not replay: %s", result.why);
		unlink(path);
		finish(w, EXIT_ERROR, "unproven");
	}
	printf("%s: %zu waits\nschedule: %s\n",
	       w->request.prove ? "followed and proven by replay" : "the recorded order (not replayed)", schedule.waits.n, path);
	finish(w, EXIT_DONE, w->request.prove ? "reproduced" : "inferred");
}

static void choose_engine(struct work *w)
{
	bool rw = trace_is_rw(w->trace);
	bool base = w->trace->header.scheme == RT_SCHEME_BASE, needs_path = !strcmp(w->request.engine, "solve");
	bool searches = !strcmp(w->request.engine, "search");
	if ((rw && (needs_path || searches)) || (!rw && !strcmp(w->request.engine, "follow"))) {
		progress_line("rethread: engine %s does not work from a trace of this scheme", w->request.engine);
		finish(w, EXIT_USAGE, "error");
	}
	if (rw)
		follow_order(w);
	if (searches || (base && w->request.prove && !needs_path))
		search_for_it(w);
	if (base) {
		progress_line("rethread: scheme base records inputs but no paths, so there is nothing that engine solve could "
			      "follow: record again with --scheme path+sync");
		finish(w, EXIT_ERROR, "error");
	}
	w->may_search = w->request.prove && !strcmp(w->request.engine, "auto");
	w->share = w->may_search ? w->request.budget * 0.6 : w->request.budget;
}

/* ---- engine search ---- */

/* Does what an attempt recorded replay, with the recorded inputs? Then it becomes the trace's schedule. */
static bool prove_attempt(void *data, const struct schedule *found, const struct rt_attempt *attempt)
{
	struct work *w = data;
	struct error err;
	struct schedule s = *found;
	struct replay_result result;
	char *candidate = xasprintf("%s/schedule", w->dir), *final = xasprintf("%s/schedule", w->trace->dir);
	char *interleaving = xasprintf("%s/interleaving.json", w->trace->dir);
	double start = solver_clock();
	name_module(&s, w->trace);
	bool ok = schedule_write(&s, candidate, &err) &&
		  twin_replay(w->trace, w->twin, candidate, (unsigned)left(w) + 10, true, &result, &err);
	w->figures.replays++;
	w->figures.replay_seconds += solver_clock() - start;
	if (!ok)
		progress_line("rethread: %s", err.text);
	else if (!result.reproduced)
		say_unproven(w, result.why);
	ok = ok && result.reproduced;
	if (ok && (!schedule_write(&s, final, &err) || !story_write(attempt, w->trace, w->twin, interleaving, &err))) {
		progress_line("rethread: %s", err.text);
		ok = false;
	}
	w->figures.infer.waits = s.waits.n;
	free(candidate);
	free(final);
	free(interleaving);
	return ok;
}

_Noreturn static void search_for_it(struct work *w)
{
	struct error err;
	w->figures.engine = "search";
	w->figures.model = "sc";
	w->share = w->request.budget;
	struct search_options options = { .trace = w->trace, .twin = w->twin, .dir = w->dir, .seconds = left(w),
					  .seed = w->request.seed, .use_time = w->use_time, .verbose = w->request.verbose,
					  .prove = prove_attempt, .data = w };
	struct search_stats s = {0};
	enum search_result result = search(&options, &s, &err);
	w->figures.attempts = s.attempts;
	switch (result) {
	case SEARCH_FOUND:
		printf("reproduced and proven by replay: %u attempts, %" PRIu64 " waits\nschedule: %s/schedule\n", s.attempts,
		       w->figures.infer.waits, w->trace->dir);
		finish(w, EXIT_DONE, "reproduced");
	case SEARCH_BUDGET:
		progress_line("rethread: the budget of %.0f s ended after %u attempts, %u of which failed as recorded; --budget "
			      "gives more, --seed other attempts", w->request.budget, s.attempts, s.failing);
		finish(w, EXIT_BUDGET, "budget");
	case SEARCH_INTERRUPTED:
		progress_line("rethread: interrupted after %u attempts", s.attempts);
		finish(w, 128 + SIGINT, "interrupted");
	default:
		progress_line("rethread: %s", err.text);
		finish(w, EXIT_ERROR, "error");
	}
}

/* A contradiction in what is known leaves no formula; solving will say so. */
static void export_formula(struct work *w, const struct infer_options *options)
{
	struct error err;
	char *file = formula_file(w);
	if (w->request.smt2 && !infer_export_smt2(&w->x, options, w->request.smt2, &err))
		give_up(w, &err);
	if (w->request.explain && !infer_explain(&w->x, options, file, &err))
		progress_line("rethread: no formula: %s", err.text);
	free(file);
}

/*
 * Candidates under one memory model, until one is proven or the time is up; *state is kept, so that another call goes
 * on from there.
 */
static enum infer_result solve(struct work *w, enum memory_model model, double seconds,
			       struct infer_state **state)
{
	double end = solver_clock() + seconds;
	struct infer_options options = infer_defaults();
	options.model = model;
	options.use_time = w->use_time;
	options.time_margin = w->trace->header.time_margin;
	options.all_reads = w->outward && w->phase != PHASE_OUTPUT;
	w->figures.model = memory_model_name(model);
	struct error err;
	if (!*state)
		export_formula(w, &options);
	for (;;) {
		options.seconds = end - solver_clock();
		if (budget_over(w) || options.seconds <= 0)
			return INFER_BUDGET;
		if (phase_over(w))
			return INFER_BUDGET;
		if (options.seconds > left(w))
			options.seconds = left(w);
		if (in_first_phase(w) && options.seconds > OUTPUT_SHARE * w->request.budget)
			options.seconds = OUTPUT_SHARE * w->request.budget;
		progress_status("solving under %s: candidate %u", w->figures.model, w->figures.replays + 1);
		struct schedule schedule;
		enum infer_result result =
			infer_schedule(&w->x, &options, state, &schedule, &w->figures.infer, &err);
		if (result == INFER_ERROR)
			give_up(w, &err);
		if (result != INFER_FOUND)
			return result;
		name_module(&schedule, w->trace);
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

_Noreturn static void reproduced(struct work *w)
{
	const struct infer_stats *s = &w->figures.infer;
	progress_line("solved under %s in %.2f s: %llu racy reads, %llu variables, %llu constraints, %u candidates",
		      w->figures.model, s->build_seconds + s->solve_seconds + s->check_seconds,
		      (unsigned long long)s->racy_reads, (unsigned long long)s->variables,
		      (unsigned long long)s->constraints,
		      w->figures.replays ? w->figures.replays : 1);
	if (w->request.prove)
		printf("reproduced and proven by replay: %u context switches, %llu waits\n", s->switches,
		       (unsigned long long)s->waits);
	else
		printf("an interleaving explains the log: %u context switches, %llu waits (not replayed)\n",
		       s->switches, (unsigned long long)s->waits);
	printf("schedule: %s/schedule\n", w->trace->dir);
	finish(w, EXIT_DONE, w->request.prove ? "reproduced" : "inferred");
}

static void exclude_guesses(struct work *w)
{
	struct error err;
	if (!explorer_exclude(w->explorer, &w->x, w->rejected, &err))
		give_up(w, &err);
	free(w->rejected);
	w->rejected = NULL;
	execution_release(&w->x);
}

/*
 * Where the failure is in what the program prints or returns, the path says little about it, and under other addresses
 * everything comes out differently: then orders of other runs of the executor are tried as well, which explain
 * themselves. Only as long as nothing is forced.
 */
static bool orders_differ(const struct work *w)
{
	enum { MOST_SEEDS = 500 };
	uint32_t kind = w->trace->failure.kind;
	return (kind == RT_FAIL_PREDICATE || kind == RT_FAIL_EXIT) && !in_first_phase(w) && w->figures.explore.assumptions &&
	       !explorer_has_forced(w->explorer) && w->seed < MOST_SEEDS;
}

/* How many steps of the order that was tried come before some assumption, each time another one. */
static size_t steps_to_keep(const struct work *w)
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

static void try_other_order(struct work *w)
{
	struct error err;
	w->seed++;
	if (!explorer_reorder(w->explorer, &w->x, w->tried.n ? w->tried.at : NULL, steps_to_keep(w), w->seed, &err))
		give_up(w, &err);
	w->tried.n = 0;
	free(w->rejected);
	w->rejected = NULL;
	execution_release(&w->x);
}

/* The memory models take turns, with slices that grow, until one has a proven candidate or all are known to have none. */
static enum infer_result solve_models(struct work *w)
{
	struct infer_state *states[2] = { NULL, NULL };
	bool decided[2] = { false, false };
	enum infer_result result = INFER_BUDGET;
	bool once = orders_differ(w); /* other runs are more promising than more time */
	for (double slice = w->nmodels == 1 && !once ? w->request.budget : 3; result == INFER_BUDGET && !budget_over(w) && !phase_over(w);
	     slice *= 2) {
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

_Noreturn static void none_found(struct work *w)
{
	if (w->figures.replays) {
		progress_line("rethread: no further candidate, and none was proven: candidates did not replay; this says "
			      "nothing about others");
		fall_back(w);
		finish(w, EXIT_ERROR, "unproven");
	}
	progress_line("no interleaving under %s explains the log: proven", w->figures.model);
	finish(w, EXIT_NO_INTERLEAVING, "none");
}

static void choose_models(struct work *w)
{
	w->models[0] = MEMORY_SC;
	w->models[1] = MEMORY_TSO;
	w->nmodels = 2;
	if (w->request.model) {
		memory_model_parse(w->request.model, &w->models[0]);
		w->nmodels = 1;
	}
}

int main(int argc, char **argv)
{
	struct error err;
	umask(077); /* what goes into a trace is for its owner alone */
	if (argc && !strcmp(argv[0], "paths"))
		return paths_main(argc, argv);
	struct work w = { .request = request_parse(argc, argv), .start = solver_clock() };
	w.share = w.request.budget;
	w.figures.engine = "solve";
	w.figures.model = "";
	choose_models(&w);
	w.use_time = !w.request.no_time;
	open_trace(&w);
	choose_engine(&w);
	w.outward = w.trace->failure.kind == RT_FAIL_PREDICATE || w.trace->failure.kind == RT_FAIL_EXIT;
	w.explorer = explorer_new(w.trace, w.twin, w.dir, &err);
	if (!w.explorer)
		give_up(&w, &err);
	for (;;) {
		execute(&w);
		if (explore_on_path(&w.figures.explore)) {
			enum infer_result result = solve_models(&w);
			if (result == INFER_FOUND)
				reproduced(&w);
			if (phase_over(&w)) {
				next_phase(&w);
				execution_release(&w.x);
				continue;
			}
			if (orders_differ(&w) && !budget_over(&w)) {
				try_other_order(&w);
				continue;
			}
			if (result == INFER_BUDGET)
				over_budget(&w);
			if (!w.figures.explore.assumptions) {
				if (!next_phase(&w))
					none_found(&w);
				execution_release(&w.x);
				continue;
			}
			if (w.rejected) { /* under these guesses nothing fails the same way */
				exclude_guesses(&w);
				continue;
			}
		}
		if (w.seed && orders_differ(&w)) {
			try_other_order(&w);
			continue;
		}
		revise(&w);
	}
}
