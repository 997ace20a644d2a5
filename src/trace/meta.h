/* meta.json of a trace: what `rethread record` adds when the run is over (docs/FORMAT.md). */
#ifndef RETHREAD_TRACE_META_H
#define RETHREAD_TRACE_META_H

#include "trace/trace.h"

struct trace_meta {
	bool present; /* there is a meta.json */
	long pid;     /* of the process whose log counts, 0 when not said */
	bool has_verdict;
	struct rt_failure verdict; /* kind, signal, status, message and, when has_thread, thread */
	bool has_thread;
	char *thread_name; /* of the failing thread when given by name */
};

/*
 * Read DIR/meta.json into the trace's program, argv, environment, cwd and fail_if, and the rest
 * into *m. A missing file is no error, a damaged one is. The caller frees m->thread_name.
 */
bool trace_meta_read(struct trace *t, struct trace_meta *m, struct error *err);

#endif
