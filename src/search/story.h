/*
 * The attempt that failed, for `rethread explain`: the accesses to memory that several threads used, and the steps on objects
 * that they shared, in their order (interleaving.json).
 */
#ifndef RETHREAD_SEARCH_STORY_H
#define RETHREAD_SEARCH_STORY_H

#include "trace/trace.h"

#include <rethread/search.h>

bool story_write(const struct rt_attempt *a, const struct trace *t, const char *twin, const char *path, struct error *err);

#endif
