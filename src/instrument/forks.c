/* Programs with handlers of forks: who forks calls them (src/library/forks.c). */
#include "instrument/pass.h"

static void turn(LLVMModuleRef m, const char *name, const char *with_handlers)
{
	LLVMValueRef plain = LLVMGetNamedFunction(m, name), all = LLVMGetNamedFunction(m, with_handlers);
	if (!plain || !all || !LLVMIsDeclaration(plain) || LLVMIsDeclaration(all))
		return;
	for (LLVMUseRef u = LLVMGetFirstUse(plain), next; u; u = next) {
		LLVMValueRef call = LLVMGetUser(u);
		next = LLVMGetNextUse(u);
		if (LLVMIsAInstruction(call) && is_call(call) && LLVMGetCalledValue(call) == plain &&
		    LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)) != all) /* what is called is the last operand */
			LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, all);
	}
}

void forks_turn(LLVMModuleRef m)
{
	turn(m, "fork", "rethread_fork");
	turn(m, "daemon", "rethread_daemon");
}
