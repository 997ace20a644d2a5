/* Calls of functions outside of the module, as scheme rw sees them. library.c says how it works. */
#ifndef RETHREAD_LIBRARY_H
#define RETHREAD_LIBRARY_H

#include "replay/twin.h"

/* A call at hand. line: of externals.def, from 1, or RT_LIBRARY_UNKNOWN; 0: there is none. */
struct library_call {
	uint32_t line;
	uint64_t nparameters;
	const uint64_t *parameters;
};

/* May the call touch memory that nobody can name before it, or has the library a state of its own that others use too? */
bool library_reaches_anything(const struct library_call *c);
/*
 * Otherwise: names the memory of the call (recorder_touches) before it. Returns a number that tells it apart, as
 * library_extent does later: another one where the memory has changed so that the call touches other parts of it.
 */
uint64_t library_begins(struct twin_thread *self, const struct library_call *c);
uint64_t library_extent(const struct library_call *c);
/* Names what is ordered only once the call is done. */
void library_ends(struct twin_thread *self, const struct library_call *c);

/* Stands for whatever standard output and error are: who shows something touches it. */
extern uint64_t library_output;

#endif
