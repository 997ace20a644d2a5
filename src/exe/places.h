/* Where the symbols of a recorded program lie (RT_SECTION_PLACES of include/rethread/instrument.h). */
#ifndef RETHREAD_PLACES_H
#define RETHREAD_PLACES_H

#include "base/base.h"

/*
 * Addresses of the symbols by number, as in the file, in *at (malloc'ed); 0: not in it. *n is 0 when the program has no
 * such table. False when the file cannot be read.
 */
bool places_read(const char *path, uint64_t **at, size_t *n, struct error *err);

#endif
