/*
 * The bitcode of a link's objects as one module that is not optimised yet: whoever overrides one of its functions later does so everywhere.
 * What the link does not export is internal in it.
 */
#ifndef RETHREAD_CC_MERGE_H
#define RETHREAD_CC_MERGE_H

#include "cc/job.h"

struct merge {
	const char *module; /* output: bitcode; no file when there is none in the objects */
	const char *trace;  /* output: the files of the link as the linker names them, a line each, ARCHIVE(MEMBER) for members */
	unsigned priority;  /* that constructors get; 0: as they are */
};

bool merge_bitcode(const struct merge *m, const struct job *job, bool verbose, struct error *err);

#endif
