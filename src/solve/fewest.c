#include "solve/fewest.h"

#include "model/alternations.h"
#include "model/bound.h"
#include "model/keep.h"
#include "solve/workers.h"

#include <pthread.h>
#include <stdlib.h>

#define NONE UINT32_MAX

/* A bound is worth its clauses up to this many, and its formula up to so many candidates of reads that have a choice. */
#define BOUND_CLAUSES 400000
#define BOUND_CANDIDATES 20000

/* How often it is told how far they are. */
enum { TELL_TICKS = 50 };

/*
 * `bound` is what the worker tries, NONE while it tries none. Its formula is of a bound of `made`, or a larger one that was lowered to it.
 */
struct worker {
	struct fewest *f;
	pthread_t thread;
	uint32_t bound, made;
	volatile bool stop; /* the bound no longer matters */
	struct formula formula;
	struct bound *clauses;
	struct solver *solver; /* set and closed under the lock: who stops the worker interrupts it */
};

/*
 * No order has fewer switches than `least`; the best one that is known has `most`. Bounds from `too_large` on are not tried: their
 * clauses would be too many. All of it is under `lock` once there are workers.
 */
struct fewest {
	const struct fewest_request *r;
	double end;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct worker *workers;
	size_t n, running;
	uint32_t least, most, too_large;
	bool over;
	struct linear *order;
	uint32_t **seen;
};

/* -------------------------------------------------- one bound ---------------------------- */

static void close_bound(struct worker *w)
{
	pthread_mutex_lock(&w->f->lock);
	struct solver *solver = w->solver;
	w->solver = NULL;
	pthread_mutex_unlock(&w->f->lock);
	solver_close(solver);
	bound_free(w->clauses);
	formula_release(&w->formula);
	w->clauses = NULL;
	w->formula = (struct formula){0};
}

/* False: there is no formula; *too_large: because it would have too many clauses. */
static bool open_bound(struct worker *w, uint32_t bound, bool *too_large)
{
	const struct fewest_request *r = w->f->r;
	struct formula_options options = {FORMULA_BETWEEN, r->impossible};
	struct error err;
	close_bound(w);
	if (!formula_init(&w->formula, r->p, &options, &err))
		return false;
	for (size_t i = 0; i < r->nexcluded; i++)
		formula_block(&w->formula, r->excluded[i]);
	w->clauses = bound_new(&w->formula, bound, BOUND_CLAUSES);
	*too_large = !w->clauses;
	struct solver *solver = w->clauses ? solver_open(r->solver, &w->formula, &err) : NULL;
	pthread_mutex_lock(&w->f->lock);
	w->solver = solver;
	pthread_mutex_unlock(&w->f->lock);
	w->made = bound;
	return solver != NULL;
}

/* A bound below the one at hand is that one lowered: what the solver has learnt stays. */
static bool set_bound(struct worker *w, uint32_t bound, bool *too_large)
{
	if (!w->solver || bound > w->made)
		return open_bound(w, bound, too_large);
	if (bound < w->made)
		bound_lower(w->clauses, bound);
	w->made = bound;
	return true;
}

/* The model's order. */
static bool model_order(const struct worker *w, struct linear *l)
{
	struct chosen_edges chosen = {0};
	struct error err;
	const bool *model = solver_model(w->solver);
	formula_chosen_edges(&w->formula, model, &chosen);
	bool ok = bound_linear(w->clauses, model, &chosen, l, &err);
	vec_free(&chosen);
	return ok;
}

/* -------------------------------------------------- who tries what ----------------------- */

static bool is_tried(const struct fewest *f, uint32_t bound)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->workers[i].bound == bound)
			return true;
	return false;
}

/*
 * The bound that nobody tries and that is nearest to the worker's place between the least and the most: the first is at the top, the
 * second at the bottom, the others are spread over what is between.
 */
static uint32_t choose_bound(const struct fewest *f, size_t worker)
{
	uint32_t end = f->most < f->too_large ? f->most : f->too_large, best = NONE, distance = NONE;
	if (f->least >= end)
		return NONE;
	double place = !worker ? 1 : worker == 1 ? 0 : (double)(worker - 1) / (double)(f->n - 1);
	uint32_t wanted = f->least + (uint32_t)(place * (end - 1 - f->least));
	for (uint32_t b = f->least; b < end; b++) {
		uint32_t d = b < wanted ? wanted - b : b - wanted;
		if (d < distance && !is_tried(f, b)) {
			best = b;
			distance = d;
		}
	}
	return best;
}

/* Stops whoever tries what is decided; all when it is over. */
static void stop_idle(struct fewest *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct worker *w = &f->workers[i];
		if (w->bound == NONE || (!f->over && w->bound >= f->least && w->bound < f->most))
			continue;
		w->stop = true;
		if (w->solver)
			solver_interrupt(w->solver);
	}
}

/* -------------------------------------------------- results ------------------------------ */

static void take_order(struct fewest *f, struct linear *l)
{
	uint32_t *place = linear_places(f->r->p->m, l);
	linear_release(f->order);
	*f->order = *l;
	free(*f->seen);
	*f->seen = keep_seen(f->r->p, place);
	free(place);
	f->most = l->switches;
}

/* With the lock. What is odd, or undecided for want of time, ends it all. */
static void take_result(struct worker *w, enum solve_result result, struct linear *l)
{
	struct fewest *f = w->f;
	if (result == SOLVE_UNSAT && w->bound >= f->least) {
		f->least = w->bound + 1;
	} else if (result == SOLVE_SAT && l->switches < f->most) {
		f->over |= l->switches > w->bound;
		take_order(f, l);
	} else if (result == SOLVE_SAT) {
		f->over |= l->switches > w->bound;
		linear_release(l);
	} else if (result == SOLVE_UNKNOWN) {
		f->over |= !w->stop;
	}
}

/* With the lock: its clauses are too many, so those of larger ones are; of how many less they are not is found by halves. */
static void give_up_above(struct fewest *f, uint32_t bound)
{
	uint32_t next = bound > f->least ? f->least + (bound - f->least) / 2 + 1 : f->least;
	next = next < bound ? next : bound;
	f->too_large = next < f->too_large ? next : f->too_large;
}

/* Without the lock: tries w->bound. */
static enum solve_result try_bound(struct worker *w, struct linear *l, bool *too_large)
{
	if (!set_bound(w, w->bound, too_large))
		return SOLVE_UNKNOWN;
	enum solve_result r = solver_solve(w->solver, w->f->end - solver_clock(), &w->stop);
	return r == SOLVE_SAT && !model_order(w, l) ? SOLVE_UNKNOWN : r;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct fewest *f = w->f;
	pthread_mutex_lock(&f->lock);
	while (!f->over && f->least < f->most && f->least < f->too_large) {
		struct linear l;
		bool too_large = false;
		w->bound = choose_bound(f, (size_t)(w - f->workers));
		if (w->bound == NONE) { /* others try what is left */
			pthread_cond_wait(&f->changed, &f->lock);
			continue;
		}
		w->stop = false;
		pthread_mutex_unlock(&f->lock);
		enum solve_result result = try_bound(w, &l, &too_large);
		pthread_mutex_lock(&f->lock);
		if (too_large)
			give_up_above(f, w->bound);
		else
			take_result(w, result, &l);
		w->bound = NONE;
		stop_idle(f);
		pthread_cond_broadcast(&f->changed);
	}
	f->running--;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

/* -------------------------------------------------- all of it ---------------------------- */

static void tell(const struct fewest *f)
{
	char text[100];
	snprintf(text, sizeof text, "context switches: at least %u, at most %u; %zu workers", f->least, f->most, f->running);
	if (f->r->tell)
		f->r->tell(text);
}

/* With the lock: until all have ended. Interrupts again and again: one that comes between two checks is lost. */
static void oversee(struct fewest *f)
{
	for (unsigned ticks = 1; f->running; ticks++) {
		if (ticks % TELL_TICKS == 0)
			tell(f);
		workers_tick(&f->changed, &f->lock);
		f->over |= solver_clock() > f->end || (f->r->stop && *f->r->stop);
		stop_idle(f);
		if (f->over)
			pthread_cond_broadcast(&f->changed);
	}
}

static void start_workers(struct fewest *f)
{
	pthread_mutex_lock(&f->lock);
	for (size_t i = 0; i < f->n; i++) {
		struct worker *w = &f->workers[i];
		f->running += !pthread_create(&w->thread, NULL, work, w);
		if (f->running <= i)
			f->n = i;
	}
	oversee(f);
	pthread_mutex_unlock(&f->lock);
	for (size_t i = 0; i < f->n; i++)
		pthread_join(f->workers[i].thread, NULL);
}

static size_t count_choices(const struct problem *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->pieces.n; i++)
		n += p->pieces.at[i].count > 1 ? p->pieces.at[i].count : 0;
	return n;
}

static uint32_t known_least(const struct memory *m)
{
	struct alternations a;
	alternations_init(&a, m, true);
	uint32_t least = a.least;
	alternations_release(&a);
	return least;
}

uint32_t fewest_switches(const struct fewest_request *r, struct linear *order, uint32_t **seen)
{
	struct fewest f = {.r = r, .end = solver_clock() + r->seconds, 
			   .least = known_least(r->p->m), .most = order->switches,
			   .too_large = NONE, .order = order, .seen = seen};
	if (f.least >= f.most || r->p->large || count_choices(r->p) > BOUND_CANDIDATES)
		return f.least;
	f.n = workers_for(r->workers, f.most - f.least);
	f.workers = xcalloc(f.n, sizeof *f.workers);
	for (size_t i = 0; i < f.n; i++)
		f.workers[i] = (struct worker){.f = &f, .bound = NONE};
	pthread_mutex_init(&f.lock, NULL);
	pthread_cond_init(&f.changed, NULL);
	start_workers(&f);
	for (size_t i = 0; i < f.n; i++)
		close_bound(&f.workers[i]);
	pthread_cond_destroy(&f.changed);
	pthread_mutex_destroy(&f.lock);
	free(f.workers);
	return f.least;
}
