/*
 * The companion of a stripped program: an ELF file with the program's build-id and the sections that `rethread strip`
 * took out of it. It is looked for in this order, and only one with the same build-id is taken:
 *   1. PROG.rethread, beside the program;
 *   2. ${XDG_DATA_HOME:-~/.local/share}/rethread/debug/xx/yyyy.rethread, xx and yyyy being the build-id in hex, its
 *      first byte and the others;
 *   3. /usr/lib/debug/.build-id/xx/yyyy.rethread.
 */
#ifndef RETHREAD_COMPANION_H
#define RETHREAD_COMPANION_H

#include "exe/elf_file.h"

/*
 * *e is an open program that lacks the section: put its companion into its place. False, with *e closed, when there is
 * none that has it.
 */
bool companion_open(struct elf *e, const char *section, struct error *err);

/* Place 1 or, with `store`, 2 of the companion of a program; malloc'ed, NULL when the program has no build-id. */
char *companion_path(const char *program, bool store, struct error *err);

/*
 * Move rethread's sections from the program to the file `companion`, which is written anew. Both change by renaming a
 * finished file: an interruption leaves the program as it was.
 */
bool companion_strip(const char *program, const char *companion, struct error *err);

#endif
