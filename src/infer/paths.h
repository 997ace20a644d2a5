/*
 * `rethread-infer paths`, which `rethread dump` calls: the source lines that each thread of a trace passed. Known branches are
 * not in the log, so the executor walks the paths (explore.h); what it passed goes to a file as JSON.
 *
 *     { "complete": true, "why": "", "threads": [
 *         { "name": "1:1", "passed": 70, "unsure": 2, "cut": false, "stack": [PLACE, ...],
 *           "lines": [PLACE, ..., {"repeat": 3, "times": 20}, ...] }, ... ] }
 *
 * PLACE is {"file", "line", "function"}. "repeat" says that the entries before it, so many, were passed that often in all.
 * The last "unsure" lines come after the last branch, synchronization or input that the log has: the thread may have been
 * killed before them. "cut": more than --lines, the first are missing. "stack" is where the thread was left.
 */
#ifndef RETHREAD_PATHS_H
#define RETHREAD_PATHS_H

/* argv: paths TRACE --output FILE [--lines N|all] [--budget SEC]. Returns the exit status. */
int paths_main(int argc, char **argv);

#endif
