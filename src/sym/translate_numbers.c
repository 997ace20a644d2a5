/*
 * Where a number is made of an address: its bits decide something that another address would decide otherwise. Only
 * for a look at whether a program does so (numbers.c). What every address has, or gives again, is no such use: copies,
 * comparisons for being the same (but with an address that was given back), the low bits that alignment leaves free, steps from one address to another.
 */
#include "sym/translate_internal.h"

#include <string.h>

enum { ALIGNMENT = 16 };

static bool is_word(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind ||
	       (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64);
}

static bool is_tag(LLVMValueRef v)
{
	uint64_t mask;
	return const_int(v, &mask) && (mask < ALIGNMENT || ~mask < ALIGNMENT);
}

/* Do all uses want only bits that alignment leaves free? */
static bool is_tag_only(LLVMValueRef i)
{
	if (LLVMGetIntTypeWidth(LLVMTypeOf(i)) <= 4)
		return true;
	for (LLVMUseRef u = LLVMGetFirstUse(i); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		uint64_t mask;
		if (!LLVMIsAInstruction(user) || opcode(user) != LLVMAnd || !const_int(LLVMGetOperand(user, 1), &mask) ||
		    mask >= ALIGNMENT)
			return false;
	}
	return true;
}

/* How many operands, from the first, are used as numbers; *pair: of two addresses in one object the use is none. */
static unsigned number_operands(LLVMValueRef i, bool *pair)
{
	switch (opcode(i)) {
	case LLVMICmp:
		*pair = true;
		return LLVMGetICmpPredicate(i) == LLVMIntEQ || LLVMGetICmpPredicate(i) == LLVMIntNE ? 0 : 2;
	case LLVMSub:
		*pair = true;
		return LLVMIsAConstantInt(LLVMGetOperand(i, 1)) ? 0 : 2;
	case LLVMAnd:
	case LLVMXor:
		return is_tag(LLVMGetOperand(i, 1)) ? 0 : 2;
	case LLVMMul: case LLVMUDiv: case LLVMSDiv: case LLVMURem: case LLVMSRem:
	case LLVMShl: case LLVMLShr: case LLVMAShr:
		return 2;
	case LLVMTrunc:
		return is_tag_only(i) ? 0 : 1;
	case LLVMPtrToInt:
		return LLVMGetIntTypeWidth(LLVMTypeOf(i)) < 64 && !is_tag_only(i);
	case LLVMSwitch: case LLVMUIToFP: case LLVMSIToFP:
		return 1;
	default:
		return 0;
	}
}

/* A load of a part of what may be an address: a hash over the bytes of a structure. No copy. */
static bool is_part(LLVMValueRef i)
{
	bool is_used = false;
	for (LLVMUseRef u = LLVMGetFirstUse(i); u; u = LLVMGetNextUse(u))
		is_used |= !LLVMIsAStoreInst(LLVMGetUser(u));
	return is_used && opcode(i) == LLVMLoad && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind &&
	       LLVMGetIntTypeWidth(LLVMTypeOf(i)) < 64;
}

static bool compares_bytes(LLVMValueRef i)
{
	size_t length;
	LLVMValueRef callee = opcode(i) == LLVMCall || opcode(i) == LLVMInvoke ? LLVMGetCalledValue(i) : NULL;
	const char *name = callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
	return (!strcmp(name, "memcmp") || !strcmp(name, "bcmp")) && LLVMGetNumArgOperands(i) == 3;
}

/* Of how many pairs of addresses is it asked whether they are the same? Several: a loop that was vectorised. */
static unsigned compared_addresses(LLVMValueRef i)
{
	if (opcode(i) != LLVMICmp || number_operands(i, &(bool){false}) || LLVMIsConstant(LLVMGetOperand(i, 0)) ||
	    LLVMIsConstant(LLVMGetOperand(i, 1)))
		return 0;
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0));
	bool several = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	return is_word(several ? LLVMGetElementType(type) : type) ? several ? LLVMGetVectorSize(type) : 1 : 0;
}

void translate_number(struct tr *t, LLVMValueRef i)
{
	bool pair = false;
	if (is_part(i))
		emit(t, OP_NUMBER, NUMBER_BYTES, 0, value_reg(t, LLVMGetOperand(i, 0)), const_reg(t, 1));
	for (unsigned k = 0, n = compared_addresses(i); k < n; k++)
		emit(t, OP_NUMBER, NUMBER_SAME, 0, value_regs(t, LLVMGetOperand(i, 0))[k], value_regs(t, LLVMGetOperand(i, 1))[k]);
	for (unsigned k = 0; k < 2 && compares_bytes(i); k++)
		emit(t, OP_NUMBER, NUMBER_BYTES, 0, value_reg(t, LLVMGetOperand(i, k)), value_reg(t, LLVMGetOperand(i, 2)));
	if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind)
		return;
	unsigned n = number_operands(i, &pair);
	if (!n || !is_word(LLVMTypeOf(LLVMGetOperand(i, 0))))
		return;
	reg a = value_reg(t, LLVMGetOperand(i, 0));
	emit(t, OP_NUMBER, pair ? NUMBER_PAIR : NUMBER_ALONE, 0, a, n == 2 ? value_reg(t, LLVMGetOperand(i, 1)) : a);
}
