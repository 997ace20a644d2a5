/*
 * Locks that are chosen by a number from an array of locks. An address is followed back to where it is computed: through
 * local variables, choices, members, and results of the module's own functions. It need not come from an
 * array on all ways: being wrong here costs time only (addresses.h).
 */
#include "instrument/addresses.h"

#include <llvm-c/Target.h>

enum { DEEPEST = 8 };

/* A lock, perhaps in a structure that gives it a cache line of its own? */
static bool is_only_a_lock(LLVMTargetDataRef target, LLVMTypeRef type, unsigned size)
{
	if (LLVMABISizeOfType(target, type) == size)
		return true;
	if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
		return false;
	unsigned locks = 0;
	for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
		LLVMTypeRef member = LLVMStructGetTypeAtIndex(type, i);
		bool pads = LLVMGetTypeKind(member) == LLVMArrayTypeKind &&
			    LLVMGetTypeKind(LLVMGetElementType(member)) == LLVMIntegerTypeKind;
		if (!pads && !is_only_a_lock(target, member, size))
			return false;
		locks += !pads;
	}
	return locks == 1;
}

/* The element of an array that the address is computed to be in; NULL: nothing is computed. */
static LLVMTypeRef computed_element(LLVMValueRef gep)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep), found = NULL;
	for (int i = 1; i < LLVMGetNumOperands(gep) && type; i++) {
		LLVMValueRef index = LLVMGetOperand(gep, (unsigned)i);
		bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
		if (i > 1 && is_struct)
			type = LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index));
		else if (i > 1)
			type = LLVMGetTypeKind(type) == LLVMArrayTypeKind ? LLVMGetElementType(type) : NULL;
		if (!LLVMIsAConstantInt(index))
			found = type;
	}
	return found;
}

static bool is_chosen(LLVMTargetDataRef target, LLVMValueRef at, unsigned size, int depth);

static bool is_stored_chosen(LLVMTargetDataRef target, LLVMValueRef variable, unsigned size, int depth)
{
	for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable &&
		    is_chosen(target, LLVMGetOperand(user, 0), size, depth))
			return true;
	}
	return false;
}

static bool is_returned_chosen(LLVMTargetDataRef target, LLVMValueRef f, unsigned size, int depth)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		if (LLVMGetInstructionOpcode(end) == LLVMRet && LLVMGetNumOperands(end) == 1 &&
		    is_chosen(target, LLVMGetOperand(end, 0), size, depth))
			return true;
	}
	return false;
}

static bool is_chosen(LLVMTargetDataRef target, LLVMValueRef at, unsigned size, int depth)
{
	if (!LLVMIsAInstruction(at) || depth >= DEEPEST)
		return false;
	if (LLVMIsAGetElementPtrInst(at)) {
		LLVMTypeRef element = computed_element(at);
		return element ? is_only_a_lock(target, element, size)
			       : is_chosen(target, LLVMGetOperand(at, 0), size, depth + 1);
	}
	if (LLVMIsALoadInst(at))
		return LLVMIsAAllocaInst(LLVMGetOperand(at, 0)) &&
		       is_stored_chosen(target, LLVMGetOperand(at, 0), size, depth + 1);
	if (LLVMIsASelectInst(at))
		return is_chosen(target, LLVMGetOperand(at, 1), size, depth + 1) ||
		       is_chosen(target, LLVMGetOperand(at, 2), size, depth + 1);
	LLVMValueRef callee = is_call(at) ? direct_callee(at) : NULL;
	return callee && is_instrumented(callee) && is_returned_chosen(target, callee, size, depth + 1);
}

bool stripes_has(LLVMValueRef lock, unsigned size)
{
	if (!LLVMIsAInstruction(lock))
		return false;
	LLVMModuleRef m = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(lock)));
	return is_chosen(LLVMGetModuleDataLayout(m), lock, size, 0);
}
