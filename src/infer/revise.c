#include "infer/revise.h"

#include "model/check.h"

/*
 * The execution with the guesses up to a point kept and the later ones open. What a thread met after an open guess of
 * its own holds only if the guess does: (guesses so far) -> condition. Guesses of addresses are in the conditions
 * already (src/sym/guess.c).
 */
static void weaken(const struct execution *x, uint32_t keep, struct execution *out)
{
	*out = *x;
	out->conditions.at = xmalloc((x->conditions.n + 1) * sizeof *out->conditions.at);
	out->conditions.n = 0;
	expr *open = xcalloc(x->threads.n + 1, sizeof *open); /* by thread: its open guesses, or none */
	for (size_t i = 0; i < x->conditions.n; i++) { /* in program order, thread by thread */
		struct condition c = x->conditions.at[i];
		expr *guesses = &open[x->events.at[c.event].thread];
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

static enum infer_result model_of(const struct execution *x, const struct infer_options *o, uint64_t *symbols,
				  struct error *err)
{
	struct infer_state *state = NULL;
	struct schedule schedule;
	struct infer_options unchecked = *o;
	unchecked.unchecked = true;
	enum infer_result result = infer_schedule(x, &unchecked, &state, &schedule, NULL, err);
	if (result == INFER_FOUND) {
		/* Only for the values: what is unknown besides the order is not the checker's to know. */
		const struct linear *l = infer_order(state);
		check_order(x, o->model, l->steps.at, l->steps.n, symbols, NULL);
		schedule_release(&schedule);
	}
	infer_free(state);
	return result;
}

static enum infer_result try_keeping(const struct execution *x, uint32_t keep, const struct infer_options *o,
				     uint64_t *symbols, struct error *err)
{
	struct execution weak;
	weaken(x, keep, &weak);
	enum infer_result result = model_of(&weak, o, symbols, err);
	free(weak.conditions.at);
	return result;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* As many of the earliest guesses are kept as possible: the first wrong one is to be changed, not all. */
enum infer_result revise_values(const struct execution *x, const struct infer_options *o, uint64_t *symbols,
				struct error *err)
{
	vec(uint32_t) guesses = { 0 };
	for (size_t i = 0; i < x->conditions.n; i++)
		if (x->conditions.at[i].kind == CONDITION_ASSUMED || x->conditions.at[i].kind == CONDITION_ADDRESS)
			*vec_push(&guesses) = x->conditions.at[i].sequence;
	qsort(guesses.at, guesses.n, sizeof *guesses.at, by_number);
	enum infer_result result = try_keeping(x, 0, o, symbols, err);
	size_t low = 0, high = guesses.n; /* keeping low works; keeping more than high is not needed */
	uint64_t *values = xcalloc(x->nsymbols + 1, sizeof *values);
	while (result == INFER_FOUND && low < high) {
		size_t mid = (low + high + 1) / 2;
		enum infer_result better = try_keeping(x, guesses.at[mid - 1], o, values, err);
		if (better == INFER_FOUND) {
			low = mid;
			for (uint32_t i = 0; i < x->nsymbols; i++)
				symbols[i] = values[i];
		} else if (better == INFER_NONE) {
			high = mid - 1;
		} else {
			break; /* out of time: what was found is good enough */
		}
	}
	free(values);
	vec_free(&guesses);
	return result;
}
