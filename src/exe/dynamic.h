/*
 * What the dynamic linker reads of an executable or a shared library: name, libraries needed, symbols.
 *
 *     struct dynamic d;
 *     if (dynamic_read(&d, path)) { ... dynamic_release(&d); }
 */
#ifndef RETHREAD_EXE_DYNAMIC_H
#define RETHREAD_EXE_DYNAMIC_H

#include "base/base.h"

struct dynamic_symbol {
	const char *name;
	bool defined;
	bool strong; /* STB_GLOBAL: no inline function, no weak definition */
};

struct dynamic {
	const char *soname;  /* or NULL */
	const char *runpath; /* DT_RUNPATH or DT_RPATH, or NULL */
	bool symbolic;       /* its own definitions come first for it */
	vec(const char *) needed;
	vec(struct dynamic_symbol) symbols;
	char *text;          /* owns the strings */
};

/* False when the file is no 64-bit ELF file of type DYN or EXEC with a dynamic section. */
bool dynamic_read(struct dynamic *d, const char *path);
void dynamic_release(struct dynamic *d);

/* Does it define, or only use, a symbol of that name? */
bool dynamic_defines(const struct dynamic *d, const char *name);
bool dynamic_uses(const struct dynamic *d, const char *name);
bool dynamic_needs(const struct dynamic *d, const char *soname);

#endif
