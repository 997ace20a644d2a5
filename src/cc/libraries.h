/*
 * The shared libraries that a program needs, directly or not, and which of them become part of it.
 */
#ifndef RETHREAD_CC_LIBRARIES_H
#define RETHREAD_CC_LIBRARIES_H

#include "cc/linker.h"
#include "exe/dynamic.h"

struct library {
	strings names;          /* as DT_NEEDED has it; a file without a name of its own can have several */
	char *path;             /* NULL: not found; then nothing else is known */
	struct dynamic dynamic;
	char *text;             /* RT_SECTION_SHARED: it is ours; else NULL */
	bool kept;              /* stays shared */
	bool placed;            /* is on the new command line (substitute.c) */
	size_t number;          /* in struct libraries */
	vec(size_t) needs;      /* by number */
};

struct libraries {
	linker_inputs inputs;   /* those on the program's command line */
	struct dynamic program; /* linked plainly */
	char *program_path;
	struct library **at;    /* in the order in which the dynamic linker would search them */
	size_t n, cap;
};

/* Is one of the inputs ours? Warns of those that were, but have lost their bitcode. */
bool libraries_any_ours(const struct libraries *all);
/* All that the program, linked plainly to the file `program', needs. False when that cannot be read. */
bool libraries_load(struct libraries *all, const strings *argv, const char *program);
/* Sets `kept', with a warning for each that nobody asked to keep. True when some are left. */
bool libraries_choose(struct libraries *all, bool verbose);
bool libraries_takes_in(const struct library *l);
/* May the program load libraries while it runs, as far as can be seen from it and from what it takes in? */
bool libraries_may_load(const struct libraries *all);
struct library *libraries_find(const struct libraries *all, const char *name);
void libraries_release(struct libraries *all);

#endif
