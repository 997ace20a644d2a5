/*
 * Solvers of formulas (model/formula.h) behind one table.
 *
 *     struct solver *s = solver_open(solver_find("z3"), &formula, &err);
 *     switch (solver_solve(s, seconds, NULL)) ...  SOLVE_SAT: solver_model(s) has a value for every variable
 *     formula_block(&formula, solver_model(s)); solver_solve(s, ...)       the next one
 *     solver_close(s);
 *
 * A formula may grow between calls: clauses are added, never taken back. solver_solve runs the refinement
 * loop: its models are consistent orders, whatever the backend.
 */
#ifndef RETHREAD_SOLVER_H
#define RETHREAD_SOLVER_H

#include "model/formula.h"

enum solve_result { SOLVE_SAT, SOLVE_UNSAT, SOLVE_UNKNOWN };

struct backend; /* opaque, each backend's own */

struct solver_ops {
	const char *name;
	const char *about;
	bool lazy; /* leaves cycles of order variables to the refinement loop */
	struct backend *(*open)(const struct formula *f, struct error *err);
	/* Takes over what was added to the formula since, and decides it, with these literals assumed to hold this time. */
	enum solve_result (*check)(struct backend *b, const literal *assumed, size_t nassumed, double seconds,
				   const volatile bool *stop);
	/* From another thread, when *stop is true: ends a check that runs, undecided. */
	void (*interrupt)(struct backend *b);
	/* After SAT: values of variables 0 .. n - 1. */
	void (*model)(struct backend *b, bool *out, size_t n);
	/* The formula as SMT-LIB2 text, malloc'ed; NULL when the backend cannot. */
	char *(*smt2)(struct backend *b);
	void (*close)(struct backend *b);
};

/* By name; NULL gives the default; NULL is returned for an unknown name. solver_names lists them. */
const struct solver_ops *solver_find(const char *name);
const char *solver_names(void);

struct solver_figures {
	uint64_t rounds;   /* of refinement */
	uint64_t cycles;   /* clauses that excluded a cycle */
	uint64_t between;  /* clauses that excluded a write between another and its reader */
	double seconds;
};

struct solver; /* opaque */

struct solver *solver_open(const struct solver_ops *ops, struct formula *f, struct error *err);
/* stop: NULL, or ends it, undecided, when it becomes true; solver_interrupt then ends a check that runs. */
enum solve_result solver_solve(struct solver *s, double seconds, const volatile bool *stop);
/* The same for the case in which these literals hold; SOLVE_UNSAT says nothing of others. */
enum solve_result solver_solve_case(struct solver *s, const literal *assumed, size_t nassumed, double seconds,
				    const volatile bool *stop);
void solver_interrupt(struct solver *s);
const bool *solver_model(const struct solver *s);
const struct solver_figures *solver_figures(const struct solver *s);
void solver_close(struct solver *s);

/* Seconds on the monotonic clock. */
double solver_clock(void);

extern const struct solver_ops solver_z3_lazy, solver_z3_difference;

#endif
