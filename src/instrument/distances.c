/*
 * What the optimiser makes of pointers that are counted on until they come to an end: p + (e - p), also in steps of which none is a place of the object, is e
 * again, so that analyses see where it leads.
 */
#include "instrument/pass.h"

/* A pointer as a sum: of one pointer and the numbers of others. */
struct sum {
	LLVMValueRef base;
	LLVMValueRef plus, minus; /* pointers; NULL: none */
	int64_t constant;
	bool other; /* there is more in it */
};

enum { MOST_STEPS = 8 };

static void add_number(struct sum *s, LLVMValueRef v, bool negative, int steps)
{
	LLVMValueRef *side = negative ? &s->minus : &s->plus;
	if (LLVMIsAConstantInt(v)) {
		uint64_t n = LLVMConstIntGetZExtValue(v);
		s->constant = (int64_t)((uint64_t)s->constant + (negative ? -n : n));
	} else if (LLVMIsAPtrToIntInst(v) && !*side) {
		*side = LLVMGetOperand(v, 0);
	} else if (steps && LLVMIsAInstruction(v) && (LLVMGetInstructionOpcode(v) == LLVMAdd || LLVMGetInstructionOpcode(v) == LLVMSub)) {
		add_number(s, LLVMGetOperand(v, 0), negative, steps - 1);
		add_number(s, LLVMGetOperand(v, 1), negative ^ (LLVMGetInstructionOpcode(v) == LLVMSub), steps - 1);
	} else {
		s->other = true;
	}
}

static bool counts_bytes(LLVMModuleRef m, LLVMValueRef v)
{
	return LLVMIsAGetElementPtrInst(v) && LLVMGetNumOperands(v) == 2 && LLVMGetGEPSourceElementType(v) == int_type(m, 8) &&
	       LLVMTypeOf(LLVMGetOperand(v, 1)) == int_type(m, 64) && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

static struct sum sum_of(LLVMModuleRef m, LLVMValueRef pointer)
{
	struct sum s = {.base = pointer};
	for (int steps = MOST_STEPS; steps && !s.other && !(s.plus && s.minus) && counts_bytes(m, s.base); steps--) {
		add_number(&s, LLVMGetOperand(s.base, 1), false, steps);
		s.base = LLVMGetOperand(s.base, 0);
	}
	return s;
}

static bool turn_one(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef pointer)
{
	struct sum s = sum_of(m, pointer);
	if (s.other || !s.plus || s.minus != s.base)
		return false;
	LLVMValueRef end = s.plus, by = int_value(m, 64, (uint64_t)s.constant);
	build_before(b, pointer);
	if (s.constant)
		end = LLVMBuildGEP2(b, int_type(m, 8), end, &by, 1, "");
	LLVMReplaceAllUsesWith(pointer, end);
	return true;
}

static bool is_left_over(LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	return !LLVMGetFirstUse(i) && (op == LLVMGetElementPtr || op == LLVMPtrToInt || op == LLVMAdd || op == LLVMSub);
}

/* Of the block, from its end. */
static bool drop_left_over(LLVMBasicBlockRef block)
{
	bool any = false;
	for (LLVMValueRef i = LLVMGetLastInstruction(block), before; i; i = before) {
		before = LLVMGetPreviousInstruction(i);
		if (!is_left_over(i))
			continue;
		LLVMInstructionEraseFromParent(i);
		any = true;
	}
	return any;
}

static void turn_function(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef f)
{
	bool changed = false;
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
			changed |= counts_bytes(m, i) && turn_one(m, b, i);
	while (changed) {
		changed = false;
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
			changed |= drop_left_over(block);
	}
}

void distances_turn(LLVMModuleRef m)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (is_instrumented(f))
			turn_function(m, b, f);
	LLVMDisposeBuilder(b);
}
