/*
 * `puts(sum == expected ? "fine" : "lost some")`: where optimisation makes a choice between two addresses of it, the numbers that are compared
 * would decide an address, and inference would have to find an interleaving with exactly the same sum. So choices that are handed to
 * code outside become branches again, of which the log has the outcome: that is all that matters of the numbers.
 */
#include "instrument/pass.h"

#include <llvm-c/DebugInfo.h>

static bool is_choice(LLVMValueRef v)
{
	return LLVMIsASelectInst(v) && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind && LLVMIsAInstruction(LLVMGetOperand(v, 0));
}

static void turn(LLVMValueRef choice)
{
	LLVMValueRef ends[2], values[2] = {LLVMGetOperand(choice, 1), LLVMGetOperand(choice, 2)};
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(choice)));
	llvm_unlikely_if_else(LLVMGetOperand(choice, 0), choice, &ends[0], &ends[1]);
	LLVMBasicBlockRef blocks[2] = {LLVMGetInstructionParent(ends[0]), LLVMGetInstructionParent(ends[1])};
	LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetInstructionParent(choice)));
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(choice));
	LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(choice), "");
	LLVMAddIncoming(phi, values, blocks, 2);
	LLVMReplaceAllUsesWith(choice, phi);
	LLVMInstructionEraseFromParent(choice);
	LLVMDisposeBuilder(b);
}

static void find_in_call(LLVMValueRef call, struct values *choices)
{
	LLVMValueRef callee = direct_callee(call);
	if (!callee || !LLVMIsDeclaration(callee) || LLVMGetIntrinsicID(callee))
		return;
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef v = LLVMGetOperand(call, i);
		bool known = !is_choice(v);
		for (size_t k = 0; k < choices->n && !known; k++)
			known = choices->at[k] == v;
		if (!known)
			values_push(choices, v);
	}
}

void choices_turn(LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		struct values choices = {0};
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
				if (is_call(i))
					find_in_call(i, &choices);
		for (size_t i = 0; i < choices.n; i++)
			turn(choices.at[i]);
		values_free(&choices);
	}
}
