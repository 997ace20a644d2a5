/* How engine solve ends, and what is said then (solving.h). */
#include "exe/unrecorded.h"
#include "infer/progress.h"
#include "infer/solving.h"

#include <stdlib.h>

char *solving_formula_file(const struct solving *w)
{
	return xasprintf("%s/formula", w->work->dir);
}

/* The last one that was solved, which is the one of the answer. */
static void show_formula(const struct solving *w)
{
	char *file = w->work->request->explain ? solving_formula_file(w) : NULL, *text;
	size_t size;
	if (file && read_file(file, &text, &size, NULL)) {
		putchar('\n');
		fwrite(text, 1, size, stdout);
		free(text);
	}
	free(file);
}

_Noreturn void solving_finish(struct solving *w, int code, const char *outcome)
{
	show_formula(w);
	work_finish(w->work, code, outcome);
}

/*
 * What the program computes from addresses is something else here than it was in the recorded run. Says so and ends if it
 * does compute such numbers, or `possible` is asked for and it may.
 */
static void check_numbers(struct solving *w, bool possible)
{
	char where[200];
	struct error err;
	enum explore_numbers numbers = explorer_numbers(w->explorer, work_left(w->work), where, sizeof where);
	if (numbers == NUMBERS_NONE || (numbers != NUMBERS_MADE && !possible))
		return;
	if (numbers != NUMBERS_UNKNOWN)
		fail(&err, "no interleaving was found, which proves nothing: at %s a number is made of an address, which is "
			   "another one in each run", where);
	else
		fail(&err, "no interleaving was found, which proves nothing: whether numbers are made of addresses was not "
			   "found out: %s", where);
	work_give_up(w->work, &err);
}

bool solving_again(struct solving *w, bool possible)
{
	char where[200];
	if (work_over(w->work))
		return false;
	enum explore_numbers numbers = explorer_numbers(w->explorer, work_left(w->work), where, sizeof where);
	if ((numbers != NUMBERS_MADE && (numbers != NUMBERS_POSSIBLE || !possible)) || !explorer_place(w->explorer))
		return false;
	phase_first(w);
	w->phase_start = 0;
	w->output_decided = false;
	return true;
}

/* Code that is not in the log may have done anything to shared memory. */
static void check_libraries(struct solving *w)
{
	char *library = unrecorded_first(w->work->trace->dir);
	struct error err;
	if (!library)
		return;
	fail(&err, "no interleaving was found, which proves nothing: what %s did is not recorded", library);
	free(library);
	work_give_up(w->work, &err);
}

/* What other processes write to memory that is mapped for all of them is in no log. */
static void check_mapped(struct solving *w)
{
	const struct explore_stats *s = &w->work->figures.explore;
	struct error err;
	if (!s->shared_bytes)
		return;
	fail(&err, "no interleaving was found%s%s, which proves nothing: the program has mapped %llu bytes with MAP_SHARED, and what another process "
		   "writes there is not recorded; with the other process's part in a thread, it is", s->mismatches ? ", at " : "",
	     s->mismatches ? s->first_mismatch : "", (unsigned long long)s->shared_bytes);
	work_give_up(w->work, &err);
}

static void check_unseen(struct solving *w)
{
	struct error err;
	if (!w->work->figures.explore.unseen)
		return;
	fail(&err, "no interleaving was found, which proves nothing: functions of libraries change memory that threads race for, in ways that are not "
		   "recorded; --engine search does without");
	work_give_up(w->work, &err);
}

static void check_answering(struct solving *w)
{
	struct error err;
	const char *function = w->work->figures.explore.answering;
	if (!*function)
		return;
	fail(&err, "no interleaving was found, which proves nothing: what %s returned in the recorded run is not in the log, and may be what other "
		   "threads left in its library; --engine search does without", function);
	work_give_up(w->work, &err);
}

/* What lay in the place of a local variable that was no more is in no log. */
static void check_gone(struct solving *w)
{
	struct error err;
	if (!*w->work->figures.explore.gone)
		return;
	fail(&err, "no interleaving was found, which proves nothing: %s, and may have changed or found what lay there then, which is not recorded", w->work->figures.explore.gone);
	work_give_up(w->work, &err);
}

/* Guesses were given up because a search that does not try everything found nothing with them. */
static void check_exhausted(struct solving *w)
{
	struct error err;
	if (!w->exhausted)
		return;
	fail(&err, "no interleaving was found, which proves nothing: of %llu writes that %llu racy reads may have seen, not all could be tried",
	     (unsigned long long)w->work->figures.infer.candidates, (unsigned long long)w->work->figures.infer.racy_reads);
	work_give_up(w->work, &err);
}

/* Here it may as well be that the executor let the two come in the wrong order, by a guess. */
static void say_gone(const struct solving *w)
{
	const char *gone = w->work->figures.explore.gone;
	if (*gone)
		progress_line("%s: what lay there then, and was found or changed, is not recorded", gone);
}

_Noreturn void solving_unexplained(struct solving *w)
{
	const struct explore_stats *s = &w->work->figures.explore;
	const char *missing = trace_ends_early(w->work->trace);
	struct error err;
	/* Library code outside of the module changes shared structures without a trace; only the order of locks tells when. */
	const char *advice = w->work->trace->header.scheme == RT_SCHEME_PATH
				     ? "; scheme path knows nothing of what libraries do under a lock, path+sync may"
			     : w->work->trace->header.flags & RT_LOG_VALUES
				     ? "; where memory lies is not all in the log: record --all-values keeps it"
				     : "; another failing run may be explained, and --engine search with a longer --budget does without";
	if (!missing)
		check_numbers(w, false);
	if (!missing)
		check_mapped(w);
	if (!missing)
		check_exhausted(w);
	if (missing)
		fail(&err, "the log ends before the failure (%s), and what it lacks cannot be inferred: record again with "
			   "more room", missing);
	else if (s->mismatches)
		fail(&err, "no interleaving was found, which proves nothing: at %s the recorded path differs from the computed one, and "
			   "nothing known to race decides it%s",
		     s->first_mismatch, advice);
	else if (s->faults)
		fail(&err, "no interleaving was found, which proves nothing: at %s a bad address is used where the recorded run went on%s",
		     s->first_fault, advice);
	else if (s->failed)
		fail(&err, "no interleaving was found, which proves nothing: the threads' paths lead to the failure, but no order of what inference knows of them "
			   "gives the values that the paths need%s", advice);
	else if (w->work->trace->header.failure.thread >= w->work->trace->nthreads)
		fail(&err, "the run failed in no thread's own code: before main, in a thread of a library, or as a thread ended, which "
			   "happens when its stack was overwritten; inference sees none of these");
	else
		fail(&err, "the failing thread did not reach its failure symbolically: inference does not model this "
			   "kind of failure yet");
	say_gone(w);
	work_give_up(w->work, &err);
}

_Noreturn void solving_over_budget(struct solving *w)
{
	if (w->work->alone)
		progress_line("rethread: the budget of %.0f s ended before an interleaving was found; --budget gives more",
			      w->work->request->budget);
	else
		progress_line("rethread: no interleaving was inferred in %.0f s", w->work->seconds);
	if (w->work->trace->header.flags & RT_LOG_VALUES)
		progress_line("rethread: the program has more racy values that decide addresses than were recorded: record "
			      "--all-values keeps them, and there is less to infer");
	solving_finish(w, EXIT_BUDGET, "budget");
}

_Noreturn void solving_reproduced(struct solving *w)
{
	const struct infer_stats *s = &w->work->figures.infer;
	const unsigned candidates = w->work->figures.replays ? w->work->figures.replays : 1;
	char least[64] = "the fewest";
	if (!s->fewest)
		snprintf(least, sizeof least, "few, not proven the fewest, which are at least %u", s->least);
	progress_line("solved under %s in %.2f s: %llu racy read%s, %llu variable%s, %llu constraint%s, %u candidate%s",
		      w->work->figures.model, s->build_seconds + s->solve_seconds + s->check_seconds,
		      (unsigned long long)s->racy_reads, plural(s->racy_reads, "s"), (unsigned long long)s->variables,
		      plural(s->variables, "s"), (unsigned long long)s->constraints, plural(s->constraints, "s"), candidates,
		      plural(candidates, "s"));
	if (w->work->request->prove)
		printf("%s: %u context switch%s (%s), %llu wait%s%s\n", work_verdict(w->work), s->switches,
		       plural(s->switches, "es"), least, (unsigned long long)s->waits, plural(s->waits, "s"), work_reliability(w->work));
	else
		printf("an interleaving explains the log: %u context switch%s (%s), %llu wait%s (not replayed)\n",
		       s->switches, plural(s->switches, "es"), least, (unsigned long long)s->waits, plural(s->waits, "s"));
	if (w->without_output)
		puts("what it shows may differ from what the recorded run did");
	printf("schedule: %s/schedule\n", w->work->trace->dir);
	solving_finish(w, EXIT_DONE, w->work->request->prove ? "reproduced" : "inferred");
}

/* What laps read for which the log has no values any more is a guess (laps.c). */
static void check_values(struct solving *w)
{
	struct error err;
	if (!(w->work->trace->header.flags & RT_LOG_VALUES))
		return;
	fail(&err, "no interleaving was found, which proves nothing: a thread had more values that decide addresses than were "
		   "recorded, and the rest are guesses; record --all-values keeps them");
	work_give_up(w->work, &err);
}

/* Calls of so many pieces that not all orders of theirs were tried (loose.h). */
static void check_pieces(struct solving *w)
{
	struct error err;
	if (!w->in_order)
		return;
	fail(&err, "no interleaving was found, which proves nothing: threads race for what long copies or calls read or write, and in which order "
		   "those do that is not known");
	work_give_up(w->work, &err);
}

_Noreturn void solving_none_found(struct solving *w)
{
	if (w->work->figures.replays) {
		progress_line("rethread: no further candidate, and none was proven: candidates did not replay; this says "
			      "nothing about others");
		solving_finish(w, EXIT_ERROR, "unproven");
	}
	check_gone(w);
	check_numbers(w, true);
	check_libraries(w);
	check_mapped(w);
	check_unseen(w);
	check_answering(w);
	check_values(w);
	check_pieces(w);
	check_exhausted(w);
	printf("no interleaving under %s explains the log: proven\n", w->work->figures.model);
	solving_finish(w, EXIT_NO_INTERLEAVING, "none");
}
