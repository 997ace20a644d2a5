/*
 * What x86's flags say after a locked update in inline assembly (assembly.c): `lock; decl %0; sete %1`, an output "=@ccc".
 */
#ifndef RETHREAD_CONDITIONS_H
#define RETHREAD_CONDITIONS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

/* Each is followed by its contrary. */
enum condition { NO_CONDITION, IF_ZERO, IF_NOT_ZERO, IF_NEGATIVE, IF_NOT_NEGATIVE, IF_CARRY, IF_NO_CARRY };

/* "z", "nae", ...: the letters behind `set` and "@cc"; NO_CONDITION: not known. */
enum condition condition_named(const char *letters, size_t n);

/*
 * After `old OPERATION operand`, all of one type of numbers, whose result is computed here once more, as a number of one bit.
 * What carry means is told only of additions and subtractions.
 */
LLVMValueRef condition_build(LLVMBuilderRef b, enum condition condition, LLVMAtomicRMWBinOp operation, LLVMValueRef old,
			     LLVMValueRef operand);

#endif
