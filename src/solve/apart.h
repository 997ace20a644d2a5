/*
 * Parts that have nothing to do with one another (parts.h) are solved apart, several at a time where there are processors, and what each
 * of their reads sees becomes orders of the whole.
 */
#ifndef RETHREAD_APART_H
#define RETHREAD_APART_H

#include "solve/infer.h"

struct apart; /* opaque: the parts, and how far each has come */

/* m: the whole's; it has to outlive this. NULL: it is all one part. */
struct apart *apart_new(const struct memory *m);
void apart_free(struct apart *a); /* NULL is allowed */
size_t apart_parts(const struct apart *a);

/*
 * INFER_FOUND: *edges are the orders, over m's nodes; the caller sees whether they fit together. INFER_NONE: there is no interleaving of some
 * part, so none of the whole. INFER_BUDGET: not decided; another call goes on from there.
 */
enum infer_result apart_solve(struct apart *a, const struct infer_options *o, struct chosen_edges *edges, struct error *err);

#endif
