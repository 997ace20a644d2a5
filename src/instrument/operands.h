/*
 * Operands of inline assembly: how its text names them, and what they are (assembly.c, checksums.c).
 */
#ifndef RETHREAD_OPERANDS_H
#define RETHREAD_OPERANDS_H

#include "instrument/conditions.h"

enum { MOST_OPERANDS = 8 };

struct constraint {
	bool output, indirect;
	bool accumulator;
	enum condition flag;    /* output: this flag */
	int tied;               /* to the output of this number; -1: to none */
	LLVMValueRef argument;  /* NULL for what the assembly returns */
	unsigned index;         /* of the argument */
};

/* Past all characters of `what`. */
const char *operands_skip(const char *s, const char *end, const char *what);

/* Reads "$2" or "${2:b}"; NULL when something else is there. */
const char *operands_read(const char *s, const char *end, unsigned *number);

/* How much of the register the letter in "${2:b}" names; 0: there is none. */
unsigned operands_bits(const char *s, const char *end);

/* How many the call has; 0 when one is not understood. */
unsigned operands_of(LLVMValueRef call, struct constraint at[MOST_OPERANDS]);

/* The input that is tied to the output, or is the accumulator where that is; NULL: none. */
LLVMValueRef operands_input(const struct constraint *at, unsigned n, unsigned output);

/* Of 8 to 64 bits, a power of two. */
bool is_machine_number(LLVMTypeRef type);

/* Of the type that assembly returns: a structure of several, or the only one. */
LLVMTypeRef nth_result(LLVMTypeRef type, unsigned i);

#endif
