/*
 * --fail-if: a shell command that gets a run's output on its standard input and exits 0 when the run is bad.
 */
#ifndef RETHREAD_PREDICATE_H
#define RETHREAD_PREDICATE_H

#include "base/base.h"

/* `output` is the file with what the run wrote; `status` its exit status. Warns when the command cannot run. */
bool predicate_holds(const char *command, const char *output, int status);

#endif
