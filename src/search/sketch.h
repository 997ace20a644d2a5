/* The sketch that attempts follow (include/rethread/search.h), made from a trace: whatever its scheme has. */
#ifndef RETHREAD_SEARCH_SKETCH_H
#define RETHREAD_SEARCH_SKETCH_H

#include "trace/trace.h"

bool sketch_write(const struct trace *t, bool use_time, const char *path, struct error *err);

#endif
