/*
 * What of an interleaving matters for its failure: the reads that the failure's conditions depend on, the writes they
 * saw, the reads that those depend on, and so on backwards. For explanations only.
 */
#ifndef RETHREAD_SLICE_H
#define RETHREAD_SLICE_H

#include "model/linear.h"

#define SLICE_NONE SIZE_MAX

struct slice {
	size_t *saw;    /* by step that reads: the step that issued the write it saw; SLICE_NONE: the initial value */
	size_t *next;   /* by step that reads: the next write of another thread to the place; SLICE_NONE: there is none */
	bool *matters;  /* by step */
	size_t last_reads; /* so many of `asked`, from the first on, are what a thread that fails read last: certain values, which are in no condition */
	bool last_rests;   /* the failure is known to rest on one of these */
	size_t behind;     /* so many of `asked`, the last ones, are of slice_ask */
	vec(size_t) asked; /* steps that read what the failure itself depends on, most telling first; at most SLICE_ASKED */
};
enum { SLICE_ASKED = 3 }; /* and as many last reads */

void slice_init(struct slice *s, const struct execution *x, const struct linear *l);
/* The same where it is known what the failure rests on (by step, of rests_steps): what has nothing to do with it is not asked for; if nothing else is, what it is computed of. */
void slice_init_tied(struct slice *s, const struct execution *x, const struct linear *l, const uint8_t *how);
/* The failure is known to depend on that read as well, behind what it depends on itself. */
void slice_ask(struct slice *s, const struct execution *x, const struct linear *l, size_t step);
void slice_release(struct slice *s);

/* Is that one of `asked` only because it was read last, though what the failure's condition asks for is known, and the failure is not known to rest on any of those? */
static inline bool slice_is_beside(const struct slice *s, size_t asked)
{
	return asked < s->last_reads && s->asked.n > s->last_reads && !s->last_rests;
}

#endif
