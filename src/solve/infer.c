#include "solve/infer.h"

#include "model/check.h"
#include "model/keep.h"
#include "model/saturate.h"
#include "model/values.h"
#include "solve/apart.h"
#include "solve/fewest.h"
#include "solve/formula_text.h"
#include "solve/guess.h"
#include "solve/simplify.h"
#include "solve/team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The search alone gets this much more time per node. */
#define WALK_SECONDS_PER_NODE 4e-6

/* How long deriving orders may take, as a share of the budget. */
#define SATURATE_SHARE 0.1

/* With more candidate writers than this, none are derived. Looking at one takes some 100 ns; what follows often leaves a tenth of them. */
#define MOST_TO_DERIVE 16000000u

struct infer_state {
	struct memory memory;
	struct problem problem;
	bool *impossible;        /* by candidate */
	uint32_t *guess, *as_run; /* by node */
	struct team *team;
	struct linear order;
	struct infer_stats stats;
	struct apart *apart;     /* parts, while their answers may be the whole's; NULL: there are none, or it has not been seen */
	bool tried_apart;        /* it has been seen */
	uint32_t *seen;          /* by piece: the writers of the last candidate; NULL before the first */
	vec(uint32_t *) excluded; /* those of earlier ones */
	struct error contradiction; /* a sentence: what is known contradicts itself, nothing else is set then */
};

struct infer_options infer_defaults(void)
{
	return (struct infer_options){.model = MEMORY_SC, .seconds = 60, .fewest_seconds = 0.5,
				      .walk_seconds = 0.5};
}

/* -------------------------------------------------- the problem -------------------------- */

static bool contradicts(struct infer_state *s, const struct error *why)
{
	s->contradiction = *why;
	return false;
}

/* What follows from what the reads can have seen; with it, fewer candidates. Of those that there are then it depends whether the problem is large. */
static bool derive_orders(struct infer_state *s, const struct problem_options *options, double seconds,
			  struct error *err)
{
	struct saturate_figures figures = {0};
	if (s->problem.large)
		return true;
	/* An unknown value counts as 0, so nothing follows for certain. */
	if (s->problem.unknown == UINT32_MAX && !saturate(&s->memory, &s->problem, s->impossible, seconds, &figures, err))
		return contradicts(s, err);
	s->stats.derived = figures.orders;
	if (!figures.orders && s->problem.candidates.n <= PROBLEM_LARGE)
		return true;
	free(s->impossible);
	s->impossible = NULL;
	problem_release(&s->problem);
	if (!problem_init(&s->problem, &s->memory, options, err))
		return false;
	s->impossible = values_impossible(&s->problem);
	return true;
}

static struct memory_options memory_options(const struct infer_options *o, bool loose)
{
	return (struct memory_options){o->model, o->use_time, o->time_margin, loose};
}

/* False: an error, or a contradiction. */
static bool build_problem(struct infer_state *s, const struct execution *x, const struct infer_options *o,
			  struct error *err)
{
	struct memory_options memory = memory_options(o, o->loose);
	struct problem_options problem = {.all_reads = o->all_reads, .large = o->large}, first = problem;
	first.most = MOST_TO_DERIVE;
	s->stats.in_order = execution_has_pieces(x);
	if (!memory_init(&s->memory, x, &memory, err))
		return contradicts(s, err);
	s->stats.in_order = s->memory.in_order;
	if (!problem_init(&s->problem, &s->memory, &first, err))
		return false;
	s->impossible = values_impossible(&s->problem);
	return derive_orders(s, &problem, SATURATE_SHARE * o->seconds, err);
}

static void count_problem(struct infer_state *s, const struct execution *x)
{
	struct infer_stats *n = &s->stats;
	n->events = x->events.n;
	n->threads = x->threads.n;
	n->symbols = x->nsymbols;
	n->conditions = x->conditions.n;
	n->locations = s->memory.atoms.at.n;
	n->reads = s->problem.pieces.n;
	n->racy_reads = s->problem.racy_reads;
	for (size_t i = 0; i < s->problem.pieces.n; i++)
		if (s->problem.pieces.at[i].count > 1)
			n->candidates += s->problem.pieces.at[i].count;
	for (size_t i = 0; i < x->conditions.n; i++)
		n->assumed |= x->conditions.at[i].kind == CONDITION_ASSUMED ||
			      x->conditions.at[i].kind == CONDITION_ADDRESS;
}

static void release_problem(struct infer_state *s)
{
	free(s->impossible);
	problem_release(&s->problem);
	memory_release(&s->memory);
}

static struct infer_state *open_state(const struct execution *x, const struct infer_options *o,
				      struct error *err)
{
	double start = solver_clock();
	if (!solver_find(o->solver)) {
		fail(err, "there is no solver \"%s\"; there are %s", o->solver, solver_names());
		return NULL;
	}
	struct infer_state *s = xcalloc(1, sizeof *s);
	bool built = build_problem(s, x, o, err);
	if (built) {
		count_problem(s, x);
		s->guess = guess_places(&s->memory, err);
		s->as_run = s->guess ? guess_places_as_run(&s->memory, err) : NULL;
	}
	if (!s->guess) {
		release_problem(s);
		if (*s->contradiction.text)
			return s;
		free(s);
		return NULL;
	}
	struct team_options team = {.p = &s->problem, .impossible = s->impossible, .as_run = s->as_run, .guess = s->guess,
				    .brief = s->stats.assumed || o->brief, .no_search = o->walk_seconds < 0,
				    .no_formula = s->problem.large || !formula_can_express(x),
				    .solver = solver_find(o->solver), .workers = o->workers};
	s->team = team_new(&team);
	s->stats.build_seconds = solver_clock() - start;
	return s;
}

void infer_free(struct infer_state *s)
{
	if (!s)
		return;
	if (!*s->contradiction.text) {
		team_free(s->team);
		apart_free(s->apart);
		linear_release(&s->order);
		release_problem(s);
		free(s->guess);
		free(s->as_run);
		free(s->seen);
		for (size_t i = 0; i < s->excluded.n; i++)
			free(s->excluded.at[i]);
		vec_free(&s->excluded);
	}
	free(s);
}

static void count_solution(struct infer_state *s, const struct schedule *out)
{
	struct infer_stats *n = &s->stats;
	struct team_figures f = team_figures(s->team);
	n->variables = f.variables;
	n->constraints = f.constraints;
	n->rounds = f.solver.rounds;
	n->cycles = f.solver.cycles;
	n->between = f.solver.between;
	n->states = f.states;
	n->switches = s->order.switches;
	n->steps = s->order.needed;
	n->waits = out ? out->waits.n : 0;
}

/* -------------------------------------------------- orders ------------------------------- */

/* An order that gives the reads what they see, with few context switches. */
static bool keep_seen_order(struct infer_state *s, const uint32_t *place, struct error *err)
{
	struct chosen_edges edges = {0};
	keep_orders(&s->problem, place, s->seen, &edges);
	linear_release(&s->order);
	bool ok = linear_keep(&s->order, &s->memory, edges.at, edges.n, err);
	vec_free(&edges);
	return ok;
}

static bool take_walk(struct infer_state *s, struct walk *walk, struct error *err)
{
	size_t npieces = s->problem.pieces.n;
	uint32_t *place = xmalloc((s->memory.nnodes + 1) * sizeof *place);
	for (uint32_t i = 0; i < s->memory.nnodes; i++)
		place[walk_nodes(walk)[i]] = i;
	s->seen = xmalloc((npieces + 1) * sizeof *s->seen);
	memcpy(s->seen, walk_seen(walk), npieces * sizeof *s->seen);
	walk_exclude(walk, s->seen);
	bool ok = keep_seen_order(s, place, err);
	free(place);
	return ok;
}

/* What the reads see in an order that respects these edges. */
static bool take_edges(struct infer_state *s, const struct chosen_edges *edges, struct error *err)
{
	struct linear l;
	if (!linear_init(&l, &s->memory, edges->at, edges->n, NULL, err))
		return false;
	uint32_t *place = linear_places(&s->memory, &l);
	linear_release(&l);
	s->seen = keep_seen(&s->problem, place);
	bool ok = keep_seen_order(s, place, err);
	free(place);
	return ok;
}

static bool take_model(struct infer_state *s, struct error *err)
{
	struct chosen_edges chosen = {0};
	formula_chosen_edges(team_formula(s->team), team_model(s->team), &chosen);
	bool ok = take_edges(s, &chosen, err);
	vec_free(&chosen);
	return ok;
}

/* -------------------------------------------------- answers ------------------------------ */

/* What the team says; INFER_BUDGET: nothing. */
static enum infer_result take_decision(struct infer_state *s, enum team_result r, struct error *err)
{
	struct walk *walk = team_walk(s->team);
	s->stats.walked = walk && (r == TEAM_FOUND || r == TEAM_NONE);
	switch (r) {
	case TEAM_FOUND:
		return (walk ? take_walk(s, walk, err) : take_model(s, err)) ? INFER_FOUND : INFER_ERROR;
	case TEAM_NONE:
		return INFER_NONE;
	case TEAM_ERROR:
		return INFER_ERROR;
	default:
		return INFER_BUDGET;
	}
}

/*
 * Parts that have nothing to do with one another, for the first answer. INFER_BUDGET: there are none, they are not decided yet, or their answers do
 * not fit together: then the whole has to be solved.
 */
static enum infer_result try_apart(struct infer_state *s, const struct infer_options *o, double seconds, struct error *err)
{
	struct infer_options options = *o;
	struct chosen_edges edges = {0};
	if (!s->tried_apart && !o->all_reads && s->memory.x->lock_order_known)
		s->apart = apart_new(&s->memory);
	s->tried_apart = true;
	if (!s->apart || s->excluded.n)
		return INFER_BUDGET;
	options.seconds = seconds;
	enum infer_result r = apart_solve(s->apart, &options, &edges, err);
	if (r == INFER_BUDGET)
		return r;
	s->stats.parts = apart_parts(s->apart);
	const struct linear *l = &s->order;
	if (r == INFER_FOUND && (!take_edges(s, &edges, err) ||
				 (!o->unchecked && !check_order(s->memory.x, o->model, l->steps.at, l->steps.n, NULL, NULL)))) {
		free(s->seen);
		s->seen = NULL;
		r = INFER_BUDGET;
	}
	apart_free(s->apart);
	s->apart = NULL;
	vec_free(&edges);
	return r == INFER_ERROR ? INFER_BUDGET : r;
}

/*
 * The first search alone for a moment, then parts, then all that the team has. A large problem takes longer than a moment: there the
 * team works from the start.
 */
static enum infer_result find_answer(struct infer_state *s, const struct infer_options *o, struct error *err)
{
	double end = solver_clock() + o->seconds, alone = o->walk_seconds;
	if (alone > 0)
		alone = s->problem.large ? 0 : alone + WALK_SECONDS_PER_NODE * s->memory.nnodes;
	s->stats.exhausted = false;
	struct team_call call = {.seconds = alone < o->seconds ? alone : o->seconds, .stop = o->stop, .tell = o->tell};
	bool only_search = s->problem.large || !formula_can_express(s->memory.x);
	if (only_search && o->walk_seconds < 0) {
		fail(err, "only the search can decide this: it is large, or a barrier is used by more threads than it is for");
		return INFER_ERROR;
	}
	enum team_result decision = alone > 0 ? team_search(s->team, &call) : TEAM_UNDECIDED;
	enum infer_result r = take_decision(s, decision, err);
	if (r == INFER_BUDGET && !only_search)
		r = try_apart(s, o, end - solver_clock(), err);
	call.seconds = end - solver_clock();
	if (r != INFER_BUDGET || call.seconds <= 0 || (o->stop && *o->stop))
		return r;
	if (!only_search || decision != TEAM_EXHAUSTED) {
		decision = team_work(s->team, &call, err);
		r = take_decision(s, decision, err);
	}
	if (!only_search || decision != TEAM_EXHAUSTED || !(s->stats.assumed || o->doubted))
		return r;
	s->stats.exhausted = true;
	return INFER_NONE;
}

/* Does the order give the reads something that no earlier candidate did? Then it may be given. */
static bool is_new(void *data, const struct linear *l)
{
	struct infer_state *s = data;
	uint32_t *place = linear_places(&s->memory, l), *seen = keep_seen(&s->problem, place);
	size_t size = s->problem.pieces.n * sizeof *seen;
	bool fresh = true;
	for (size_t i = 0; i < s->excluded.n && fresh; i++)
		fresh = memcmp(s->excluded.at[i], seen, size) != 0;
	free(place);
	if (fresh) {
		free(s->seen);
		s->seen = seen;
	} else {
		free(seen);
	}
	return fresh;
}

/* No order has fewer switches than this, also where pieces of a call come in any order; what is found here by the way is not taken. */
static uint32_t least_if_loose(const struct execution *x, const struct infer_options *o, const struct linear *order)
{
	struct memory_options options = memory_options(o, true);
	struct problem_options all = {.all_reads = o->all_reads, .large = o->large};
	struct memory m;
	struct problem p;
	struct error err;
	uint32_t least = 0, *seen = NULL;
	if (!memory_init(&m, x, &options, &err))
		return 0;
	if (problem_init(&p, &m, &all, &err)) {
		bool *impossible = values_impossible(&p);
		struct fewest_request fewest = {.p = &p, .impossible = impossible, .solver = solver_find(o->solver), .seconds = o->fewest_seconds,
						.workers = o->workers, .stop = o->stop, .tell = o->tell};
		struct linear found = {.needed = order->needed, .switches = order->switches};
		least = m.in_order ? 0 : fewest_switches(&fewest, &found, &seen);
		linear_release(&found);
		free(seen);
		free(impossible);
		problem_release(&p);
	}
	memory_release(&m);
	return least;
}

/* True: the order has to be checked once more. */
static bool lower_switches(struct infer_state *s, const struct execution *x, const struct infer_options *o)
{
	struct simplify_request request = {x, o->model, o->fewest_seconds, is_new, s};
	struct fewest_request fewest = {.p = &s->problem, .impossible = s->impossible,
					.solver = solver_find(o->solver), .seconds = o->fewest_seconds,
					.excluded = (const uint32_t *const *)s->excluded.at,
					.nexcluded = s->excluded.n, .workers = o->workers, .stop = o->stop,
					.tell = o->tell};
	simplify(&request, &s->order);
	uint32_t before = s->order.switches;
	s->stats.least = fewest_switches(&fewest, &s->order, &s->seen);
	if (simplify_splits(x, &s->order))
		simplify(&request, &s->order);
	uint32_t loose = s->memory.in_order ? least_if_loose(x, o, &s->order) : UINT32_MAX;
	s->stats.least = loose < s->stats.least ? loose : s->stats.least;
	return s->order.switches != before;
}

/* The order that was found: fewer switches, the checker's word for it, and the schedule. */
static bool take_order(struct infer_state *s, const struct execution *x, const struct infer_options *o,
		       struct schedule *out, struct error *err)
{
	struct error why;
	s->stats.least = 0;
	if (!o->unchecked && !check_order(x, o->model, s->order.steps.at, s->order.steps.n, NULL, &why))
		return fail(err, "the checker rejects the solver's answer: %s", why.text);
	if (o->fewest_seconds > 0 && !o->unchecked && formula_can_express(x) && lower_switches(s, x, o) &&
	    !check_order(x, o->model, s->order.steps.at, s->order.steps.n, NULL, &why))
		return fail(err, "the checker rejects the order with fewest switches: %s", why.text);
	simplify_waits(x, o->model, &s->order);
	s->stats.fewest = s->order.switches <= s->stats.least;
	schedule_init(out, &s->memory, &s->order);
	s->stats.preemptions = linear_preemptions(&s->order, &s->memory);
	return true;
}

/* Excludes the candidate given last. */
static void exclude_answer(struct infer_state *s)
{
	team_exclude(s->team, s->seen);
	*vec_push(&s->excluded) = s->seen;
	s->seen = NULL;
}

/* Nothing was found; a proof only when all that was read is known. With assumptions it is none in any case. */
static enum infer_result none(const struct infer_state *s, const struct execution *x, struct error *err)
{
	if (s->problem.unknown == UINT32_MAX || s->stats.assumed)
		return INFER_NONE;
	const struct event *e = &x->events.at[s->problem.pieces.at[s->problem.unknown].event];
	fail(err, "no initial value is known for %#llx, which SAP %llu of thread %s may read",
	     (unsigned long long)e->object, (unsigned long long)e->sap, x->threads.at[e->thread].name);
	return INFER_ERROR;
}

static enum infer_result next_answer(struct infer_state *s, const struct execution *x,
				     const struct infer_options *o, struct schedule *out, struct error *err)
{
	double start = solver_clock();
	if (s->seen)
		exclude_answer(s);
	enum infer_result r = find_answer(s, o, err);
	s->stats.solve_seconds += solver_clock() - start;
	if (r != INFER_FOUND)
		return r == INFER_NONE ? none(s, x, err) : r;
	start = solver_clock();
	s->stats.answers++;
	bool ok = take_order(s, x, o, out, err);
	s->stats.check_seconds += solver_clock() - start;
	return ok ? INFER_FOUND : INFER_ERROR;
}

enum infer_result infer_schedule(const struct execution *x, const struct infer_options *o,
				 struct infer_state **s, struct schedule *out, struct infer_stats *stats,
				 struct error *err)
{
	if (!*s)
		*s = open_state(x, o, err);
	if (!*s)
		return INFER_ERROR;
	enum infer_result r = INFER_NONE;
	if (*(*s)->contradiction.text) {
		if (err)
			*err = (*s)->contradiction;
	} else {
		r = next_answer(*s, x, o, out, err);
		count_solution(*s, r == INFER_FOUND ? out : NULL);
	}
	if (stats)
		*stats = (*s)->stats;
	return r;
}

const struct linear *infer_order(const struct infer_state *s)
{
	return &s->order;
}

const struct problem *infer_problem(const struct infer_state *s)
{
	return &s->problem;
}

uint32_t infer_writer(const struct infer_state *s, uint32_t piece)
{
	return s->seen[piece];
}

/* The formula as it is written down, without what the search or the solver would take out first. */
struct whole_formula {
	struct memory memory;
	struct problem problem;
	struct formula formula;
};

static bool whole_init(struct whole_formula *w, const struct execution *x, const struct infer_options *o,
		       struct error *err)
{
	struct memory_options memory = memory_options(o, o->loose);
	struct problem_options problem = {.all_reads = o->all_reads, .written_out = true};
	struct formula_options formula = {UINT32_MAX, NULL};
	if (!memory_init(&w->memory, x, &memory, err))
		return false;
	if (problem_init(&w->problem, &w->memory, &problem, err)) {
		if (formula_init(&w->formula, &w->problem, &formula, err))
			return true;
		problem_release(&w->problem);
	}
	memory_release(&w->memory);
	return false;
}

static void whole_release(struct whole_formula *w)
{
	formula_release(&w->formula);
	problem_release(&w->problem);
	memory_release(&w->memory);
}

bool infer_measure(const struct execution *x, const struct infer_options *o, uint64_t *variables, uint64_t *constraints,
		   struct error *err)
{
	struct whole_formula w;
	if (!whole_init(&w, x, o, err))
		return false;
	*variables = w.formula.variables.n - 2 + x->nsymbols;
	*constraints = w.formula.ends.n + w.formula.equalities.n + x->conditions.n;
	whole_release(&w);
	return true;
}

bool infer_export_smt2(const struct execution *x, const struct infer_options *o, const char *path,
		       struct error *err)
{
	struct whole_formula w;
	if (!whole_init(&w, x, o, err))
		return false;
	const struct solver_ops *ops = &solver_z3_difference;
	struct backend *b = ops->open(&w.formula, err);
	char *text = ops->smt2(b);
	bool ok = write_file(path, text, strlen(text), err);
	free(text);
	ops->close(b);
	whole_release(&w);
	return ok;
}

bool infer_explain(const struct execution *x, const struct infer_options *o, const char *path, struct error *err)
{
	struct memory_options memory = memory_options(o, o->loose);
	struct problem_options options = {.all_reads = o->all_reads, .written_out = true};
	struct memory m;
	struct problem p;
	if (!memory_init(&m, x, &memory, err))
		return false;
	if (!problem_init(&p, &m, &options, err)) {
		memory_release(&m);
		return false;
	}
	FILE *out = fopen(path, "w");
	if (out)
		formula_text(out, &p);
	bool ok = out && !fclose(out);
	problem_release(&p);
	memory_release(&m);
	return ok || fail(err, "cannot write %s: %s", path, strerror(errno));
}
