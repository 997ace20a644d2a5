/*
 * Inputs (inputs.def) as inference sees them: what a call returned and wrote is in the log, and the executor answers it from there.
 *
 * Where that is exactly what the recorded run got, it is known (recompute.c). Not so: pointers that are returned, which are the twin's own; memory
 * that the line of the table finds by more than a parameter's name, or of which it cannot say how much was written; fread of elements of
 * several bytes, the last of which may have come in part.
 */
#ifndef RETHREAD_GIVEN_H
#define RETHREAD_GIVEN_H

#include "instrument/pass.h"

/* The function's line in the table, from 1; 0: it is not there. */
uint32_t given_line(LLVMValueRef function);

/* Is the result the number that the log has? */
bool given_result(uint32_t line);

enum given_memory {
	GIVEN_UNKNOWN, /* nothing is said of it */
	GIVEN_EXACTLY, /* all that was written there is in the log */
	GIVEN_HEARD,   /* the same, but words that the program sent itself, if they look like addresses, are changed (src/replay/words.c) */
};
enum given_memory given_memory(uint32_t line, LLVMValueRef call, unsigned argument);
/* May the call hand on what this argument leads to, so that words which are heard later are changed to what is there? */
bool given_notes(uint32_t line, LLVMValueRef call, unsigned argument);
/* May any call of the function? */
bool given_hands_on(uint32_t line);

#endif
