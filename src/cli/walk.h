/*
 * The source lines that the threads of a trace passed: rethread-infer walks the recorded paths (src/infer/paths.h, which
 * also says what the value looks like).
 */
#ifndef RETHREAD_WALK_H
#define RETHREAD_WALK_H

#include "trace/trace.h"

#include <jansson.h>

/* `lines` is how many entries for each thread, or "all". NULL and `err`: they cannot be had. */
json_t *walk_paths(const struct trace *t, const char *lines, const char *budget, struct error *err);

/* Of the thread called `name`, borrowed; NULL when paths is NULL or has none. */
json_t *walk_thread(const json_t *paths, const char *name);

/* Prints the lines of one thread, and where it was left. */
void walk_print(const json_t *thread);

#endif
