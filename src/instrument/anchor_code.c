#include "instrument/anchor_code.h"

#include "instrument/pass.h"

enum { DIGIT = 1 << PASS_ANCHOR_BITS, BYTE = 256 };

/* One of 0 .. n - 1, as the digit says: a constant. */
static LLVMValueRef build_digit(LLVMBuilderRef b, LLVMValueRef f, LLVMValueRef digit, unsigned n, LLVMBasicBlockRef next)
{
	LLVMModuleRef m = LLVMGetGlobalParent(f);
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMValueRef values[BYTE];
	LLVMBasicBlockRef blocks[BYTE];
	for (unsigned k = 0; k < n; k++) {
		values[k] = int_value(m, 64, k);
		blocks[k] = LLVMAppendBasicBlockInContext(context, f, "");
	}
	/* The k-th way is that of digit k: record.c relies on it. */
	LLVMValueRef choice = LLVMBuildSwitch(b, digit, blocks[0], n - 1);
	for (unsigned k = 0; k < n; k++) {
		if (k)
			LLVMAddCase(choice, int_value(m, 32, k), blocks[k]);
		LLVMPositionBuilderAtEnd(b, blocks[k]);
		LLVMBuildBr(b, next);
	}
	LLVMPositionBuilderAtEnd(b, next);
	LLVMValueRef phi = LLVMBuildPhi(b, int_type(m, 64), "");
	LLVMAddIncoming(phi, values, blocks, n);
	return phi;
}

static LLVMValueRef add_function(LLVMModuleRef m, const char *name)
{
	LLVMTypeRef i64 = int_type(m, 64);
	LLVMValueRef f = LLVMAddFunction(m, name, LLVMFunctionType(i64, &i64, 1, false));
	LLVMSetLinkage(f, LLVMInternalLinkage);
	add_attribute(f, "noinline", 0);
	add_attribute(f, "nounwind", 0);
	add_attribute(f, "uwtable", 2); /* the path's slow path may take a backtrace */
	return f;
}

/* i64 byte(i64 v): v, which is a byte, from constants. */
static LLVMValueRef byte_function(LLVMModuleRef m)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMValueRef f = add_function(m, PASS_ANCHOR_BYTE);
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(b, entry);
	LLVMBuildRet(b, build_digit(b, f, LLVMBuildTrunc(b, LLVMGetParam(f, 0), int_type(m, 32), ""), BYTE, end));
	LLVMDisposeBuilder(b);
	return f;
}

/* i64 anchor(i64 v): v, from constants, by branches on its digits, lowest first. */
static LLVMValueRef anchor_function(LLVMModuleRef m)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMTypeRef i64 = int_type(m, 64);
	LLVMValueRef f = add_function(m, PASS_ANCHOR);
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(b, entry);
	LLVMBuildBr(b, loop);
	LLVMPositionBuilderAtEnd(b, loop);
	LLVMValueRef rest = LLVMBuildPhi(b, i64, ""), weight = LLVMBuildPhi(b, i64, ""), sum = LLVMBuildPhi(b, i64, "");
	LLVMValueRef digit = LLVMBuildAnd(b, LLVMBuildTrunc(b, rest, int_type(m, 32), ""), int_value(m, 32, DIGIT - 1), "");
	digit = build_digit(b, f, digit, DIGIT, next);
	LLVMValueRef added = LLVMBuildAdd(b, sum, LLVMBuildMul(b, digit, weight, ""), "");
	LLVMValueRef heavier = LLVMBuildMul(b, weight, int_value(m, 64, DIGIT), "");
	LLVMValueRef less = LLVMBuildUDiv(b, rest, int_value(m, 64, DIGIT), "");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, less, int_value(m, 64, 0), ""), loop, end);
	LLVMPositionBuilderAtEnd(b, end);
	LLVMBuildRet(b, added);
	LLVMBasicBlockRef from[] = {entry, next};
	LLVMAddIncoming(rest, (LLVMValueRef[]){LLVMGetParam(f, 0), less}, from, 2);
	LLVMAddIncoming(weight, (LLVMValueRef[]){int_value(m, 64, 1), heavier}, from, 2);
	LLVMAddIncoming(sum, (LLVMValueRef[]){int_value(m, 64, 0), added}, from, 2);
	LLVMDisposeBuilder(b);
	return f;
}

/* Where a value has just come into being. */
static LLVMValueRef behind(LLVMValueRef v)
{
	if (LLVMIsAArgument(v))
		return llvm_after_allocas(LLVMGetParamParent(v));
	return LLVMIsAInvokeInst(v) ? llvm_split_edge(v, 0) : LLVMGetNextInstruction(v);
}

/* Two uses of the value go on to be of it itself, when all others become those of what an anchor makes of it. */
struct inserted {
	LLVMValueRef told;
	LLVMValueRef own[2];
};

static struct inserted build_call(LLVMBuilderRef b, LLVMValueRef anchor, LLVMValueRef wide)
{
	LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(anchor), anchor, &wide, 1, "");
	return (struct inserted){.told = call, .own = {call}};
}

/*
 * What a local variable has kept of the round before, if that is the same, or else the anchor of it: so what does not change takes one branch. The
 * variable is 0 at first, which needs no mark of its own: a value of 0 is the same.
 */
static struct inserted build_repeated(LLVMBuilderRef b, LLVMValueRef anchor, LLVMValueRef wide, LLVMValueRef at, LLVMValueRef *kept)
{
	LLVMModuleRef m = LLVMGetGlobalParent(anchor);
	LLVMTypeRef i64 = int_type(m, 64);
	build_before(b, llvm_after_allocas(LLVMGetBasicBlockParent(LLVMGetInstructionParent(at))));
	*kept = LLVMBuildAlloca(b, i64, "");
	LLVMBuildStore(b, int_value(m, 64, 0), *kept);
	build_before(b, at);
	LLVMValueRef differs = LLVMBuildICmp(b, LLVMIntNE, wide, LLVMBuildLoad2(b, i64, *kept, ""), "");
	build_before(b, llvm_unlikely_if(differs, at));
	struct inserted i = build_call(b, anchor, wide);
	LLVMBuildStore(b, i.told, *kept);
	build_before(b, at);
	i.told = LLVMBuildLoad2(b, i64, *kept, "");
	i.own[1] = differs;
	return i;
}

/* Everybody who uses the value gets what the anchor makes of it. */
static void insert(LLVMModuleRef m, LLVMValueRef anchor, LLVMValueRef v, bool repeats)
{
	LLVMTypeRef i64 = int_type(m, 64);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	LLVMValueRef at = behind(v), kept = NULL;
	build_before(b, at);
	bool is_wide = LLVMTypeOf(v) == i64;
	LLVMValueRef wide = is_wide ? v : LLVMBuildZExt(b, v, i64, "");
	struct inserted i = repeats ? build_repeated(b, anchor, wide, at, &kept) : build_call(b, anchor, wide);
	LLVMReplaceAllUsesWith(v, is_wide ? i.told : LLVMBuildTrunc(b, i.told, LLVMTypeOf(v), ""));
	if (!is_wide)
		LLVMSetOperand(wide, 0, v);
	for (size_t k = 0; is_wide && k < 2; k++)
		if (i.own[k])
			LLVMSetOperand(i.own[k], 0, v);
	if (kept)
		llvm_promote(LLVMGetBasicBlockParent(LLVMGetInstructionParent(at)), &kept, 1);
	LLVMDisposeBuilder(b);
}

static LLVMValueRef function_for(LLVMModuleRef m, LLVMValueRef v)
{
	bool is_byte = LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 8;
	LLVMValueRef known = LLVMGetNamedFunction(m, is_byte ? PASS_ANCHOR_BYTE : PASS_ANCHOR);
	return known ? known : is_byte ? byte_function(m) : anchor_function(m);
}

void anchor_insert(LLVMModuleRef m, LLVMValueRef v, bool repeats)
{
	insert(m, function_for(m, v), v, repeats);
}
