/* Of an interleaving in which threads wait for ever: for whom, and for what. */
#ifndef RETHREAD_WAITS_H
#define RETHREAD_WAITS_H

#include "cli/cycle.h"
#include "trace/trace.h"

#include <jansson.h>

/* Of a deadlock: who waits for whom. */
void print_cycle(const json_t *root, const struct trace *t);
/* ... the step at which the thread waits, and that at which the other took what it waits for; NULL: not known. */
void cycle_steps(const json_t *root, const struct cycle_step *c, json_t **blocked, json_t **taken);
/* Of a run that took too long, or a deadlock that is no cycle: who is blocked, and which signal came too early. */
void print_hangs(const json_t *root, const struct trace *t);
/* Does the failure come down to who waits for ever? */
bool is_about_waits(const struct trace *t);
/* Is the read told of there? */
bool is_told_of_hang(const json_t *root, const json_t *read);
/* Of a step that waits for a lock, or for the end of a routine that runs once: the one at which another thread took it last, or began it, or NULL. */
json_t *lock_holder(const json_t *root, const json_t *blocked);
/* Does a routine begin there that runs once? */
bool is_once(const json_t *step);
/* Was the thread cancelled in the wait for a signal in which it took the lock again there? */
bool was_cancelled_at(const json_t *root, const json_t *taken);
/* Has the thread come to its end in the recorded run? */
bool has_ended(const struct trace *t, const char *thread);
/* Is it a step that the thread never completed? */
bool is_blocked(const json_t *step);

#endif
