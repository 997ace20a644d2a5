/* What comes out the same wherever it is computed, from the same operands: tables for recompute.c. */
#ifndef RETHREAD_EXACT_H
#define RETHREAD_EXACT_H

#include "instrument/pass.h"

/* Is the intrinsic's result the same on every machine? */
bool exact_intrinsic(LLVMValueRef intrinsic);
/* The same of a function of the C library, whose result depends on its parameters only. */
bool exact_function(LLVMValueRef function);
/* The result depends on nothing but the parameters and the text or memory that they lead to, which is only read. */
bool exact_reader(LLVMValueRef call);
/*
 * The same of what the call writes, as text, to where its parameter *to leads, and of its result: a copy, or what a format makes of numbers and text. It only reads
 * what the others lead to.
 */
bool exact_writer(LLVMValueRef call, unsigned *to);
/* Of the function's result only the sign is defined, or whether it is 0; the rest is as the C library of the machine likes it. */
bool exact_in_sign_only(LLVMValueRef function);
/* Of a floating point number to an integer: is what is out of range as the executor has it (floats.h)? */
bool exact_conversion(LLVMValueRef conversion);

#endif
