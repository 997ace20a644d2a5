/*
 * The executor's side of inference: translate the program once, then run its twin in infer mode again and again, each
 * run knowing the racy locations the earlier ones found, until nothing new appears (design §5.2).
 *
 *     struct explorer *e = explorer_new(trace, twin, dir, &err);
 *     explorer_run(e, seconds, &x, &stats, &err);      the execution at the fixed point
 *     forced_set(explorer_forced(e), ...);             what racy reads shall be taken to read from now on
 *     explorer_run(e, ...);                            ... which may lead to other accesses
 *     explorer_free(e);
 */
#ifndef RETHREAD_EXPLORE_H
#define RETHREAD_EXPLORE_H

#include "base/base.h"
#include "infer/forced.h"
#include "model/execution.h"
#include "model/linear.h"
#include "model/tied.h"
#include "trace/trace.h"

struct explore_stats {
	unsigned runs;         /* of the executor, in all */
	uint64_t racy;         /* locations */
	/* In the last run: */
	uint64_t saps, instructions, events, symbols;
	uint64_t mismatches;   /* concrete branches that went another way in the log */
	uint64_t faults;       /* threads that met a bad address where the recorded one did not */
	uint64_t assumptions;  /* guesses made where a symbolic value was needed concretely */
	uint64_t refuted;      /* combinations of guesses that led off the path */
	uint64_t early;        /* reads that were not known to come too early */
	uint64_t lulls;        /* long stretches of reads that are taken to have found the same, twice */
	uint64_t unseen;       /* bytes of racy memory that libraries changed in ways that no table has */
	uint64_t shared_bytes; /* mapped to write to, perhaps by other processes as well */
	bool failed;           /* the failing thread reached its failure */
	double seconds;        /* in all */
	char first_mismatch[256], first_fault[256];
	char outside[200];     /* who read or wrote outside of all blocks; "": nobody */
	char gone[200];        /* who accessed a local variable that may have been no more; "": nobody */
	char answering[80];    /* a function of a library that no table has, and whose results the program uses; "": none */
};

enum explore_result { EXPLORE_DONE, EXPLORE_BUDGET, EXPLORE_ERROR };

struct explorer; /* opaque */

/* `twin` is the twin's path, `dir` a directory for files; both must outlive the explorer. */
struct explorer *explorer_new(const struct trace *t, const char *twin, const char *dir, struct error *err);
/*
 * An explorer whose runs leave the lines that threads pass in dir/paths.json, at most so many entries for each (lines.c of
 * src/sym; UINT64_MAX: all).
 */
struct explorer *explorer_new_with_lines(const struct trace *t, const char *twin, const char *dir, uint64_t most,
					 struct error *err);
void explorer_free(struct explorer *e);

/* Runs to the fixed point. x is initialised on EXPLORE_DONE only. */
enum explore_result explorer_run(struct explorer *e, double seconds, struct execution *x,
				 struct explore_stats *stats, struct error *err);

/*
 * One more run like the last one, in which numbers that are made of addresses are looked for: these are others in each run of
 * the program. `where` is the place of one; or why that was not found out.
 */
enum explore_numbers {
	NUMBERS_NONE,
	NUMBERS_UNKNOWN,
	NUMBERS_POSSIBLE, /* of what a racy read may have found */
	NUMBERS_MADE,
};
enum explore_numbers explorer_numbers(struct explorer *e, double seconds, char *where, size_t size);

/*
 * One more run, on these values of the symbols of x, in which what is asked for is found out (model/tied.h). False: it was not. Later runs are as if it had not been.
 */
bool explorer_ties(struct explorer *e, const struct ties_asked *asked, const ties_values *values, const struct execution *x, const uint64_t *symbols, double seconds, tied_list *out, struct error *err);

/* What racy reads shall be taken to read in later runs. */
struct forced *explorer_forced(struct explorer *e);

/*
 * Later runs follow the order for its first `nsteps` steps, and then take the threads in an order of their own, one for
 * each seed (src/sym/time.c). Without steps: those of the call before.
 */
bool explorer_reorder(struct explorer *e, const struct execution *x, const struct step *steps, size_t nsteps,
		      unsigned seed, struct error *err);
/* Likewise, an order that is known. */
bool explorer_guide(struct explorer *e, const struct guide_run *runs, size_t n, struct error *err);
/* They follow none any more. */
void explorer_unguide(struct explorer *e);
/*
 * The last run explains nothing, and some of its reads came too early (src/sym/early.c): in the next one they wait, and what
 * the last one learnt besides is forgotten. False: there are none that were not tried before, or it was done often enough.
 */
bool explorer_wait(struct explorer *e, const struct explore_stats *s);
/*
 * The last run explains nothing, and takes long stretches of reads to have found the same (src/sym/lulls.c): later runs do not. False: it
 * takes nothing so, or, unless that is known to be what was wrong, other guesses are to be tried first.
 */
bool explorer_stir(struct explorer *e, const struct explore_stats *s, bool wrong);
/*
 * From the next run on all blocks whose addresses are in the log lie as they did, in their order, as far as the lower halves of their addresses tell, and with their lowest bits (src/sym/mirror.c), since the
 * program computes with addresses. What earlier runs found is forgotten. False: they do already.
 */
bool explorer_place(struct explorer *e);

/* Did the last run follow all recorded paths to the failure? */
static inline bool explore_on_path(const struct explore_stats *s)
{
	return !s->mismatches && !s->faults && s->failed;
}

#endif
