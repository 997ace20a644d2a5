/*
 * Several threads on one problem, until the first of them decides it (after CLAP §4.3, which gives every process schedules of its own to
 * look at).
 *
 *   - The first search (walk.h) goes through all interleavings; a second one jumps: it proves nothing but finds sooner what
 *     is deep. Further ones have other seeds and share with the first what is known to be dead, so together they come to an end sooner.
 *   - The first solver has the whole formula. Further ones have cubes: the candidates of the reads with most of them are the cases
 *     into which the problem falls, each takes the next case that nobody has. A case with an answer decides; that there is none
 *     is proven when it is refuted in every case.
 *
 * Two searches and one solver are always there; the others where there are processors for them. Nobody is left behind: a call comes back
 * when all have stopped.
 */
#ifndef RETHREAD_TEAM_H
#define RETHREAD_TEAM_H

#include "solve/solver.h"
#include "solve/walk.h"

enum team_result {
	TEAM_FOUND,     /* see team_walk and team_formula */
	TEAM_NONE,      /* proven */
	TEAM_UNDECIDED, /* out of time, or stopped */
	TEAM_EXHAUSTED, /* the first search has searched all in a way that proves nothing */
	TEAM_ERROR,
};

/* All that is given must outlive the team. */
struct team_options {
	const struct problem *p;
	const bool *impossible;        /* by candidate: values.h */
	const uint32_t *as_run, *guess; /* by node: walk.h; guess.h */
	bool brief;                    /* walk.h */
	bool no_search, no_formula;
	const struct solver_ops *solver;
	unsigned workers;              /* 0: as many as there are processors */
};

/* One call: how long, and what ends it earlier. */
struct team_call {
	double seconds;
	const volatile bool *stop;      /* NULL, or: gives up soon after this becomes true */
	void (*tell)(const char *text); /* NULL, or: is told how far it has come */
};

struct team; /* opaque: searches and solvers, kept between calls */

struct team *team_new(const struct team_options *o);
void team_free(struct team *t); /* NULL is allowed */

/* The first search alone, in this thread. */
enum team_result team_search(struct team *t, const struct team_call *c);
/* All of them; goes on where the last call stopped. */
enum team_result team_work(struct team *t, const struct team_call *c, struct error *err);

/* Who decided: a search, or NULL. After TEAM_FOUND by none the answer is this formula's, with this model. */
struct walk *team_walk(const struct team *t);
const struct formula *team_formula(const struct team *t);
const bool *team_model(const struct team *t);

/* An answer in which all pieces see these writers is not given any more; the searches prove nothing from then on. */
void team_exclude(struct team *t, const uint32_t *seen);

/* Sums over all searches; figures of the first solver, all 0 when there is none. */
struct team_figures {
	uint64_t states, variables, constraints;
	struct solver_figures solver;
};
struct team_figures team_figures(const struct team *t);

#endif
