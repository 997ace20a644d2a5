/*
 * The instrumented link: one linker job of clang's becomes a recorded program that carries its
 * annotated bitcode and its twin (include/rethread/instrument.h).
 */
#ifndef RETHREAD_CC_LINK_H
#define RETHREAD_CC_LINK_H

#include "cc/job.h"

/* Is this job the linker? */
bool link_is_link(const struct job *job);

/*
 * Link as `job` says, in the temporary directory `tmp`; complaints go to stderr. Returns the exit
 * status. Shared libraries are made so that programs can take them in (shared.h, substitute.h). What cannot be
 * instrumented is linked as it is, with a warning.
 */
int link_program(struct job *job, const char *tmp, bool verbose);

#endif
