/*
 * Calls of the runtime in the middle of hot code, once in a thousand branches, that change no register: neither general ones nor
 * those of vectors. To the code generator such a call is an instruction that it does not know and that uses memory and flags, so what is
 * around it keeps all its values where they are. (Its own conventions of this kind, preserve_most and preserve_all, spare r11, which is then not kept over the call.
 * And to name the registers that the instruction changes takes the code generator longer than all else about it: it looks each of them up among all that there
 * are, by name.)
 *
 * The caller has no red zone (attribute noredzone); its stack need not be aligned.
 */
#ifndef RETHREAD_INSTRUMENT_KEEPING_H
#define RETHREAD_INSTRUMENT_KEEPING_H

#include <llvm-c/Core.h>

/* At the builder's place, in function `caller`: calls the runtime's function of that name, which takes and returns nothing, by preserve_most. */
void call_keeping(LLVMBuilderRef b, LLVMValueRef caller, const char *name);

#endif
