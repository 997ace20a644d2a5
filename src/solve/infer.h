/*
 * From an execution to a schedule: build the formula, solve it, check the answer, write the waits.
 *
 *     struct infer_options o = infer_defaults();
 *     struct infer_state *s = NULL;
 *     while (infer_schedule(&x, &o, &s, &schedule, &stats, &err) == INFER_FOUND) {
 *         if (replays(&schedule)) break;           otherwise ask for the next candidate
 *         schedule_release(&schedule);
 *     }
 *     infer_free(s);
 */
#ifndef RETHREAD_INFER_H
#define RETHREAD_INFER_H

#include "model/schedule.h"
#include "solve/solver.h"

enum infer_result {
	INFER_FOUND,
	INFER_NONE,    /* proven, unless stats.in_order or stats.exhausted: no (further) interleaving explains the execution under this model;
			  err says so when what is known contradicts itself already */
	INFER_BUDGET,  /* not decided in time */
	INFER_ERROR,   /* see err */
};

struct infer_options {
	enum memory_model model;
	const char *solver;     /* name, NULL: the default (solver.h) */
	double seconds;         /* budget of one call */
	bool use_time;          /* believe time stamps */
	uint64_t time_margin;   /* in their unit */
	double fewest_seconds;  /* time for lowering the number of context switches, beyond the first answer */
	double walk_seconds;    /* time for the search (walk.h) alone, before others work beside it (team.h); below 0: no search */
	bool unchecked;         /* the order is for guesses only: symbols may be free, so the checker is not asked */
	const volatile bool *stop; /* NULL, or: gives up (INFER_BUDGET) soon after this becomes true */
	unsigned workers;       /* threads that work on it at a time; 0: as many as there are processors */
	void (*tell)(const char *text); /* NULL, or: is told how far it has come, now and then, by the thread that asked */
	bool all_reads;         /* choose a writer for every read, also where no condition depends on it */
	bool brief;             /* of a large problem: INFER_BUDGET, once, when another memory model is more promising than what is left */
	bool loose;             /* pieces of one access or call come in any order (loose.h), not in theirs */
	bool doubted;           /* the execution may rest on assumptions that are no conditions of it */
	bool large;             /* by the search for problems too large to be written out, which proves nothing */
};

struct infer_options infer_defaults(void);

struct infer_stats {
	uint64_t events, threads, symbols, conditions, locations;
	uint64_t reads;          /* pieces of reads that matter */
	uint64_t racy_reads;     /* those with more than one candidate */
	uint64_t candidates;     /* of those, in all */
	uint64_t variables, constraints;
	uint64_t rounds, cycles, between; /* of the lazy solver */
	uint64_t derived;        /* orders that follow (saturate.h) */
	uint64_t states;         /* of the search */
	uint64_t parts;          /* that were solved apart; 0: it was solved as a whole */
	bool walked;             /* the search decided it, not the solver */
	uint64_t answers;        /* candidates given so far, this one included */
	uint32_t switches;       /* context switches up to the failure */
	uint32_t preemptions;    /* those of them that no lock or join forces */
	bool fewest;             /* proven: no schedule has fewer, for candidates not excluded */
	uint32_t least;          /* proven: none has fewer switches than this */
	uint64_t steps;          /* up to the failure */
	uint64_t waits;
	double build_seconds, solve_seconds, check_seconds;
	bool in_order;           /* pieces of one access or call are taken to come in their order: that there is none proves nothing */
	bool assumed;            /* the execution holds assumptions, as conditions */
	bool exhausted;          /* INFER_NONE only says that a search which does not try everything has nothing more to try: other assumptions are
				    more promising than more time */
};

struct infer_state; /* opaque: the formula and the solver, kept between calls */

/*
 * *s is NULL at first; later calls exclude the candidate given before, and after INFER_BUDGET go on where the last one
 * stopped. out is filled on INFER_FOUND only. stats may be NULL. x must outlive the state.
 */
enum infer_result infer_schedule(const struct execution *x, const struct infer_options *o,
				 struct infer_state **s, struct schedule *out, struct infer_stats *stats,
				 struct error *err);
void infer_free(struct infer_state *s);

/* The total order behind the last candidate, for explanations. */
const struct linear *infer_order(const struct infer_state *s);
/* After INFER_FOUND: what event each piece of a read sees; problem.h. */
const struct problem *infer_problem(const struct infer_state *s);
uint32_t infer_writer(const struct infer_state *s, uint32_t piece);

/* How large the formula is, for comparisons: the search often decides without one. */
bool infer_measure(const struct execution *x, const struct infer_options *o, uint64_t *variables, uint64_t *constraints,
		   struct error *err);

/* The whole formula as SMT-LIB2 (order as integers), for another solver or a reader. */
bool infer_export_smt2(const struct execution *x, const struct infer_options *o, const char *path,
		       struct error *err);

/* The constraints in words (formula_text.h). */
bool infer_explain(const struct execution *x, const struct infer_options *o, const char *path, struct error *err);

#endif
