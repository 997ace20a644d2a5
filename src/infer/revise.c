#include "infer/revise.h"

#include "model/check.h"
#include "solve/solver.h"

#include <stdlib.h>
#include <string.h>

/* What is kept of an execution, by the sequence of its conditions. */
struct extent {
	uint32_t horizon; /* what was met later is left out */
	uint32_t keep;    /* guesses that were made later are open */
};

/*
 * The execution with the guesses up to a point kept and the later ones open. What a thread met after an open guess of
 * its own holds only if the guess does: (guesses so far) -> condition. Guesses of addresses are in the conditions
 * already (src/sym/guess.c).
 */
static void weaken(const struct execution *x, struct extent extent, struct execution *out)
{
	uint32_t keep = extent.keep;
	*out = *x;
	out->conditions.at = xmalloc((x->conditions.n + 1) * sizeof *out->conditions.at);
	out->conditions.n = 0;
	expr *open = xcalloc(x->threads.n + 1, sizeof *open); /* by thread: its open guesses, or none */
	for (size_t i = 0; i < x->conditions.n; i++) { /* in program order, thread by thread */
		struct condition c = x->conditions.at[i];
		expr *guesses = &open[x->events.at[c.event].thread];
		if (c.kind != CONDITION_LEARNED && c.sequence > extent.horizon)
			continue;
		if (c.kind == CONDITION_ADDRESS && c.sequence > keep)
			continue;
		if (c.kind == CONDITION_ASSUMED && c.sequence > keep) {
			*guesses = *guesses ? expr_binary(x->exprs, EXPR_AND, *guesses, c.condition) : c.condition;
			continue;
		}
		if (*guesses && c.kind != CONDITION_LEARNED)
			c.condition = expr_binary(x->exprs, EXPR_OR, expr_not(x->exprs, *guesses), c.condition);
		out->conditions.at[out->conditions.n++] = c;
	}
	free(open);
}

static void take(struct revised *out, const struct revised *from, size_t nsymbols)
{
	memcpy(out->symbols, from->symbols, nsymbols * sizeof *out->symbols);
	out->steps.n = 0;
	for (size_t i = 0; i < from->steps.n; i++)
		*vec_push(&out->steps) = from->steps.at[i];
}

void revised_release(struct revised *r)
{
	free(r->symbols);
	vec_free(&r->steps);
}

static enum infer_result model_of(const struct execution *x, const struct infer_options *o, struct revised *out, struct error *err)
{
	struct infer_state *state = NULL;
	struct schedule schedule;
	struct infer_options unchecked = *o;
	unchecked.unchecked = true;
	enum infer_result result = infer_schedule(x, &unchecked, &state, &schedule, NULL, err);
	if (result == INFER_FOUND) {
		/* Only for the values: what is unknown besides the order is not the checker's to know. */
		const struct linear *l = infer_order(state);
		check_order(x, o->model, l->steps.at, l->steps.n, out->symbols, NULL);
		out->steps.n = 0;
		for (size_t i = 0; i < l->steps.n; i++)
			*vec_push(&out->steps) = l->steps.at[i];
		schedule_release(&schedule);
	}
	infer_free(state);
	return result;
}

static enum infer_result try_keeping(const struct execution *x, struct extent extent, const struct infer_options *o,
				     struct revised *out, struct error *err)
{
	struct execution weak;
	weaken(x, extent, &weak);
	enum infer_result result = model_of(&weak, o, out, err);
	free(weak.conditions.at);
	return result;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* How long one try to keep more may take, after something was found in so many seconds: to show that it does not work can take for ever. */
static double patience(double found_in, double left)
{
	double seconds = 0.25 + 8 * found_in;
	return seconds < left ? seconds : left;
}

/*
 * The most that can be kept of one part of the extent, `*part`, out of the n values at `limits`, in order; `out` is the last
 * that worked. *part works as it is, which took `found_in` seconds to find; is none of them found to work, it stays as it is.
 */
static void extend(const struct execution *x, const uint32_t *limits, size_t n, struct extent *extent, uint32_t *part, double found_in,
		   const struct infer_options *o, struct revised *out)
{
	struct revised tried = { .symbols = xcalloc(x->nsymbols + 1, sizeof *tried.symbols) };
	struct error err;
	struct infer_options one = *o;
	double end = solver_clock() + o->seconds;
	size_t low = 0, high = n; /* keeping `low` of them works; keeping more than `high` is not needed */
	while (low < high) {
		size_t mid = (low + high + 1) / 2;
		uint32_t worked = *part;
		*part = limits[mid - 1];
		one.seconds = patience(found_in, end - solver_clock());
		enum infer_result better = try_keeping(x, *extent, &one, &tried, &err);
		if (better == INFER_FOUND) {
			low = mid;
			take(out, &tried, x->nsymbols);
			continue;
		}
		*part = worked;
		if (better == INFER_ERROR || solver_clock() >= end)
			break; /* what was found is good enough */
		high = mid - 1;
	}
	revised_release(&tried);
}

static bool is_guess(const struct condition *c)
{
	return c->kind == CONDITION_ASSUMED || c->kind == CONDITION_ADDRESS;
}

/* Is the next condition, too, a guess of the same access or call? */
static bool goes_on(const struct execution *x, size_t i)
{
	if (i + 1 == x->conditions.n || !is_guess(&x->conditions.at[i]) || !is_guess(&x->conditions.at[i + 1]))
		return false;
	const struct event *a = &x->events.at[x->conditions.at[i].event], *b = &x->events.at[x->conditions.at[i + 1].event];
	return a->thread == b->thread && a->sap && a->sap == b->sap;
}

/*
 * The sequence of all conditions, or of the guesses among them, in order; to be freed. What a call of a library read is one guess: to keep its first words and
 * change the others is to have somebody come in its midst, which is hardly ever what happened, and no replay can do it.
 */
static uint32_t *sequences(const struct execution *x, bool guesses, size_t *n)
{
	uint32_t *all = xcalloc(x->conditions.n + 1, sizeof *all);
	*n = 0;
	for (size_t i = 0; i < x->conditions.n; i++)
		if (!guesses || (is_guess(&x->conditions.at[i]) && !goes_on(x, i)))
			all[(*n)++] = x->conditions.at[i].sequence;
	qsort(all, *n, sizeof *all, by_number);
	return all;
}

/*
 * As many of the earliest guesses are kept as possible: the first wrong one is to be changed, not all. A thread that was led off its path
 * has not written what others read later, so what they met then may contradict all that there is: it is left out.
 */
enum infer_result revise_values(const struct execution *x, bool strayed, const struct infer_options *o, struct revised *out, struct error *err)
{
	struct extent extent = { .horizon = UINT32_MAX, .keep = 0 };
	struct infer_options all = *o;
	out->symbols = xcalloc(x->nsymbols + 1, sizeof *out->symbols);
	if (strayed)
		all.seconds = patience(0, o->seconds);
	double start = solver_clock(), found_in;
	enum infer_result result = try_keeping(x, extent, &all, out, err);
	size_t n;
	if (result == INFER_NONE && execution_has_pieces(x)) {
		all.loose = true;
		start = solver_clock();
		result = try_keeping(x, extent, &all, out, err);
	}
	struct infer_options found = *o;
	found.loose = all.loose && result == INFER_FOUND;
	found_in = solver_clock() - start;
	if (result == INFER_NONE || (result == INFER_BUDGET && strayed)) {
		extent.horizon = 0;
		start = solver_clock();
		result = try_keeping(x, extent, &found, out, err);
		found_in = solver_clock() - start;
		uint32_t *limits = sequences(x, false, &n);
		if (result == INFER_FOUND)
			extend(x, limits, n, &extent, &extent.horizon, found_in, &found, out);
		free(limits);
	}
	uint32_t *guesses = sequences(x, true, &n);
	if (result == INFER_FOUND)
		extend(x, guesses, n, &extent, &extent.keep, found_in, &found, out);
	free(guesses);
	return result;
}
