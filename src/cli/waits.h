/* Of an interleaving in which threads wait for ever: for whom, and for what. */
#ifndef RETHREAD_WAITS_H
#define RETHREAD_WAITS_H

#include "trace/trace.h"

#include <jansson.h>

/* Of a deadlock: who waits for whom. */
void print_cycle(const json_t *root, const struct trace *t);
/* Of a run that took too long: who is blocked, and which signal came too early. */
void print_hangs(const json_t *root, const struct trace *t);
/* Is the read told of there? */
bool is_told_of_hang(const json_t *root, const json_t *read);
/* Is it a step that the thread never completed? */
bool is_blocked(const json_t *step);

#endif
