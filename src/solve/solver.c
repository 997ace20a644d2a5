#include "solve/solver.h"

#include "solve/cycles.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct solver_ops *const backends[] = {&solver_z3_lazy, &solver_z3_difference};
#define NBACKENDS (sizeof backends / sizeof *backends)

/*
 * How many clauses one round of refinement may add: enough to make progress, few enough to stay relevant. A
 * round of a large formula costs seconds, so the number of cycles grows with it.
 */
enum { CYCLES_AT_LEAST = 200, CYCLES_SHARE = 4, BETWEEN_PER_ROUND = 2000 };

struct solver {
	const struct solver_ops *ops;
	struct formula *f;
	struct backend *backend;
	struct cycles *cycles;
	struct chosen_edges chosen;
	bool *model;
	struct solver_figures figures;
};

const struct solver_ops *solver_find(const char *name)
{
	if (!name)
		return backends[0];
	for (size_t i = 0; i < NBACKENDS; i++)
		if (!strcmp(backends[i]->name, name))
			return backends[i];
	return NULL;
}

const char *solver_names(void)
{
	return "z3-lazy, z3-difference";
}

double solver_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct solver *solver_open(const struct solver_ops *ops, struct formula *f, struct error *err)
{
	struct backend *b = ops->open(f, err);
	if (!b)
		return NULL;
	struct solver *s = xcalloc(1, sizeof *s);
	s->ops = ops;
	s->f = f;
	s->backend = b;
	s->cycles = cycles_new(f);
	return s;
}

/* What the model gets wrong becomes clauses; how many. */
static size_t refine(struct solver *s)
{
	size_t between = formula_find_between(s->f, s->model, BETWEEN_PER_ROUND);
	s->figures.between += between;
	if (between)
		return between;
	formula_chosen_edges(s->f, s->model, &s->chosen);
	size_t limit = s->chosen.n / CYCLES_SHARE;
	size_t cycles = cycles_exclude(s->cycles, &s->chosen,
				       limit > CYCLES_AT_LEAST ? limit : CYCLES_AT_LEAST);
	s->figures.cycles += cycles;
	return cycles;
}

static enum solve_result solve_until(struct solver *s, const literal *assumed, size_t nassumed, double deadline,
				     const volatile bool *stop)
{
	while (s->f->possible) {
		double left = deadline - solver_clock();
		if (left <= 0 || (stop && *stop))
			return SOLVE_UNKNOWN;
		enum solve_result r = s->ops->check(s->backend, assumed, nassumed, left, stop);
		if (r != SOLVE_SAT)
			return r;
		s->figures.rounds++;
		s->model = xrealloc(s->model, s->f->variables.n * sizeof *s->model);
		s->ops->model(s->backend, s->model, s->f->variables.n);
		if (!refine(s))
			return SOLVE_SAT;
	}
	return SOLVE_UNSAT;
}

void solver_interrupt(struct solver *s)
{
	s->ops->interrupt(s->backend);
}

enum solve_result solver_solve_case(struct solver *s, const literal *assumed, size_t nassumed, double seconds,
				    const volatile bool *stop)
{
	double start = solver_clock();
	enum solve_result r = solve_until(s, assumed, nassumed, start + seconds, stop);
	s->figures.seconds += solver_clock() - start;
	return r;
}

enum solve_result solver_solve(struct solver *s, double seconds, const volatile bool *stop)
{
	return solver_solve_case(s, NULL, 0, seconds, stop);
}

const bool *solver_model(const struct solver *s)
{
	return s->model;
}

const struct solver_figures *solver_figures(const struct solver *s)
{
	return &s->figures;
}

void solver_close(struct solver *s)
{
	if (!s)
		return;
	s->ops->close(s->backend);
	cycles_free(s->cycles);
	vec_free(&s->chosen);
	free(s->model);
	free(s);
}
