/* Loops whose rounds are counted: see rounds.c. */
#ifndef RETHREAD_INSTRUMENT_ROUNDS_H
#define RETHREAD_INSTRUMENT_ROUNDS_H

#include "instrument/pass.h"

enum {
	ROUNDS_MOST = 254, /* branches that stayed, for one entry of 8 bits */
	ROUNDS_MORE = 255, /* as many as PASS_ROUNDS_METADATA says, and the loop goes on */
};

/* Finds them once all else has its metadata; their branches go from n->branches to n->counted. */
void rounds_find(LLVMModuleRef m, struct numbering *n);

/* An append of 8 bits, of a number below 256 (i32), at the end of a block. */
typedef void rounds_append(void *data, LLVMValueRef end, LLVMValueRef number);
/* Counts the rounds of the function's loops. */
void rounds_instrument(LLVMValueRef function, LLVMBuilderRef b, rounds_append *append, void *data);

#endif
