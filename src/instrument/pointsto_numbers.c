/* Which numbers may be addresses, and which pointers are numbers. */
#include "instrument/pointsto_build.h"

/*
 * Was it stored as a pointer, although it is loaded as a number? So is a pointer to a member function, whose type is that of characters, and a
 * std::atomic<T *>, which has no type here.
 */
static bool is_loaded_pointer(LLVMValueRef load)
{
	LLVMModuleRef m = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(load)));
	bool typed = LLVMGetMetadata(load, LLVMGetMDKindIDInContext(LLVMGetModuleContext(m), "tbaa", 4)) != NULL;
	return llvm_may_copy_pointer(load) && (typed || LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic);
}

/* Is the number made of pointers here: one that is rounded up, or loaded as a number? */
static bool is_made_here(LLVMValueRef number, int depth)
{
	if (LLVMIsAPtrToIntInst(number))
		return true;
	if (!depth || !LLVMIsAInstruction(number))
		return false;
	switch (LLVMGetInstructionOpcode(number)) {
	case LLVMLoad:
		return is_loaded_pointer(number);
	case LLVMAdd: case LLVMSub: case LLVMAnd: case LLVMOr: case LLVMXor: case LLVMSelect: case LLVMPHI:
		for (int k = LLVMIsASelectInst(number) ? 1 : 0; k < LLVMGetNumOperands(number); k++)
			if (!LLVMIsConstant(LLVMGetOperand(number, (unsigned)k)) && !is_made_here(LLVMGetOperand(number, (unsigned)k), depth - 1))
				return false;
		return true;
	default:
		return false;
	}
}

/*
 * A number that an address hardly fits into, in the place of a pointer: which of its kind a thread is, as the argument that it is given. It has at most
 * 32 bits, where the program never shortens addresses to that (short_addresses), or is counted from small constants.
 */
struct counted {
	LLVMValueRef phis[8]; /* that are looked at */
	unsigned n;
};

static bool is_count(const struct points_to *p, LLVMValueRef v, struct counted *c, int depth)
{
	enum { PAGE = 4096 };
	if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMIntegerTypeKind)
		return false;
	if (LLVMIsAConstantInt(v))
		return LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64 && LLVMConstIntGetSExtValue(v) > -PAGE && LLVMConstIntGetSExtValue(v) < PAGE;
	if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 32 && !p->short_addresses)
		return true;
	if (!depth || !LLVMIsAInstruction(v))
		return false;
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMPHI:
		for (unsigned k = 0; k < c->n; k++)
			if (c->phis[k] == v)
				return true;
		if (c->n == sizeof c->phis / sizeof *c->phis)
			return false;
		c->phis[c->n++] = v;
		break;
	/* not multiplied or shifted: short numbers that are may be addresses in units of something */
	case LLVMAdd: case LLVMSub: case LLVMAnd: case LLVMOr: case LLVMSelect: case LLVMZExt: case LLVMSExt: case LLVMTrunc:
		break;
	default:
		return false;
	}
	for (int k = LLVMIsASelectInst(v) ? 1 : 0; k < LLVMGetNumOperands(v); k++)
		if (!is_count(p, LLVMGetOperand(v, (unsigned)k), c, depth - 1))
			return false;
	return true;
}

bool points_to_is_from_outside(const struct points_to *p, LLVMValueRef inttoptr)
{
	LLVMValueRef number = LLVMGetOperand(inttoptr, 0);
	return !is_no_address(inttoptr) && !is_made_here(number, 4) && !is_count(p, number, &(struct counted){0}, 8);
}

bool points_to_shortens_addresses(LLVMModuleRef m)
{
	LLVMTypeRef i32 = int_type(m, 32);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (LLVMTypeOf(i) == i32 && (LLVMIsAPtrToIntInst(i) || (LLVMIsATruncInst(i) && is_made_here(LLVMGetOperand(i, 0), 4))))
					return true;
	return false;
}

bool points_to_is_only_number(LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(i), from = LLVMTypeOf(LLVMGetOperand(i, 0));
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
		type = LLVMGetElementType(type);
		from = LLVMGetElementType(from);
	}
	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64)
		return false;
	return (!LLVMIsAZExtInst(i) && !LLVMIsASExtInst(i)) || LLVMGetIntTypeWidth(from) == 8;
}

bool points_to_makes_pointers(const struct points_to *p, LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
				if (LLVMIsAGetElementPtrInst(i) && is_number_on_null(i))
					return true;
				if (LLVMIsAIntToPtrInst(i) && points_to_is_from_outside(p, i))
					return true;
			}
	return false;
}
