/*
 * Numbers that are made of a thread's identity. A pthread_t is an address, another one in each run, and so is its hash, by which
 * std::barrier chooses where a thread arrives and sharded counters their shard. So such numbers are inputs: what they were in the recorded run.
 */
#include "instrument/pass.h"

#include <llvm-c/DebugInfo.h>

enum { IDENTITY_SIZE = 8 };

static bool is_arithmetic(LLVMValueRef user)
{
	switch (LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : LLVMRet) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMUDiv:
	case LLVMURem:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAnd:
	case LLVMXor:
	case LLVMTrunc:
		return true;
	default:
		return false;
	}
}

/* An identity that is compared, kept or handed on has to be the thread's own. */
static bool takes_number(LLVMValueRef user, bool identity)
{
	return !identity || is_arithmetic(user);
}

/* Of a pthread_t or a std::thread::id: strings have no constant size, numbers are no reason to worry. */
static bool hashes_identity(LLVMValueRef call)
{
	LLVMValueRef size = LLVMGetNumArgOperands(call) == 3 ? LLVMGetOperand(call, 1) : NULL;
	return size && LLVMIsAConstantInt(size) && LLVMConstIntGetZExtValue(size) == IDENTITY_SIZE;
}

static const struct source {
	const char *function;
	bool identity; /* is what it returns, not yet a number */
	bool (*applies)(LLVMValueRef call); /* NULL: to all calls */
} sources[] = {
	{"pthread_self", true, NULL},
	{"_ZNKSt4hashINSt6thread2idEEclERKS1_", false, NULL}, /* std::hash<std::thread::id>, where it is not inlined */
	{"_ZSt11_Hash_bytesPKvmm", false, hashes_identity},   /* what it calls */
};

/* The first instruction that comes after the call and after nothing else, or NULL. */
static LLVMValueRef place_behind(LLVMValueRef call)
{
	if (LLVMIsACallInst(call))
		return LLVMGetNextInstruction(call);
	LLVMBasicBlockRef next = LLVMIsAInvokeInst(call) ? LLVMGetNormalDest(call) : NULL;
	LLVMValueRef first = next ? LLVMGetFirstInstruction(next) : NULL;
	LLVMUseRef entry = next ? LLVMGetFirstUse(LLVMBasicBlockAsValue(next)) : NULL;
	bool alone = entry && !LLVMGetNextUse(entry);
	return alone && first && !LLVMIsAPHINode(first) ? first : NULL;
}

static bool is_source(LLVMValueRef call, LLVMValueRef f, const struct source *s)
{
	LLVMTypeRef type = LLVMTypeOf(call);
	return is_call(call) && direct_callee(call) == f && place_behind(call) && LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
	       LLVMGetIntTypeWidth(type) == 8 * IDENTITY_SIZE && (!s->applies || s->applies(call));
}

static LLVMValueRef number_of(LLVMModuleRef m, LLVMValueRef call)
{
	LLVMTypeRef type = LLVMTypeOf(call), f_type = LLVMFunctionType(type, &type, 1, false);
	LLVMValueRef f = LLVMGetNamedFunction(m, "rethread_number");
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	if (!f)
		f = LLVMAddFunction(m, "rethread_number", f_type);
	LLVMPositionBuilderBefore(b, place_behind(call));
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
	LLVMValueRef number = LLVMBuildCall2(b, f_type, f, &call, 1, "");
	LLVMDisposeBuilder(b);
	return number;
}

static void turn(LLVMModuleRef m, LLVMValueRef call, bool identity)
{
	struct values users = {0};
	for (LLVMUseRef u = LLVMGetFirstUse(call); u; u = LLVMGetNextUse(u))
		if (takes_number(LLVMGetUser(u), identity))
			values_push(&users, LLVMGetUser(u));
	LLVMValueRef number = users.n ? number_of(m, call) : NULL;
	for (size_t i = 0; i < users.n; i++)
		for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(users.at[i]); k++)
			if (LLVMGetOperand(users.at[i], k) == call)
				LLVMSetOperand(users.at[i], k, number);
	values_free(&users);
}

void identities_turn(LLVMModuleRef m)
{
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
		LLVMValueRef f = LLVMGetNamedFunction(m, sources[i].function);
		struct values calls = {0};
		for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL; u; u = LLVMGetNextUse(u))
			if (is_source(LLVMGetUser(u), f, &sources[i]))
				values_push(&calls, LLVMGetUser(u));
		for (size_t k = 0; k < calls.n; k++)
			turn(m, calls.at[k], sources[i].identity);
		values_free(&calls);
	}
}
