/*
 * Files that are mapped into memory and shared: what a system call writes to such a file shows in memory, too, and
 * belongs to what the call did (inputs.def, OUT_FILE). Both runtimes keep account of mappings here: the one that
 * records by the file, the twin by the address in the recorded run, for which its own memory stands.
 */
#ifndef RETHREAD_RT_MAPPED_H
#define RETHREAD_RT_MAPPED_H

#include "rt/inputs.h"

#pragma GCC visibility push(hidden)

/* mmap returned AT. Whatever was mapped there before is gone; the file is remembered where the mapping is shared. */
void mapped_add(void *at, size_t n, int flags, int fd, off_t from);

/*
 * N bytes of the pieces were written to the file, at FROM or, where that is negative, before its position: calls
 * `found` for those that now show in memory at AT.
 */
typedef void mapped_found(void *data, uint64_t at, const void *bytes, size_t n);
void mapped_each(int fd, const struct iovec *v, size_t count, int64_t n, off_t from, mapped_found *found, void *data);

/* The twin: what was mapped at `recorded` lies at `own`. */
void mapped_pair(uint64_t recorded, void *own, size_t n, int prot);
/* The twin's place of N recorded bytes, and what it is mapped for; or NULL. */
void *mapped_own(uint64_t recorded, size_t n, int *prot);

#pragma GCC visibility pop

#endif
