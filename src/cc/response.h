/*
 * Response files: arguments in a file, named as @FILE.
 */
#ifndef RETHREAD_CC_RESPONSE_H
#define RETHREAD_CC_RESPONSE_H

#include "cc/job.h"

/* Arguments of the kind @FILE are replaced by what is in the file; those whose file cannot be read stay. */
void response_expand(strings *argv);

/*
 * For a process that is about to execute argv: when that is too long for the kernel, {argv[0], "@/proc/self/fd/N"}, where N is a file
 * in memory with the other arguments; else argv itself.
 */
char **response_shorten(char **argv);

#endif
