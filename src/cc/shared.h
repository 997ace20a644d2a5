/*
 * Shared libraries. The library itself is linked as clang does, and runs anywhere. Besides, sections that are not loaded keep what
 * it takes to link the same code into a program instead (include/rethread/instrument.h, RT_SECTION_SHARED...):
 * the objects' bitcode, merged into one module in which everything that the library does not export is internal, as it is outside
 * of the library; and objects without bitcode. substitute.h makes use of it.
 */
#ifndef RETHREAD_CC_SHARED_H
#define RETHREAD_CC_SHARED_H

#include "cc/job.h"

/* Link as `job' says. A library that cannot be linked into programs gets a warning at most. Returns the exit status. */
int shared_link(const struct job *job, const char *tmp, bool verbose);

/*
 * Libraries that stay what they are, by the environment: RETHREAD_KEEP_SHARED=all, or names of libraries (as in DT_NEEDED, or of the
 * files) with colons between them; `none' instead of a name: not even those that the program may load by name. With name NULL: are all kept?
 */
bool shared_is_kept(const char *name);

/* Priority of constructors in RT_SECTION_SHARED's text; 0 when it does not say. */
unsigned shared_priority(const char *text);
/* The next line "needed SONAME PATH" of the text: both malloc'ed. False at the end; *at is 0 at first. */
bool shared_needed(const char *text, size_t *at, char **soname, char **path);

#endif
