/*
 * Variables whose addresses a program may round, or look at the lowest bits of: does a table begin a cache line, is a buffer aligned for vectors?
 * They lie elsewhere in the twin than in the recorded program. So in a program that asks such things, variables of a cache line or more begin one in
 * both. Up to sixteen bytes compilers align them anyway.
 */
#include "instrument/shared.h"

enum { LINE = 64, ALIGNED_ANYWAY = 16 };

/* Are these, of an address, bits that depend on where a variable happens to lie? */
static bool is_telling(LLVMValueRef mask)
{
	return !LLVMIsAConstantInt(mask) || LLVMConstIntGetZExtValue(mask) >= ALIGNED_ANYWAY;
}

static bool asks(LLVMValueRef i)
{
	if (LLVMGetInstructionOpcode(i) != LLVMAnd)
		return false;
	LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
	return (pointer_of_number(a) && is_telling(b)) || (pointer_of_number(b) && is_telling(a));
}

static bool any_asks(LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (asks(i))
					return true;
	return false;
}

/* Those in sections of the program's own may be the elements of a table; nobody asks where constants without an address of their own lie. */
static bool may_move(LLVMValueRef v)
{
	const char *section = LLVMGetSection(v);
	return !LLVMIsDeclaration(v) && !LLVMIsThreadLocal(v) && !(section && *section) && LLVMGetLinkage(v) != LLVMAppendingLinkage &&
	       !(LLVMIsGlobalConstant(v) && LLVMGetUnnamedAddress(v) == LLVMGlobalUnnamedAddr);
}

void aligned_turn(LLVMModuleRef m)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(m);
	if (!any_asks(m))
		return;
	for (LLVMValueRef v = LLVMGetFirstGlobal(m); v; v = LLVMGetNextGlobal(v))
		if (may_move(v) && LLVMABISizeOfType(layout, LLVMGlobalGetValueType(v)) >= LINE && LLVMGetAlignment(v) < LINE)
			LLVMSetAlignment(v, LINE);
}
