#include "instrument/frozen.h"

#include "instrument/flow.h"
#include "instrument/shared.h"

/* Instructions that are followed, one behind the other. */
enum { STEPS = 5 };

struct frozen {
	struct flow flow; /* of the function */
	LLVMBasicBlockRef at;
};

/* Has the program branched on what is computed of it, when it comes there? What has no value must not be branched on. */
static bool is_branched_on(const struct frozen *f, LLVMValueRef v, int steps)
{
	for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		switch (LLVMGetInstructionOpcode(user)) {
		case LLVMBr:
		case LLVMSwitch:
			if (LLVMGetInstructionParent(user) != f->at && flow_dominates(&f->flow, LLVMGetInstructionParent(user), f->at))
				return true;
			break;
		case LLVMAdd: case LLVMSub: case LLVMZExt: case LLVMSExt: case LLVMICmp:
			if (steps && is_branched_on(f, user, steps - 1))
				return true;
			break;
		default:
			break;
		}
	}
	return false;
}

static bool are_operands_defined(const struct frozen *f, LLVMValueRef i, int steps);

static bool is_defined(const struct frozen *f, LLVMValueRef v, int steps)
{
	if (llvm_is_never_undefined(v))
		return true;
	if (!LLVMIsAInstruction(v))
		return LLVMIsAArgument(v) && is_branched_on(f, v, STEPS);
	return is_branched_on(f, v, STEPS) || (steps && are_operands_defined(f, v, steps - 1));
}

/* Of what only computes: a number that does not fit is what the machine makes of it, and the executor as well. */
static bool are_operands_defined(const struct frozen *f, LLVMValueRef i, int steps)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMAnd: case LLVMOr: case LLVMXor:
	case LLVMTrunc: case LLVMZExt: case LLVMSExt: case LLVMICmp: case LLVMSelect:
		break;
	case LLVMCall:
		if (direct_callee(i) && (name_begins(direct_callee(i), "llvm.smax.") || name_begins(direct_callee(i), "llvm.smin.") ||
					 name_begins(direct_callee(i), "llvm.umax.") || name_begins(direct_callee(i), "llvm.umin.")))
			return is_defined(f, LLVMGetOperand(i, 0), steps) && is_defined(f, LLVMGetOperand(i, 1), steps);
		return false;
	default:
		return false;
	}
	for (int k = 0; k < LLVMGetNumOperands(i); k++)
		if (!is_defined(f, LLVMGetOperand(i, (unsigned)k), steps))
			return false;
	return true;
}

/* `there && value < limit` in one condition: what has no value counts only where there is one. */
static bool is_guarded(LLVMValueRef condition)
{
	for (LLVMUseRef u = LLVMGetFirstUse(condition); u; u = LLVMGetNextUse(u)) {
		LLVMOpcode user = LLVMGetInstructionOpcode(LLVMGetUser(u));
		if (user != LLVMAnd && user != LLVMOr && (user != LLVMSelect || LLVMGetOperand(LLVMGetUser(u), 0) == condition))
			return false;
	}
	return LLVMGetTypeKind(LLVMTypeOf(condition)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(condition)) == 1;
}

/* Neither takes a look at how control comes there. */
static bool is_plain(LLVMValueRef freeze)
{
	return llvm_is_never_undefined(LLVMGetOperand(freeze, 0)) || is_guarded(freeze);
}

static void find_in(LLVMValueRef function, struct map *defined)
{
	struct frozen f = {0};
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (!LLVMIsAFreezeInst(i))
				continue;
			if (!is_plain(i) && !f.flow.n)
				flow_find(&f.flow, function);
			f.at = b;
			if (is_plain(i) || is_defined(&f, LLVMGetOperand(i, 0), STEPS))
				map_set(defined, i, 1);
		}
	if (f.flow.n)
		flow_release(&f.flow);
}

void frozen_find(LLVMModuleRef m, struct map *defined)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (is_instrumented(f))
			find_in(f, defined);
}
