/* Lines of source files, to be quoted. */
#ifndef RETHREAD_CLI_SOURCE_H
#define RETHREAD_CLI_SOURCE_H

#include "base/base.h"

/*
 * The line that "FILE:LINE" names, without the blanks around it; malloc'ed, NULL when the file is not found. A relative
 * name, without "../" before it, is looked for in the current folder and those above it, then in those of `program`, an absolute
 * path: compilers give names relative to where they ran.
 */
char *source_line(const char *where, const char *program);

#endif
