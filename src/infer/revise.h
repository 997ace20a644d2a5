/*
 * Better guesses. When the executor's concrete guesses led a thread off its recorded path, or contradict each other,
 * the conditions met so far still hold for the run that was recorded: a model of them, without the guesses, says
 * what the racy reads may have read instead.
 */
#ifndef RETHREAD_REVISE_H
#define RETHREAD_REVISE_H

#include "solve/infer.h"

/* One interleaving that meets all but the guesses: what its reads find, by symbol (x->nsymbols of them), and its order. */
struct revised {
	uint64_t *symbols;
	vec(struct step) steps;
};

/*
 * Of all, or, where the threads' paths could not be followed to their ends, of as much as goes together. INFER_NONE: of nothing.
 * `strayed`: some thread was led off its path, so that all together hardly does.
 */
enum infer_result revise_values(const struct execution *x, bool strayed, const struct infer_options *o, struct revised *out, struct error *err);
void revised_release(struct revised *r);

#endif
