#include "cli/cycle.h"

#include "exe/symbols.h"
#include "exe/twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cycle_next(const char **message, struct cycle_step *step)
{
	int used = 0;
	*step = (struct cycle_step){ 0 };
	const char *clause = *message + (strncmp(*message, ", ", 2) ? 0 : 2);
	step->joins = sscanf(clause, "thread %63[0-9:] waits for the end of thread %63[0-9:]%n", step->thread, step->other, &used) == 2;
	if (!step->joins && sscanf(clause, "thread %63[0-9:] waits for %*[a-z -] %*u held by thread %63[0-9:]%n", step->thread,
				   step->other, &used) != 2)
		return false;
	*message = clause + used;
	return true;
}

/* Who noticed has its backtrace in the failure, the others in streams of their own, from the instruction that was interrupted on. */
char *cycle_where(const struct trace *t, const char *name)
{
	const struct trace_thread *thread = trace_thread_named(t, name);
	char *twin = xasprintf("%s/twin", t->dir); /* of scheme rw, it is the one that failed */
	struct symbols *symbols = thread ? symbols_open(trace_is_rw(t) ? twin : t->image, NULL) : NULL;
	struct rt_failure at = t->failure;
	struct position p = { 0 };
	if (thread && thread->info.number != t->failure.thread) {
		at = (struct rt_failure){ .kind = RT_FAIL_SIGNAL, .nframes = thread->stack.nframes };
		memcpy(at.frames, thread->stack.frames, sizeof at.frames);
	}
	bool found = symbols && failure_own_site(symbols, &at, &p) && p.file && p.line;
	char *where = found ? xasprintf("%s:%d", p.file, p.line) : xstrdup("");
	symbols_close(symbols);
	free(twin);
	return where;
}
