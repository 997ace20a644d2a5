#include "solve/infer.h"

#include "model/bound.h"
#include "model/check.h"

#include <stdlib.h>
#include <string.h>

/* Reads with more candidates than this get their cubic part only when a model violates it. */
enum { BETWEEN_LIMIT = 64 };

/* A bound on context switches is worth its clauses up to this many. */
#define BOUND_CLAUSES 4000000

struct infer_state {
	struct memory memory;
	struct problem problem;
	struct formula formula;
	struct solver *solver;
	struct linear order;
	struct infer_stats stats;
	bool *answer;            /* the model behind the last candidate; NULL before the first */
	vec(uint32_t) excluded;  /* clauses of the formula that exclude earlier candidates */
	bool contradiction; /* of what is known: nothing else is set then */
};

struct infer_options infer_defaults(void)
{
	return (struct infer_options){.model = MEMORY_SC, .seconds = 60, .fewest_seconds = 1,
				      .sample_seconds = 0.2};
}

static bool build_formula(struct infer_state *s, const struct execution *x, const struct infer_options *o,
			  uint32_t between_limit, struct error *err)
{
	struct memory_options memory = {o->model, o->use_time, o->time_margin};
	struct problem_options problem = {o->all_reads};
	struct formula_options formula = {between_limit};
	if (!memory_init(&s->memory, x, &memory, err)) {
		s->contradiction = true;
		return false;
	}
	if (!problem_init(&s->problem, &s->memory, &problem, err)) {
		memory_release(&s->memory);
		return false;
	}
	if (!formula_init(&s->formula, &s->problem, &formula, err)) {
		problem_release(&s->problem);
		memory_release(&s->memory);
		return false;
	}
	return true;
}

static void release_formula(struct infer_state *s)
{
	formula_release(&s->formula);
	problem_release(&s->problem);
	memory_release(&s->memory);
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

/* What a first guess of the order is sorted by: time where it is known, then a place in some known order. */
struct guessed {
	uint64_t time;
	uint32_t place, node;
};

static int by_guess(const void *p, const void *q)
{
	const struct guessed *a = p, *b = q;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

/*
 * A first guess of the order, from which the solver starts: as the time stamps suggest, else any that
 * respects what is known. It need not be right.
 */
static bool guess_order(struct infer_state *s, const struct infer_options *o, struct error *err)
{
	struct linear l;
	const struct memory *m = &s->memory;
	if (!linear_init(&l, m, NULL, 0, NULL, err))
		return false;
	uint64_t *time = xcalloc(m->x->events.n, sizeof *time);
	for (uint32_t e = 0; o->use_time && e < m->x->events.n; e++) {
		const struct event *v = &m->x->events.at[e];
		bool first = e == m->x->threads.at[v->thread].first;
		uint64_t middle = v->after && v->before ? v->after / 2 + v->before / 2 : v->after;
		time[e] = first || middle > time[e - 1] ? middle : time[e - 1];
	}
	struct guessed *g = xmalloc(l.steps.n * sizeof *g);
	for (uint32_t i = 0; i < l.steps.n; i++) {
		uint32_t e = l.steps.at[i].event;
		g[i] = (struct guessed){time[e], i, l.steps.at[i].visible ? m->visible[e] : e};
	}
	if (l.steps.n)
		qsort(g, l.steps.n, sizeof *g, by_guess);
	s->formula.guess = xcalloc(m->nnodes, sizeof *s->formula.guess);
	for (uint32_t i = 0; i < l.steps.n; i++)
		s->formula.guess[g[i].node] = i;
	free(g);
	free(time);
	linear_release(&l);
	return true;
}

static struct infer_state *open_state(const struct execution *x, const struct infer_options *o,
				      struct error *err)
{
	double start = solver_clock();
	const struct solver_ops *ops = solver_find(o->solver);
	if (!ops) {
		fail(err, "there is no solver \"%s\"; there are %s", o->solver, solver_names());
		return NULL;
	}
	struct infer_state *s = xcalloc(1, sizeof *s);
	if (!build_formula(s, x, o, BETWEEN_LIMIT, err)) {
		if (s->contradiction)
			return s;
		free(s);
		return NULL;
	}
	if (guess_order(s, o, err))
		s->solver = solver_open(ops, &s->formula, err);
	if (!s->solver) {
		release_formula(s);
		free(s);
		return NULL;
	}
	count_problem(s, x);
	s->stats.build_seconds = solver_clock() - start;
	return s;
}

void infer_free(struct infer_state *s)
{
	if (!s)
		return;
	if (s->contradiction) {
		free(s);
		return;
	}
	solver_close(s->solver);
	linear_release(&s->order);
	release_formula(s);
	free(s->answer);
	vec_free(&s->excluded);
	free(s);
}

static void count_solution(struct infer_state *s, const struct schedule *out)
{
	const struct solver_figures *f = solver_figures(s->solver);
	struct infer_stats *n = &s->stats;
	n->variables = s->formula.variables.n - 2;
	n->constraints = s->formula.ends.n + s->formula.equalities.n + n->conditions;
	n->rounds = f->rounds;
	n->cycles = f->cycles;
	n->between = f->between;
	n->solve_seconds = f->seconds;
	n->switches = s->order.switches;
	n->steps = s->order.needed;
	n->waits = out ? out->waits.n : 0;
}

/* -------------------------------------------------- random orders ------------------------ */

/* Where each node stands in a total order; malloc'ed. */
static uint32_t *places(const struct memory *m, const struct linear *l)
{
	uint32_t *place = xcalloc(m->nnodes, sizeof *place);
	for (uint32_t i = 0; i < l->steps.n; i++) {
		uint32_t e = l->steps.at[i].event;
		if (!l->steps.at[i].visible)
			place[e] = i;
		else if (m->visible[e] != e)
			place[m->visible[e]] = i;
	}
	return place;
}

/* Random orders know nothing of locks whose order is open. */
static bool can_sample(const struct execution *x)
{
	for (size_t i = 0; !x->lock_order_known && i < x->events.n; i++)
		if (x->events.at[i].kind >= EVENT_LOCK && x->events.at[i].kind <= EVENT_BROADCAST)
			return false;
	return true;
}

/* Where a change of thread can matter: at what the solver could order. */
static uint32_t mark_points(const struct infer_state *s, bool *points)
{
	uint32_t n = 0;
	for (size_t v = 2; v < s->formula.variables.n; v++) {
		const struct variable *var = &s->formula.variables.at[v];
		if (var->kind == VARIABLE_ORDER)
			points[var->a] = points[var->b] = true;
	}
	for (uint32_t i = 0; i < s->memory.nnodes; i++)
		n += points[i];
	return n;
}

/*
 * Generate and validate (CLAP §4.3), with few changes of thread: many bugs show in a large part of all
 * interleavings, while sums of many racy updates are hard for a solver. True: s->order and s->answer are set.
 */
static bool sample(struct infer_state *s, const struct execution *x, const struct infer_options *o)
{
	double end = solver_clock() + o->sample_seconds;
	struct error err;
	if (o->sample_seconds <= 0 || !can_sample(x))
		return false;
	bool found = false, *points = xcalloc(s->memory.nnodes, sizeof *points);
	uint32_t npoints = mark_points(s, points);
	do {
		struct linear l;
		uint32_t changes = (uint32_t)(s->stats.samples % 5);
		if (!linear_random(&l, &s->memory, ++s->stats.samples, points, npoints, changes, &err))
			break;
		if (check_order(x, o->model, l.steps.at, l.steps.n, NULL, &err)) {
			uint32_t *place = places(&s->memory, &l);
			s->answer = xcalloc(s->formula.variables.n, sizeof *s->answer);
			formula_model_of(&s->formula, place, s->answer);
			free(place);
			linear_release(&s->order);
			s->order = l;
			found = true;
		} else {
			linear_release(&l);
		}
	} while (!found && solver_clock() < end);
	free(points);
	return found;
}

/* -------------------------------------------------- fewest context switches -------------- */

/* The formula once more, with a bound on context switches and a solver of its own. */
struct minimiser {
	struct formula formula;
	struct bound *bound;
	struct solver *solver;
};

static bool minimiser_open(struct minimiser *m, struct infer_state *s, const struct solver_ops *ops)
{
	struct formula_options options = {BETWEEN_LIMIT};
	struct error err;
	*m = (struct minimiser){0};
	if (!formula_init(&m->formula, &s->problem, &options, &err))
		return false;
	for (size_t i = 0; i < s->excluded.n; i++) { /* variables have the same numbers in both */
		uint32_t k = s->excluded.at[i], from = k ? s->formula.ends.at[k - 1] : 0;
		formula_add_clause(&m->formula, s->formula.literals.at + from,
				   s->formula.ends.at[k] - from);
	}
	m->bound = bound_new(&m->formula, s->order.switches - 1, BOUND_CLAUSES);
	if (m->bound)
		m->solver = solver_open(ops, &m->formula, &err);
	return m->solver != NULL;
}

static void minimiser_close(struct minimiser *m)
{
	solver_close(m->solver);
	bound_free(m->bound);
	formula_release(&m->formula);
}

/* A better order from the minimiser's model becomes the answer. */
static bool take_better(struct infer_state *s, struct minimiser *m)
{
	struct chosen_edges chosen = {0};
	struct linear l;
	struct error err;
	const bool *model = solver_model(m->solver);
	formula_chosen_edges(&m->formula, model, &chosen);
	bool ok = bound_linear(m->bound, model, &chosen, &l, &err);
	vec_free(&chosen);
	if (!ok || l.switches >= s->order.switches) {
		if (ok)
			linear_release(&l);
		return false;
	}
	linear_release(&s->order);
	s->order = l;
	memcpy(s->answer, model, s->formula.variables.n * sizeof *model);
	return true;
}

/* Lowers the bound until nothing is left (then the answer is proven to be the least) or time is up. */
static void minimise(struct infer_state *s, const struct infer_options *o)
{
	struct minimiser m;
	double end = solver_clock() + o->fewest_seconds;
	bool open = minimiser_open(&m, s, solver_find(o->solver));
	s->stats.fewest = s->order.switches == 0;
	while (open && s->order.switches) {
		enum solve_result r = solver_solve(m.solver, end - solver_clock());
		s->stats.fewest = r == SOLVE_UNSAT;
		if (r != SOLVE_SAT || !take_better(s, &m))
			break;
		if (s->order.switches)
			bound_lower(m.bound, s->order.switches - 1);
		else
			s->stats.fewest = true;
	}
	minimiser_close(&m);
}

/* -------------------------------------------------- answers ------------------------------ */

/* The solver's answer as a total order. */
static bool take_model(struct infer_state *s, struct error *err)
{
	struct chosen_edges chosen = {0};
	size_t n = s->formula.variables.n;
	s->answer = xrealloc(s->answer, n * sizeof *s->answer);
	memcpy(s->answer, solver_model(s->solver), n * sizeof *s->answer);
	linear_release(&s->order);
	formula_chosen_edges(&s->formula, s->answer, &chosen);
	bool ok = linear_init(&s->order, &s->memory, chosen.at, chosen.n, NULL, err);
	vec_free(&chosen);
	return ok;
}

/* The order that was found: fewer switches, the checker's word for it, and the schedule. */
static bool take_order(struct infer_state *s, const struct execution *x, const struct infer_options *o,
		       struct schedule *out, struct error *err)
{
	struct error why;
	if (o->fewest_seconds > 0)
		minimise(s, o);
	if (!o->unchecked && !check_order(x, o->model, s->order.steps.at, s->order.steps.n, NULL, &why))
		return fail(err, "the checker rejects the solver's answer: %s", why.text);
	schedule_init(out, &s->memory, &s->order);
	return true;
}

/* Excludes the candidate given last; false when there is nothing else to choose. */
static bool exclude_answer(struct infer_state *s)
{
	bool more = formula_block(&s->formula, s->answer);
	*vec_push(&s->excluded) = (uint32_t)s->formula.ends.n - 1;
	free(s->answer);
	s->answer = NULL;
	return more;
}

static enum infer_result next_answer(struct infer_state *s, const struct execution *x,
				     const struct infer_options *o, struct schedule *out, struct error *err)
{
	if (s->answer && !exclude_answer(s))
		return INFER_NONE;
	if (s->stats.answers || !sample(s, x, o)) {
		enum solve_result r = solver_solve(s->solver, o->seconds);
		if (r != SOLVE_SAT)
			return r == SOLVE_UNSAT ? INFER_NONE : INFER_BUDGET;
		if (!take_model(s, err))
			return INFER_ERROR;
	}
	double start = solver_clock();
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
	if ((*s)->contradiction) {
		if (stats)
			*stats = (*s)->stats;
		return INFER_NONE;
	}
	enum infer_result r = next_answer(*s, x, o, out, err);
	count_solution(*s, r == INFER_FOUND ? out : NULL);
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
	return s->problem.candidates.at[formula_choice(&s->formula, s->answer, piece)];
}

bool infer_export_smt2(const struct execution *x, const struct infer_options *o, const char *path,
		       struct error *err)
{
	struct infer_state s = {0};
	if (!build_formula(&s, x, o, UINT32_MAX, err))
		return false;
	const struct solver_ops *ops = &solver_z3_difference;
	struct backend *b = ops->open(&s.formula, err);
	char *text = ops->smt2(b);
	bool ok = write_file(path, text, strlen(text), err);
	free(text);
	ops->close(b);
	release_formula(&s);
	return ok;
}
