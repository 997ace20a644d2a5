/* Instructions that may run while the program has several threads. */
#ifndef RETHREAD_PARALLEL_H
#define RETHREAD_PARALLEL_H

#include "instrument/pass.h"
#include "instrument/shared.h"

struct parallel;
/* `sure` NULL: a guess. Else an instruction that parallel_is denies never runs while there are several threads. */
struct parallel *parallel_analyze(LLVMModuleRef m, struct llvm_library *sure);
struct points_to;
/* Once it is known who calls whom by address: destructors in virtual tables run when main calls them. */
void parallel_refine(struct parallel *p, LLVMModuleRef m, const struct points_to *points_to);
bool parallel_is(const struct parallel *p, LLVMValueRef instruction);
/* Is it main, which nobody calls, and is there no other thread when it returns, so that no thread finds what others have in the place of its variables? */
bool parallel_is_alone_behind(const struct parallel *p, LLVMValueRef function);
void parallel_free(struct parallel *p);

#endif
