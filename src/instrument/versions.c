/*
 * Two versions of functions that record values.
 *
 * A thread that has too many values records none any more, but would go on asking for each of them: up to a tenth of
 * its time. So a function f that records what it reads becomes three: f.values is the function itself, f.quick a copy that asks
 * nothing, and f goes on in one of them. In quick versions calls lead to quick versions without asking.
 */
#include "instrument/addresses.h"

struct versions {
	struct values with, without; /* the same functions */
	struct map number;           /* of what has taken the function's place, from 1 */
};

static LLVMValueRef function_of(LLVMValueRef instruction)
{
	return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

static void copy(struct versions *v, LLVMValueRef f)
{
	LLVMValueRef other = llvm_copy_function(f, RT_WITHOUT_VALUES);
	if (!other)
		return;
	values_push(&v->with, f);
	values_push(&v->without, other);
}

/* if (!log.at) return without(...); return with(...); */
static void choose(LLVMModuleRef m, LLVMBuilderRef b, LLVMValueRef f, LLVMValueRef with, LLVMValueRef without,
		   LLVMValueRef log)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBasicBlockRef quick = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBasicBlockRef values = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMPositionBuilderAtEnd(b, entry);
	LLVMSetCurrentDebugLocation2(b, NULL);
	LLVMValueRef at = LLVMBuildLoad2(b, pointer_type(m), log, "");
	LLVMBuildCondBr(b, LLVMBuildIsNull(b, at, ""), quick, values);
	LLVMPositionBuilderAtEnd(b, quick);
	llvm_go_on_in(b, f, without);
	LLVMPositionBuilderAtEnd(b, values);
	llvm_go_on_in(b, f, with);
}

static void stay_quick(const struct versions *v, LLVMValueRef f)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			uint32_t number = is_call(i) ? map_get(&v->number, LLVMGetCalledValue(i)) : 0;
			/* What is called is the last operand. */
			if (number)
				LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, v->without.at[number - 1]);
		}
}

void versions_make(LLVMModuleRef m, const struct values *recorded, LLVMValueRef log)
{
	struct versions v = {0};
	LLVMValueRef last = NULL;
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	for (size_t i = 0; i < recorded->n; i++) {
		if (!addresses_is_read(recorded->at[i]) || function_of(recorded->at[i]) == last)
			continue;
		last = function_of(recorded->at[i]);
		copy(&v, last);
	}
	for (size_t i = 0; i < v.with.n; i++) {
		LLVMValueRef f = llvm_take_place(v.with.at[i], RT_WITH_VALUES);
		map_set(&v.number, f, (uint32_t)i + 1);
		choose(m, b, f, v.with.at[i], v.without.at[i], log);
	}
	for (size_t i = 0; i < v.without.n; i++)
		stay_quick(&v, v.without.at[i]);
	LLVMDisposeBuilder(b);
	map_free(&v.number);
	values_free(&v.with);
	values_free(&v.without);
}
