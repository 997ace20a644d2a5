/*
 * Engine solve, inside.
 *
 *     engine_solve.c   the recipe: execute, solve, replay, revise
 *     solve_phases.c   what is asked for first, and for how long
 *     solve_verdict.c  how it ends, and what is said then
 */
#ifndef RETHREAD_INFER_SOLVING_H
#define RETHREAD_INFER_SOLVING_H

#include "infer/explore.h"
#include "infer/work.h"
#include "solve/infer.h"

struct phase;

/* All that one inference works with. */
struct solving {
	struct work *work;
	struct explorer *explorer;
	struct execution x; /* of the executor's last run, with the conditions of this phase */
	vec(struct condition) conditions; /* all of them */
	uint64_t *rejected; /* values of its symbols in a candidate that did not replay, or NULL */
	vec(struct step) tried; /* that candidate's order */
	unsigned nrejected;     /* such candidates, so far */
	bool anew;              /* solving_again has said so: the execution is to be forgotten */
	enum memory_model models[2]; /* to try, in this order */
	size_t nmodels;
	bool use_time;      /* believe the time stamps */
	bool loose;         /* pieces of a call come in any order: when nothing else explains the log */
	bool in_order;      /* in the last turn through the models, some had to be taken to come in theirs: that there is none proves nothing */
	bool exhausted;     /* some turn ended because a search of a large problem had nothing more to try (infer_stats): no verdict after that is a proof */
	bool outward;       /* the failure is one that phases are for */
	const struct phase *phase;
	double phase_start;      /* 0: it has not begun to solve */
	unsigned phase_replays;  /* when it began */
	bool without_output;     /* there are conditions on what was shown, and this phase has none of them */
	bool output_decided;     /* there is nothing more to find with the same output, whatever other reads read */
	bool guided;        /* the executor follows the order of a model that revised its guesses */
	unsigned seed;      /* of the order in which the executor runs the threads; 0: by time */
};

/* solve_phases.c: the first one. */
void phase_first(struct solving *w);
/* Keeps the conditions of the executor's last run, */
void phase_keep_conditions(struct solving *w);
/* of which this takes those of the phase at hand. */
void phase_choose_conditions(struct solving *w);
/* Seconds, and so many times those that the executor took: what takes long to execute takes long to solve. */
double phase_patience(const struct solving *w, double seconds, double times);
/* The phase begins to solve, unless it has before. */
void phase_begin(struct solving *w);
bool phase_is_last(const struct solving *w);
/* Has every read to read what it does in the order (infer_options)? */
bool phase_all_reads(const struct solving *w);
/* Seconds that it still has; the last one has all there are. */
double phase_left(const struct solving *w);
/* Has it had its share? */
bool phase_over(const struct solving *w);
/* There is nothing more to find in this phase (decided), or it had its share; false: there is no other. */
bool phase_next(struct solving *w, bool decided);

/* solve_verdict.c: where the formula is written to (free it). */
char *solving_formula_file(const struct solving *w);
/*
 * Nothing was found, but the program makes numbers of addresses (or may, if that is asked for): everything begins anew, with addresses that are more
 * like those of the recorded run. False: it does not, or that has been tried. The caller forgets the execution.
 */
bool solving_again(struct solving *w, bool possible);
_Noreturn void solving_finish(struct solving *w, int code, const char *outcome);
_Noreturn void solving_reproduced(struct solving *w);
/* There is no candidate left: proven, where nothing was guessed. */
_Noreturn void solving_none_found(struct solving *w);
/* No run of the executor follows the recorded paths to the failure. */
_Noreturn void solving_unexplained(struct solving *w);
_Noreturn void solving_over_budget(struct solving *w);

#endif
