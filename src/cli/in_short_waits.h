/* The first sentences of `explain` about threads that wait. False: there is nothing to say. */
#ifndef RETHREAD_IN_SHORT_WAITS_H
#define RETHREAD_IN_SHORT_WAITS_H

#include "cli/words.h"
#include "trace/trace.h"

/* The step at which the thread waits for ever, or NULL. */
json_t *wait_of(const json_t *root, const char *thread);
/* Of a deadlock; of a run that takes too long. */
bool say_cycle(struct words *w, const json_t *root, const struct trace *t);
/* Of threads that go round: is it said why what they look at stays as it is? */
bool is_spin_told(const json_t *root);
bool say_hang(struct words *w, const json_t *root, const struct trace *t);

#endif
