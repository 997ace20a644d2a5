/* Checksums in inline assembly (checksums.c). */
#ifndef RETHREAD_CHECKSUMS_H
#define RETHREAD_CHECKSUMS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/* Puts what means the same in the place of `call`, if all of its text is checksums. */
bool checksum_turn(LLVMModuleRef m, LLVMValueRef call);

#endif
