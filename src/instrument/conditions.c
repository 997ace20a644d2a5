/* conditions.h. */
#include "instrument/conditions.h"

#include <string.h>

enum condition condition_named(const char *letters, size_t n)
{
	static const struct {
		const char *letters;
		enum condition is;
	} names[] = {
		{"z", IF_ZERO},	     {"e", IF_ZERO},	     {"nz", IF_NOT_ZERO}, {"ne", IF_NOT_ZERO},
		{"s", IF_NEGATIVE},  {"ns", IF_NOT_NEGATIVE}, {"c", IF_CARRY},	  {"b", IF_CARRY},
		{"nae", IF_CARRY},   {"nc", IF_NO_CARRY},     {"ae", IF_NO_CARRY}, {"nb", IF_NO_CARRY},
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i].letters) == n && !memcmp(names[i].letters, letters, n))
			return names[i].is;
	return NO_CONDITION;
}

static LLVMValueRef build_result(LLVMBuilderRef b, LLVMAtomicRMWBinOp operation, LLVMValueRef old, LLVMValueRef operand)
{
	switch (operation) {
	case LLVMAtomicRMWBinOpAdd:
		return LLVMBuildAdd(b, old, operand, "");
	case LLVMAtomicRMWBinOpSub:
		return LLVMBuildSub(b, old, operand, "");
	case LLVMAtomicRMWBinOpAnd:
		return LLVMBuildAnd(b, old, operand, "");
	case LLVMAtomicRMWBinOpOr:
		return LLVMBuildOr(b, old, operand, "");
	default:
		return LLVMBuildXor(b, old, operand, "");
	}
}

LLVMValueRef condition_build(LLVMBuilderRef b, enum condition condition, LLVMAtomicRMWBinOp operation, LLVMValueRef old,
			     LLVMValueRef operand)
{
	LLVMValueRef result = build_result(b, operation, old, operand), zero = LLVMConstNull(LLVMTypeOf(old));
	switch (condition) {
	case IF_ZERO:
	case IF_NOT_ZERO:
		return LLVMBuildICmp(b, condition == IF_ZERO ? LLVMIntEQ : LLVMIntNE, result, zero, "");
	case IF_NEGATIVE:
	case IF_NOT_NEGATIVE:
		return LLVMBuildICmp(b, condition == IF_NEGATIVE ? LLVMIntSLT : LLVMIntSGE, result, zero, "");
	default:
		/* A sum that is smaller than a part of it; a difference of which less was there. */
		if (operation != LLVMAtomicRMWBinOpAdd)
			result = old;
		return LLVMBuildICmp(b, condition == IF_CARRY ? LLVMIntULT : LLVMIntUGE, result,
				     operation == LLVMAtomicRMWBinOpAdd ? old : operand, "");
	}
}
