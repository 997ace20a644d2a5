/*
 * Which candidates a piece of a read cannot see because of the value they wrote.
 *
 * For every symbol the set of values it can have is computed, small sets only: what its candidates write,
 * as far as the conditions on that symbol alone allow. A candidate none of whose values is allowed is
 * impossible: it cannot be seen, though it can still come between another write and the read.
 * Cheap, and it takes most of the choices away where branches test exact values.
 */
#ifndef RETHREAD_VALUES_H
#define RETHREAD_VALUES_H

#include "model/problem.h"

/* By index in p->candidates; malloc'ed. Of a large problem: of no use, but not NULL. */
bool *values_impossible(const struct problem *p);

/* The same for one writer at a time, from what the path says of the piece's symbol alone: for large problems. */
struct value_test; /* opaque */
struct value_test *value_test_new(const struct problem *p);
void value_test_free(struct value_test *t);
/*
 * An expression most likely has this value: then a symbol that it depends on alone has one that gives it. Counts only while it is
 * trusted, which is not so at first; of several for a symbol the last.
 */
void value_test_expect(struct value_test *t, expr e, uint64_t value);
/* Nothing is expected of the symbol of an expression any more. */
void value_test_expect_none(struct value_test *t, expr e);
void value_test_trust(struct value_test *t, bool trusts);
/* False: the piece cannot see what this event writes. */
bool value_test_allows(struct value_test *t, const struct piece *piece, uint32_t writer);
/* The same for what the writer is known to write, all of it. */
bool value_test_allows_value(struct value_test *t, const struct piece *piece, uint32_t writer, uint64_t written);

#endif
