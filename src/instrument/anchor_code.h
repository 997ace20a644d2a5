/*
 * What an anchor (anchors.c) is in the kept module: the number goes through a function that branches on its digits and puts it together again from constants.
 */
#ifndef RETHREAD_ANCHOR_CODE_H
#define RETHREAD_ANCHOR_CODE_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/*
 * Everybody who uses the integer, of up to 64 bits, gets what an anchor makes of it. `repeats`: it mostly is what it was the time before in the same run of its function; then
 * one branch tells that.
 */
void anchor_insert(LLVMModuleRef m, LLVMValueRef v, bool repeats);

#endif
