/*
 * The sections rethread puts into an executable (include/rethread/instrument.h): zstd-compressed files
 * that are not loaded at run time. `rethread strip` moves them to a companion file (companion.h), where these
 * functions find them too.
 */
#ifndef RETHREAD_SECTIONS_H
#define RETHREAD_SECTIONS_H

#include "base/base.h"

struct new_section {
	const char *name;
	const char *file; /* its contents before compression */
};

/*
 * Append sections to the ELF file `path`, in place. Everything that was in the file stays where it was;
 * the ELF header is rewritten last, so that an interruption leaves a program that runs.
 */
bool sections_append(const char *path, const struct new_section *sections, size_t n,
		     struct error *err);

/* Does the file, or its companion, have the section? False also when it is no ELF file. */
bool sections_has(const char *path, const char *name);

/* Contents of a section, decompressed; malloc'ed. A missing section is an error that says what to do. */
bool sections_read(const char *path, const char *name, char **data, size_t *size, struct error *err);

#endif
