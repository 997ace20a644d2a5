/*
 * Objects without bitcode in a link: assembly, foreign objects, members of foreign archives.
 */
#ifndef RETHREAD_CC_NATIVE_H
#define RETHREAD_CC_NATIVE_H

#include "cc/job.h"

/*
 * `file' is a line of the linker's --trace: a file, or ARCHIVE(MEMBER). It is added to the list if it is an object without bitcode that
 * was the user's: not clang's start files and support libraries, which every link gets.
 */
void native_add(strings *objects, const char *file);

/* The same list as files: members of archives are extracted to `tmp', and those that have bitcode left out. */
bool native_unpack(const strings *objects, const char *tmp, strings *files, struct error *err);

/* One relocatable object of all in the list. Fails also for what cannot be moved to another link: constructors. */
bool native_join(const strings *objects, const char *linker, const char *tmp, const char *to, struct error *err);

#endif
