/* Calls of functions outside of the module, as scheme rw sees them. library.c says how it works. */
#ifndef RETHREAD_LIBRARY_H
#define RETHREAD_LIBRARY_H

#include "replay/twin.h"

/* A call at hand. line: of externals.def, from 1; 0: of a function that is not there. */
struct library_call {
	uint32_t line;
	uint64_t nparameters;
	const uint64_t *parameters;
};

/* Names the memory of the call (recorder_touches) before it, and what is known of it only then, after it. */
void library_begins(struct twin_thread *self, const struct library_call *c);
void library_ends(struct twin_thread *self, const struct library_call *c);

/* Stands for whatever standard output and error are: who shows something touches it. */
extern uint64_t library_output;

#endif
