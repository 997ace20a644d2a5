/*
 * Where traces are: ${XDG_DATA_HOME:-~/.local/share}/rethread/traces, one directory each, named
 * PROGRAM-YYYYmmdd-HHMMSS-PID; the symbolic link `latest` names the newest.
 */
#ifndef RETHREAD_STORE_H
#define RETHREAD_STORE_H

#include "base/base.h"

/* The folder of all traces; malloc'ed. Dies when there is neither XDG_DATA_HOME nor HOME. */
char *traces_root(void);

/* The name of a new trace of `program`, run number `run` of this process; malloc'ed path, not created. */
char *traces_new(const char *program, unsigned long run);

/*
 * The trace the user means: NULL is the latest, a word without a slash one in the folder (or else a
 * directory here), anything else a path. Malloc'ed absolute path of a directory, or NULL.
 */
char *traces_find(const char *name, struct error *err);

/* Is it a directory of the folder of traces? */
bool traces_holds(const char *dir);

/* Make `latest` name this trace; only a warning when that cannot be done, and nothing where there is no folder of traces. */
void traces_set_latest(const char *dir);

/* Names of all traces in the folder, newest first; returns how many, *names is malloc'ed. */
size_t traces_list(char ***names);

/*
 * A trace that is being recorded is held, so that nobody removes it meanwhile: by a descriptor, which also the recording process's
 * death gives up (-1 where that cannot be).
 */
int trace_hold(const char *dir);
bool trace_is_held(const char *dir);

/* After traces were removed, `latest` may lead nowhere: let it name the newest that is left. */
void traces_mend_latest(void);

#endif
