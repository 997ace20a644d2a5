#include "solve/team.h"

#include "solve/cubes.h"
#include "solve/workers.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

/* Dead states that the searches keep, at most: those that share them, and one that jumps. */
#define SHARED_STATES (32u << 20)
#define JUMPING_STATES (4u << 20)

/* Searches beyond the first take about 200 bytes for each of these: not where that is a lot. */
#define NODES_TO_COPY 2000000

/* How often it is told how far they are. */
enum { TELL_TICKS = 100 };

/* Cubes for each solver that takes them. */
enum { CUBES_EACH = 4 };

/* Either walk or solver; a solver's formula is its own, since it grows. */
struct member {
	struct team *t;
	pthread_t thread;
	bool is_solver, cubes; /* cubes: it takes cases */
	struct walk *walk;
	struct formula formula;
	struct solver *solver; /* NULL until it begins; set under the lock */
	bool running;
};

/* `decided` is the first member that did. What follows `lock` is under it while the members work. */
struct team {
	struct team_options o;
	struct dead *dead;
	vec(struct member *) members; /* the first search is the first, when there is one */
	bool complete;                /* all members are there */
	vec(uint32_t *) excluded;
	struct cubes cases;
	bool *refuted;                /* by case */
	size_t nrefuted;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	volatile bool stop;
	size_t running;
	bool *taken; /* by case */
	struct member *decided;
	enum team_result result;
	struct error err;
	double end;
};

/* -------------------------------------------------- members ------------------------------ */

static struct member *add_member(struct team *t)
{
	struct member *m = xcalloc(1, sizeof *m);
	m->t = t;
	*vec_push(&t->members) = m;
	return m;
}

enum searches { STEP_BY_STEP, JUMPING, STEADY };

/* as_run is the first search's first try, and all that a steady one tries. */
static void add_walk(struct team *t, unsigned seed, enum searches kind)
{
	bool shares = kind == STEP_BY_STEP && !t->o.p->large, nearest = !seed || kind == STEADY;
	struct walk_options o = {.as_run = nearest ? t->o.as_run : NULL, .guess = t->o.guess, .impossible = t->o.impossible,
				 .table = t->o.p->large ? SHARED_STATES : JUMPING_STATES, .dead = shares ? t->dead : NULL,
				 .seed = seed, .jumps = kind == JUMPING, .steady = kind == STEADY, .brief = t->o.brief};
	struct member *m = add_member(t);
	m->walk = walk_new(t->o.p, &o);
	for (size_t i = 0; i < t->excluded.n; i++)
		walk_exclude(m->walk, t->excluded.at[i]);
}

static void add_solver(struct team *t, bool cubes)
{
	struct member *m = add_member(t);
	m->is_solver = true;
	m->cubes = cubes;
}

static size_t size_of_search(const struct problem *p)
{
	return p->m->nnodes + expr_count(p->m->x->exprs);
}

/* Those beyond the first search; solvers and searches in turn where there are processors for more. */
static void complete(struct team *t)
{
	size_t n = workers_for(t->o.workers, SIZE_MAX), solvers = !t->o.no_formula;
	bool search = !t->o.no_search && size_of_search(t->o.p) <= NODES_TO_COPY;
	if (t->complete)
		return;
	t->complete = true;
	if (!t->o.no_formula)
		add_solver(t, false);
	if (search) /* the first search of a large problem jumps */
		add_walk(t, 1, t->o.p->large ? STEADY : JUMPING);
	for (unsigned k = 2; t->members.n < n && (search || !t->o.no_formula); k++) {
		if (!t->o.no_formula && (k % 2 == 0 || !search)) {
			add_solver(t, true);
			solvers++;
		} else {
			add_walk(t, k, t->o.p->large ? JUMPING : STEP_BY_STEP);
		}
	}
	if (solvers > 1)
		cubes_init(&t->cases, t->o.p, (solvers - 1) * CUBES_EACH);
	t->refuted = xcalloc(t->cases.n + 1, sizeof *t->refuted);
	t->taken = xcalloc(t->cases.n + 1, sizeof *t->taken);
}

static void free_member(struct member *m)
{
	walk_free(m->walk);
	solver_close(m->solver);
	formula_release(&m->formula);
	free(m);
}

/* -------------------------------------------------- their work --------------------------- */

/* The first decision ends all. */
static void decide(struct member *m, enum team_result result, const struct error *err)
{
	struct team *t = m->t;
	pthread_mutex_lock(&t->lock);
	if (t->result == TEAM_UNDECIDED || (t->result == TEAM_EXHAUSTED && result != TEAM_EXHAUSTED)) {
		t->result = result;
		t->decided = m;
		if (err)
			t->err = *err;
	}
	if (result != TEAM_EXHAUSTED || t->o.no_formula)
		t->stop = true;
	pthread_mutex_unlock(&t->lock);
}

static enum team_result walk(struct walk *w, double seconds, const volatile bool *stop)
{
	switch (walk_run(w, seconds, stop)) {
	case WALK_FOUND:
		return TEAM_FOUND;
	case WALK_NONE:
		return TEAM_NONE;
	default:
		return walk_is_exhausted(w) ? TEAM_EXHAUSTED : TEAM_UNDECIDED;
	}
}

static bool open_solver(struct member *m, struct error *err)
{
	struct team *t = m->t;
	struct formula_options options = {FORMULA_BETWEEN, t->o.impossible};
	if (m->solver)
		return true;
	if (!formula_init(&m->formula, t->o.p, &options, err))
		return false;
	if (t->o.guess) {
		size_t size = t->o.p->m->nnodes * sizeof *m->formula.guess;
		m->formula.guess = xmalloc(size + 1);
		memcpy(m->formula.guess, t->o.guess, size);
	}
	for (size_t i = 0; i < t->excluded.n; i++)
		formula_block(&m->formula, t->excluded.at[i]);
	struct solver *solver = solver_open(t->o.solver, &m->formula, err);
	pthread_mutex_lock(&t->lock);
	m->solver = solver;
	pthread_mutex_unlock(&t->lock);
	return solver != NULL;
}

/* A case that nobody works on and that is not refuted; NONE: there is none. */
static size_t take_case(struct team *t)
{
	size_t i = 0;
	pthread_mutex_lock(&t->lock);
	while (i < t->cases.n && t->taken[i])
		i++;
	if (i < t->cases.n)
		t->taken[i] = true;
	else
		i = NONE;
	pthread_mutex_unlock(&t->lock);
	return i;
}

/* True: so is every other. */
static bool refute(struct team *t, size_t i)
{
	pthread_mutex_lock(&t->lock);
	t->refuted[i] = true;
	bool all = ++t->nrefuted == t->cases.n;
	pthread_mutex_unlock(&t->lock);
	return all;
}

static void solve_cases(struct member *m)
{
	struct team *t = m->t;
	literal assumed[CUBE_READS];
	for (size_t i; !t->stop && (i = take_case(t)) != NONE;) {
		size_t n = cubes_literals(&t->cases, &m->formula, i, assumed);
		enum solve_result r = solver_solve_case(m->solver, assumed, n, t->end - solver_clock(), &t->stop);
		if (r == SOLVE_SAT)
			decide(m, TEAM_FOUND, NULL);
		if (r == SOLVE_UNSAT && refute(t, i))
			decide(m, TEAM_NONE, NULL);
		if (r != SOLVE_UNSAT)
			return;
	}
}

static void *work(void *arg)
{
	struct member *m = arg;
	struct team *t = m->t;
	struct error err;
	if (m->walk) {
		enum team_result r = walk(m->walk, t->end - solver_clock(), &t->stop);
		if (r != TEAM_UNDECIDED && (r != TEAM_EXHAUSTED || m == t->members.at[0]))
			decide(m, r, NULL);
	} else if (!open_solver(m, &err)) {
		decide(m, TEAM_ERROR, &err);
	} else if (m->cubes) {
		solve_cases(m);
	} else {
		enum solve_result r = solver_solve(m->solver, t->end - solver_clock(), &t->stop);
		if (r != SOLVE_UNKNOWN)
			decide(m, r == SOLVE_SAT ? TEAM_FOUND : TEAM_NONE, NULL);
	}
	pthread_mutex_lock(&t->lock);
	m->running = false;
	t->running--;
	pthread_cond_broadcast(&t->changed);
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* -------------------------------------------------- all of it ---------------------------- */

static void tell(const struct team *t, const struct team_call *c)
{
	char text[160], cases[60] = "";
	uint64_t states = 0;
	for (size_t i = 0; i < t->members.n; i++)
		states += t->members.at[i]->walk ? walk_figures(t->members.at[i]->walk)->states : 0;
	if (t->cases.n)
		snprintf(cases, sizeof cases, ", %zu of %zu cases refuted", t->nrefuted, t->cases.n);
	snprintf(text, sizeof text, "solving, %zu at work: %" PRIu64 " states searched%s", t->running, states, cases);
	if (c->tell)
		c->tell(text);
}

/* With the lock, until all have ended. Interrupts again and again: one that comes between two checks is lost. */
static void oversee(struct team *t, const struct team_call *c)
{
	for (unsigned ticks = 1; t->running; ticks++) {
		workers_tick(&t->changed, &t->lock);
		t->stop |= solver_clock() > t->end || (c->stop && *c->stop);
		for (size_t i = 0; t->stop && i < t->members.n; i++)
			if (t->members.at[i]->running && t->members.at[i]->solver)
				solver_interrupt(t->members.at[i]->solver);
		if (ticks % TELL_TICKS == 0)
			tell(t, c);
	}
}

enum team_result team_work(struct team *t, const struct team_call *c, struct error *err)
{
	complete(t);
	t->end = solver_clock() + c->seconds;
	t->stop = false;
	t->decided = NULL;
	t->result = TEAM_UNDECIDED;
	memcpy(t->taken, t->refuted, t->cases.n * sizeof *t->taken);
	pthread_mutex_lock(&t->lock);
	size_t started = 0;
	for (; started < t->members.n; started++) {
		struct member *m = t->members.at[started];
		if (pthread_create(&m->thread, NULL, work, m))
			break;
		m->running = true;
		t->running++;
	}
	oversee(t, c);
	pthread_mutex_unlock(&t->lock);
	for (size_t i = 0; i < started; i++)
		pthread_join(t->members.at[i]->thread, NULL);
	if (t->result == TEAM_ERROR)
		*err = t->err;
	return t->result;
}

enum team_result team_search(struct team *t, const struct team_call *c)
{
	t->decided = t->o.no_search ? NULL : t->members.at[0];
	return t->decided ? walk(t->decided->walk, c->seconds, c->stop) : TEAM_UNDECIDED;
}

struct team *team_new(const struct team_options *o)
{
	struct team *t = xcalloc(1, sizeof *t);
	t->o = *o;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
	t->dead = dead_new(SHARED_STATES);
	if (!o->no_search)
		add_walk(t, 0, STEP_BY_STEP);
	return t;
}

void team_free(struct team *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->members.n; i++)
		free_member(t->members.at[i]);
	vec_free(&t->members);
	for (size_t i = 0; i < t->excluded.n; i++)
		free(t->excluded.at[i]);
	vec_free(&t->excluded);
	dead_free(t->dead);
	free(t->refuted);
	free(t->taken);
	pthread_cond_destroy(&t->changed);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

struct walk *team_walk(const struct team *t)
{
	return t->decided ? t->decided->walk : NULL;
}

const struct formula *team_formula(const struct team *t)
{
	return &t->decided->formula;
}

const bool *team_model(const struct team *t)
{
	return solver_model(t->decided->solver);
}

void team_exclude(struct team *t, const uint32_t *seen)
{
	size_t size = t->o.p->pieces.n * sizeof *seen;
	uint32_t *copy = xmalloc(size + 1);
	memcpy(copy, seen, size);
	*vec_push(&t->excluded) = copy;
	for (size_t i = 0; i < t->members.n; i++) {
		struct member *m = t->members.at[i];
		if (m->walk)
			walk_exclude(m->walk, seen);
		if (m->solver)
			formula_block(&m->formula, seen);
	}
}

struct team_figures team_figures(const struct team *t)
{
	struct team_figures f = {0};
	for (size_t i = 0; i < t->members.n; i++) {
		const struct member *m = t->members.at[i];
		if (m->walk)
			f.states += walk_figures(m->walk)->states;
		if (m->solver && !m->cubes) {
			f.variables = m->formula.variables.n - 2;
			f.constraints = m->formula.ends.n + m->formula.equalities.n + t->o.p->m->x->conditions.n;
			f.solver = *solver_figures(m->solver);
		}
	}
	return f;
}
