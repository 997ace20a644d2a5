/*
 * Better guesses. When the executor's concrete guesses led a thread off its recorded path, or contradict each other,
 * the conditions met so far still hold for the run that was recorded: a model of them, without the guesses, says
 * what the racy reads may have read instead.
 */
#ifndef RETHREAD_REVISE_H
#define RETHREAD_REVISE_H

#include "solve/infer.h"

/* On INFER_FOUND symbols (x->nsymbols of them) hold the values of one interleaving that meets all but the guesses. */
enum infer_result revise_values(const struct execution *x, const struct infer_options *o, uint64_t *symbols,
				struct error *err);

#endif
