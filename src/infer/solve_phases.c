/* What is asked for first, and for how long (solving.h). */
#include "infer/solving.h"

/*
 * For failures that only show in what the program did outside, its output or its exit status: first an interleaving that
 * shows the same, whatever its other reads read. The very same output may be hard to come by (a total of which some parts were
 * lost), and the failure may not need it, so a few without it are next, and then more time for it. Then one for each way in which
 * all reads may read; and in the end without what was shown, in case that contradicts itself (bits of an address look like any number).
 */
static const struct phase {
	bool output, all_reads;
	unsigned candidates;   /* that do not replay: so many are enough, */
	double share, seconds; /* and so much of the budget, or so many seconds and more for large runs; the last one has the rest */
} phases[] = {
	{true, false, 20, 0.45, 5}, {false, false, 20, 0.15, 20}, {true, false, 20, 0.15, 1e9}, {true, true, UINT32_MAX, 0.15, 1e9},
	{false, true, UINT32_MAX, 1, 1e9},
};
enum { PHASE_AGAIN = 2, PHASE_LAST = sizeof phases / sizeof *phases - 1 };

void phase_first(struct solving *w)
{
	w->phase = phases;
}

bool phase_all_reads(const struct solving *w)
{
	return w->phase->all_reads;
}

void phase_keep_conditions(struct solving *w)
{
	w->conditions.n = 0;
	for (size_t i = 0; i < w->x.conditions.n; i++)
		*vec_push(&w->conditions) = w->x.conditions.at[i];
}

/* Conditions on what was shown are for failures that show there, and not for the last phase. */
void phase_choose_conditions(struct solving *w)
{
	size_t outputs = 0;
	w->x.conditions.n = 0;
	for (size_t i = 0; i < w->conditions.n; i++) {
		bool output = w->conditions.at[i].kind == CONDITION_OUTPUT;
		outputs += output || w->conditions.at[i].kind == CONDITION_BUG;
		if (!output || (w->outward && w->phase->output))
			*vec_push(&w->x.conditions) = w->conditions.at[i];
	}
	w->without_output = w->outward && w->x.conditions.n < w->conditions.n;
	if (!outputs)
		w->phase = &phases[PHASE_LAST];
}

bool phase_is_last(const struct solving *w)
{
	return !w->outward || w->phase == &phases[PHASE_LAST];
}

double phase_patience(const struct solving *w, double seconds, double times)
{
	return seconds + times * w->work->figures.explore.seconds;
}

double phase_left(const struct solving *w)
{
	double share = w->phase->share * w->work->request->budget, seconds = phase_patience(w, w->phase->seconds, 10);
	return (share < seconds ? share : seconds) - (solver_clock() - w->phase_start);
}

bool phase_over(const struct solving *w)
{
	return !phase_is_last(w) && (w->work->figures.replays - w->phase_replays >= w->phase->candidates || phase_left(w) <= 0);
}

void phase_begin(struct solving *w)
{
	if (w->phase_start)
		return;
	w->phase_start = solver_clock();
	w->phase_replays = w->work->figures.replays;
}

bool phase_next(struct solving *w, bool decided)
{
	if (phase_is_last(w))
		return false;
	w->output_decided |= decided && w->phase->output;
	w->phase++;
	if (w->output_decided && w->phase == &phases[PHASE_AGAIN])
		w->phase++;
	w->phase_start = 0;
	return true;
}
