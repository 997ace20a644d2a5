#include "solve/fewest.h"

#include "model/bound.h"
#include "model/keep.h"

#include <stdlib.h>

/* A bound is worth its clauses up to this many, and its formula up to so many candidates. */
#define BOUND_CLAUSES 400000
#define BOUND_CANDIDATES 20000

/* Reads with more candidates than this get their cubic part only when a model violates it. */
enum { BETWEEN_LIMIT = 64 };

struct fewest {
	const struct fewest_request *r;
	struct formula formula;
	struct bound *bound;
	struct solver *solver;
};

static bool open(struct fewest *f, uint32_t switches)
{
	struct formula_options options = {BETWEEN_LIMIT, f->r->impossible};
	struct error err;
	if (f->r->p->large || f->r->p->candidates.n > BOUND_CANDIDATES || !formula_init(&f->formula, f->r->p, &options, &err))
		return false;
	for (size_t i = 0; i < f->r->nexcluded; i++)
		formula_block(&f->formula, f->r->excluded[i]);
	f->bound = bound_new(&f->formula, switches, BOUND_CLAUSES);
	if (f->bound)
		f->solver = solver_open(f->r->solver, &f->formula, &err);
	return f->solver != NULL;
}

/* The model's order, if it has fewer switches. */
static bool take_better(struct fewest *f, struct linear *order, uint32_t **seen)
{
	struct chosen_edges chosen = {0};
	struct linear l;
	struct error err;
	const bool *model = solver_model(f->solver);
	formula_chosen_edges(&f->formula, model, &chosen);
	bool ok = bound_linear(f->bound, model, &chosen, &l, &err);
	vec_free(&chosen);
	if (!ok)
		return false;
	if (l.switches >= order->switches) {
		linear_release(&l);
		return false;
	}
	linear_release(order);
	*order = l;
	uint32_t *place = linear_places(f->r->p->m, &l);
	free(*seen);
	*seen = keep_seen(f->r->p, place);
	free(place);
	return true;
}

bool fewest_switches(const struct fewest_request *r, struct linear *order, uint32_t **seen)
{
	struct fewest f = {.r = r};
	double end = solver_clock() + r->seconds;
	bool proven = order->switches == 0;
	if (!proven && open(&f, order->switches - 1))
		while (order->switches) {
			enum solve_result result = solver_solve(f.solver, end - solver_clock(), NULL);
			proven = result == SOLVE_UNSAT;
			if (result != SOLVE_SAT || !take_better(&f, order, seen))
				break;
			proven = order->switches == 0;
			if (!proven)
				bound_lower(f.bound, order->switches - 1);
		}
	solver_close(f.solver);
	bound_free(f.bound);
	formula_release(&f.formula);
	return proven;
}
