/*
 * The formula (CLAP §3, Symber thesis §3.6): path and bug conditions, read-write, synchronization order and
 * memory order, as clauses over Boolean variables plus equalities of values. No solver is named here.
 *
 *   choice    a piece of a read sees this candidate
 *   order     node a comes before node b (its negation: b before a); only where neither is known
 *   match     a wait is woken by this signal; a token of a semaphore was posted by this
 *   help      a part of a clause of synchronization
 *   run, owner  with a bound on context switches: bound.h
 *
 * Orders that are known never become variables: they are constants. That order variables make up a partial
 * order (no cycles) is NOT among the clauses: a backend knows it by itself (difference logic), or the
 * refinement loop adds the clauses that turn out to be needed (src/solve/refine.c).
 * Likewise "no other write comes between", which is cubic, is written out only for reads with few
 * candidates; formula_find_between gives what a model violates.
 */
#ifndef RETHREAD_FORMULA_H
#define RETHREAD_FORMULA_H

#include "model/problem.h"

typedef int32_t literal; /* +v or -v for variable v */
#define LITERAL_TRUE 1   /* variable 1 is the constant true */
#define LITERAL_FALSE (-1)

enum variable_kind {
	VARIABLE_CONSTANT,
	VARIABLE_CHOICE,
	VARIABLE_ORDER,
	VARIABLE_MATCH,
	VARIABLE_HELP,
	VARIABLE_RUN,
	VARIABLE_OWNER,
};

struct variable {
	uint32_t kind;
	uint32_t a, b; /* CHOICE: piece, candidate; ORDER: nodes, a < b; MATCH: events; RUN: node, number;
			  OWNER: run, thread */
};

/* guard -> width bits of a from a_low are those of b from b_low; b == EXPR_NONE: of value. */
struct equality {
	literal guard;
	expr a, b;
	uint8_t a_low, b_low, width;
	uint64_t value;
};

/* An edge of the order that a model chose, or a known one (reason 0). */
struct chosen_edge {
	uint32_t a, b;
	literal reason;
};

/* Sections of a lock whose order is not known: at most one of two is open at any time. */
struct section {
	uint32_t lock, unlock; /* events; unlock is UINT32_MAX when held to the end */
	bool shared;
};

/* An order that is needed when the model has both. */
struct guarded {
	literal guard, order;
};

struct formula {
	const struct problem *p;
	vec(struct variable) variables;  /* [0] unused, [1] the constant */
	vec(literal) literals;           /* clauses, one after another */
	vec(uint32_t) ends;              /* clause i is literals[ends[i-1] .. ends[i]) */
	vec(uint32_t) exclusive;         /* clauses of which at most one literal may be true, too */
	vec(struct equality) equalities;
	literal *choices;                /* by index in problem.candidates */
	vec(struct edge) known;          /* known order among the nodes of order variables, reduced */
	vec(struct guarded) guarded;     /* orders that synchronization rests on */
	uint32_t *table;                 /* hash of order variables */
	uint32_t table_mask;
	uint32_t *guess;                 /* by node: place in a total order to try first; or NULL */
	uint32_t between_limit;
	bool possible;                   /* false: an empty clause was added */
};

enum { FORMULA_BETWEEN = 64 }; /* a between_limit that does for all but tests */

struct formula_options {
	/* Reads with more candidates than this get their "nothing between" clauses only when violated. */
	uint32_t between_limit;
	const bool *impossible; /* by candidate: values.h; NULL: to be found here */
};

/* False: there are barriers that more threads use than they are for, which only the search knows about. */
bool formula_can_express(const struct execution *x);

bool formula_init(struct formula *f, const struct problem *p, const struct formula_options *options,
		  struct error *err);
void formula_release(struct formula *f);

void formula_add_clause(struct formula *f, const literal *literals, size_t n);
/* The literal "node a comes before node b". */
literal formula_before(struct formula *f, uint32_t a, uint32_t b);

/*
 * A model: the value of every variable. formula_find_between adds the clauses that it violates, at most
 * `limit`, and returns how many. formula_chosen_edges gives the edges that order what the model chose
 * such that every piece sees its choice, in any order that respects them and what is known.
 */
size_t formula_find_between(struct formula *f, const bool *model, size_t limit);
struct chosen_edges {
	struct chosen_edge *at;
	size_t n, cap;
};
void formula_chosen_edges(const struct formula *f, const bool *model, struct chosen_edges *out);
/* Which candidate each piece sees in the model: index in problem.candidates, by piece. */
uint32_t formula_choice(const struct formula *f, const bool *model, uint32_t piece);

/* Adds the clause that excludes these writers (by piece) together; false when nothing else could be chosen. */
bool formula_block(struct formula *f, const uint32_t *seen);

static inline bool literal_holds(const bool *model, literal l)
{
	return l > 0 ? model[l] : !model[-l];
}

#endif
