/*
 * What a thread had read somewhere and still went by when another thread had changed it: it wrote a copy of it elsewhere, or came to another place that the other had changed as well.
 * Each access may have its lock. For explanations only.
 */
#ifndef RETHREAD_OUTDATED_H
#define RETHREAD_OUTDATED_H

#include "infer/stale.h"

/*
 * A write that the failure found is a copy of what was read before. values: of all expressions, in this order. False: there is none; or, if it has to be certain, the failure does
 * not depend on the place that it was read from as well.
 */
bool outdated_find_copy(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values, bool certain);

/*
 * The failing thread read something, then another thread changed that and, shortly before or behind, what the failure depends on; in one function each. What it read there last
 * counts. False: there is none.
 */
bool outdated_find_pair(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values);

#endif
