/* Would a thread have gone another way, had it read something else? For explanations only. */
#ifndef RETHREAD_OTHER_WAY_H
#define RETHREAD_OTHER_WAY_H

#include "model/execution.h"

enum other_way { SAME_WAY, OTHER_VALUE, OTHER_WAY };

/*
 * Does one of the thread's next conditions behind the event, up to the event `until`, not hold if it read this value? symbols: those of the order, the same again
 * afterwards. SAME_WAY, too, where what it read is no symbol. OTHER_VALUE: what it read is in the log, and whether it branched on that is not known.
 */
enum other_way goes_another_way(const struct execution *x, uint32_t event, uint32_t until, uint64_t value, uint64_t *symbols);

#endif
