/*
 * RETHREAD_OPTIONS: how the runtime is told what to record, `key=value` pairs separated by commas.
 *
 *     dir=DIR        existing directory that gets the log, DIR/log.PID; nothing is recorded without it
 *     scheme=S       off, base, path, path+sync (default)
 *     max-log=SIZE   bytes, or with K, M, G; the log ends there (default: no limit)
 *     time=0|1       time stamps (default 1)
 *     values=0|1|all values of reads that decide addresses: none, unless they are very many (default), all
 *     margin=N       what time stamps of two threads can be wrong by, as `rethread record` measured it
 *     tries=N        how often a thread tries for a lock that is taken before it sleeps (default: for about a microsecond)
 *     stacks=0|1     backtraces of all threads at the end of a run with status 0, too (default 0)
 *     command=0|1    say how the program was called (command.h), whatever it was before (default 0)
 *     off            the same as scheme=off
 */
#ifndef RETHREAD_RT_OPTIONS_H
#define RETHREAD_RT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum rt_values_kept { RT_VALUES_NONE, RT_VALUES_FEW, RT_VALUES_ALL };

struct rt_options {
	char dir[4096];
	uint32_t scheme;  /* enum rt_scheme; RT_SCHEME_OFF when nothing is to be recorded */
	uint64_t max_log; /* UINT64_MAX: no limit */
	uint64_t margin; /* what time stamps of two threads can be wrong by */
	int tries;       /* for a lock that is taken, before a thread sleeps; -1: as many as pay */
	bool time;
	enum rt_values_kept values;
	bool output; /* what is shown is recorded */
	bool command; /* say how it was called: somebody else started it */
	bool stacks; /* backtraces whatever the exit status: somebody else judges the run */
};

/*
 * Parse the variable's value (NULL: unset). What is not understood is left out and reported on
 * stderr, one line each; the target runs on.
 */
void rt_options_parse(struct rt_options *o, const char *text);

/* "rethread: MESSAGE: DETAIL" on stderr by one write, errno untouched. Only at start-up. */
void rt_say(const char *message, const char *detail);

#pragma GCC visibility pop

#endif
