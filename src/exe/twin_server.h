/*
 * A twin that stays where it begins, and each of whose runs is a fork of it. So all of its runs lay memory out alike, also where
 * the tool may not turn off that the kernel chooses addresses at random (containers forbid personality(2)), and none has to be loaded anew.
 *
 *     struct twin_server *s = twin_server_start(trace, twin, quiet, &err);
 *     twin_server_run(s, "mode=infer,...", seconds, &status, &timed_out, &err);      as often as wanted
 *     twin_server_stop(s);
 *
 * The other side is src/replay/serve.c.
 */
#ifndef RETHREAD_EXE_TWIN_SERVER_H
#define RETHREAD_EXE_TWIN_SERVER_H

#include "base/base.h"
#include "trace/trace.h"

struct twin_server; /* opaque; dies with the process that started it */

/* NULL when it could not be started. */
struct twin_server *twin_server_start(const struct trace *t, const char *twin, bool quiet, struct error *err);
/*
 * Run to the end; `variable` is what RETHREAD_TWIN would be. *status as from waitpid, *timed_out when the run was killed: after so many
 * seconds (0: never), or because the tool was interrupted. False when there was no run; the server is of no use then.
 */
bool twin_server_run(struct twin_server *s, const char *variable, unsigned timeout, int *status, bool *timed_out, struct error *err);
/* NULL is none. */
void twin_server_stop(struct twin_server *s);

#endif
