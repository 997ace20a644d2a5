/* Loops whose rounds are counted: see rounds.c. */
#ifndef RETHREAD_INSTRUMENT_ROUNDS_H
#define RETHREAD_INSTRUMENT_ROUNDS_H

#include "instrument/pass.h"

/* Finds them once all else has its metadata; their branches go from n->branches to n->counted. */
void rounds_find(LLVMModuleRef m, struct numbering *n);

/* An append of RT_ROUNDS_BITS bits of a number (i32), at the end of a block. */
typedef void rounds_append(void *data, LLVMValueRef end, LLVMValueRef number);
/* Counts the rounds of the function's loops. */
void rounds_instrument(LLVMValueRef function, LLVMBuilderRef b, rounds_append *append, void *data);

#endif
