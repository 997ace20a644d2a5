/*
 * Computed gotos (`goto *labels[op]`, the dispatch of many interpreters) become switches, which are recorded and executed like others: the address of a label
 * becomes a number. What else programs make of such addresses, tables of differences between two of them, is the same with numbers.
 */
#include "instrument/pass.h"

#include <llvm-c/DebugInfo.h>

struct labels {
	struct map numbers;
	uint32_t last;
};

static uint32_t number_of(struct labels *l, LLVMBasicBlockRef label, LLVMTypeRef word)
{
	uint32_t number = map_get(&l->numbers, label);
	if (number)
		return number;
	LLVMValueRef address = LLVMBlockAddress(LLVMGetBasicBlockParent(label), label);
	map_set(&l->numbers, label, ++l->last);
	LLVMReplaceAllUsesWith(address, LLVMConstIntToPtr(LLVMConstInt(word, l->last, 0), LLVMTypeOf(address)));
	return l->last;
}

/* Then the edge has a number that nobody has: the switch keeps all edges, and phis their entries. */
static bool comes_before(LLVMValueRef jump, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (LLVMGetSuccessor(jump, k) == LLVMGetSuccessor(jump, i))
			return true;
	return false;
}

static void turn(LLVMValueRef jump, struct labels *l)
{
	LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(jump));
	LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(f));
	LLVMTypeRef word = LLVMInt64TypeInContext(c);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
	unsigned n = LLVMGetNumSuccessors(jump);
	LLVMBasicBlockRef nowhere = LLVMAppendBasicBlockInContext(c, f, "");
	LLVMPositionBuilderAtEnd(b, nowhere);
	LLVMBuildUnreachable(b);
	LLVMPositionBuilderBefore(b, jump);
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(jump));
	LLVMValueRef to = LLVMBuildSwitch(b, LLVMBuildPtrToInt(b, LLVMGetOperand(jump, 0), word, ""), nowhere, n);
	for (unsigned i = 0; i < n; i++)
		LLVMAddCase(to, LLVMConstInt(word, comes_before(jump, i) ? ++l->last : number_of(l, LLVMGetSuccessor(jump, i), word), 0),
			    LLVMGetSuccessor(jump, i));
	LLVMInstructionEraseFromParent(jump);
	LLVMDisposeBuilder(b);
}

void gotos_turn(LLVMModuleRef m)
{
	struct labels labels = {0};
	struct values jumps = {0};
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
			if (LLVMIsAIndirectBrInst(LLVMGetBasicBlockTerminator(block)))
				values_push(&jumps, LLVMGetBasicBlockTerminator(block));
	for (size_t i = 0; i < jumps.n; i++)
		turn(jumps.at[i], &labels);
	values_free(&jumps);
	map_free(&labels.numbers);
}
