/*
 * Partial links (-r). The object that comes out has bitcode again, like any other of rethread cc's, unless one that went in has none.
 */
#ifndef RETHREAD_CC_RELOCATABLE_H
#define RETHREAD_CC_RELOCATABLE_H

#include "cc/job.h"

/* Link as `job' says. Returns the exit status. */
int relocatable_link(const struct job *job, const char *tmp, bool verbose);

#endif
