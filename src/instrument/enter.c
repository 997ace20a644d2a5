/*
 * The twin's entry switch: in infer mode a function hands its parameters, as slots, to the symbolic
 * executor and returns what that leaves in the result slots (include/rethread/instrument.h).
 *
 * The slots live in a function of their own, so that the frame of the hot one does not grow.
 */
#include "instrument/pass.h"

#include <stdlib.h>

struct slots {
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMValueRef base; /* the first slot */
	unsigned n;        /* slots passed so far */
};

/* Bits of a scalar as an integer, or 0 when it is none. */
static unsigned scalar_bits(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type);
	case LLVMPointerTypeKind:
	case LLVMDoubleTypeKind:
		return 64;
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
		return 16;
	case LLVMFloatTypeKind:
		return 32;
	case LLVMX86_FP80TypeKind:
		return 80;
	case LLVMFP128TypeKind:
		return 128;
	default:
		return 0;
	}
}

/* Elements of an aggregate or vector; false for other types. */
static bool elements(LLVMTypeRef type, unsigned *count)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMStructTypeKind:
		*count = LLVMCountStructElementTypes(type);
		return true;
	case LLVMArrayTypeKind:
		*count = (unsigned)LLVMGetArrayLength2(type);
		return true;
	case LLVMVectorTypeKind:
		*count = LLVMGetVectorSize(type);
		return true;
	default:
		return false;
	}
}

static LLVMTypeRef element_type(LLVMTypeRef type, unsigned i)
{
	return LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i)
							   : LLVMGetElementType(type);
}

/* Slots of a type, or -1 when it cannot be passed. */
static int slot_count(LLVMTypeRef type)
{
	unsigned count;
	if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
		return 0;
	if (!elements(type, &count)) {
		unsigned bits = scalar_bits(type);
		return bits ? (int)((bits + 63) / 64) : -1;
	}
	int sum = 0;
	for (unsigned i = 0; i < count; i++) {
		int n = slot_count(element_type(type, i));
		if (n < 0)
			return -1;
		sum += n;
	}
	return sum;
}

static LLVMValueRef next_slot(struct slots *s)
{
	LLVMValueRef index = int_value(s->module, 32, s->n++);
	return LLVMBuildInBoundsGEP2(s->builder, int_type(s->module, 64), s->base, &index, 1, "");
}

static LLVMValueRef scalar_to_integer(struct slots *s, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	LLVMTypeRef integer = int_type(s->module, scalar_bits(type));
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(s->builder, v, integer, "");
	return LLVMBuildBitCast(s->builder, v, integer, "");
}

static LLVMValueRef scalar_from_integer(struct slots *s, LLVMValueRef v, LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return LLVMBuildIntToPtr(s->builder, v, type, "");
	return LLVMBuildBitCast(s->builder, v, type, "");
}

static void write_scalar(struct slots *s, LLVMValueRef v)
{
	LLVMBuilderRef b = s->builder;
	unsigned pieces = (scalar_bits(LLVMTypeOf(v)) + 63) / 64;
	LLVMTypeRef wide = int_type(s->module, pieces * 64);
	v = LLVMBuildZExt(b, scalar_to_integer(s, v), wide, "");
	for (unsigned i = 0; i < pieces; i++) {
		LLVMValueRef shift = LLVMConstInt(wide, i * 64, false);
		LLVMValueRef piece = LLVMBuildTrunc(b, LLVMBuildLShr(b, v, shift, ""),
						    int_type(s->module, 64), "");
		LLVMBuildStore(b, piece, next_slot(s));
	}
}

static LLVMValueRef read_scalar(struct slots *s, LLVMTypeRef type)
{
	LLVMBuilderRef b = s->builder;
	unsigned pieces = (scalar_bits(type) + 63) / 64;
	LLVMTypeRef wide = int_type(s->module, pieces * 64);
	LLVMValueRef v = LLVMConstInt(wide, 0, false);
	for (unsigned i = 0; i < pieces; i++) {
		LLVMValueRef piece = LLVMBuildLoad2(b, int_type(s->module, 64), next_slot(s), "");
		LLVMValueRef shift = LLVMConstInt(wide, i * 64, false);
		piece = LLVMBuildShl(b, LLVMBuildZExt(b, piece, wide, ""), shift, "");
		v = LLVMBuildOr(b, v, piece, "");
	}
	v = LLVMBuildTrunc(b, v, int_type(s->module, scalar_bits(type)), "");
	return scalar_from_integer(s, v, type);
}

static void write_value(struct slots *s, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	unsigned count;
	if (!elements(type, &count)) {
		write_scalar(s, v);
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
			write_value(s, LLVMBuildExtractElement(s->builder, v,
							       int_value(s->module, 32, i), ""));
		else
			write_value(s, LLVMBuildExtractValue(s->builder, v, i, ""));
	}
}

static LLVMValueRef read_value(struct slots *s, LLVMTypeRef type)
{
	unsigned count;
	if (!elements(type, &count))
		return read_scalar(s, type);
	LLVMValueRef v = LLVMGetPoison(type);
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef e = read_value(s, element_type(type, i));
		if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
			v = LLVMBuildInsertElement(s->builder, v, e, int_value(s->module, 32, i),
						   "");
		else
			v = LLVMBuildInsertValue(s->builder, v, e, i, "");
	}
	return v;
}

static LLVMValueRef slot_array(LLVMModuleRef m, LLVMBuilderRef b, unsigned n)
{
	return LLVMBuildAlloca(b, LLVMArrayType2(int_type(m, 64), n ? n : 1), "");
}

/* R enter(parameters of `function`): in slots, __rethread_enter, out slots. */
static LLVMValueRef emit_enter(LLVMModuleRef m, LLVMValueRef function, uint32_t symbol,
			       unsigned nin, unsigned nout)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMTypeRef type = LLVMGlobalGetValueType(function);
	LLVMValueRef f = add_cold_function(m, PASS_OWN_PREFIX "enter_function", type);
	llvm_copy_signature_attributes(function, f);
	LLVMSetFunctionCallConv(f, LLVMGetFunctionCallConv(function));

	LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, f, ""));
	struct slots in = {m, b, slot_array(m, b, nin), 0};
	struct slots out = {m, b, slot_array(m, b, nout), 0};
	for (unsigned i = 0; i < LLVMCountParams(f); i++)
		write_value(&in, LLVMGetParam(f, i));

	LLVMTypeRef params[] = {int_type(m, 32), pointer_type(m), pointer_type(m)};
	LLVMTypeRef enter_type = LLVMFunctionType(LLVMVoidTypeInContext(context), params, 3, false);
	LLVMValueRef enter = LLVMGetNamedFunction(m, "__rethread_enter");
	if (!enter)
		enter = LLVMAddFunction(m, "__rethread_enter", enter_type);
	LLVMValueRef args[] = {int_value(m, 32, symbol), in.base, out.base};
	LLVMBuildCall2(b, enter_type, enter, args, 3, "");

	if (nout)
		LLVMBuildRet(b, read_value(&out, LLVMGetReturnType(type)));
	else if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
		LLVMBuildRetVoid(b);
	else
		LLVMBuildRet(b, LLVMConstNull(LLVMGetReturnType(type)));
	LLVMDisposeBuilder(b);
	return f;
}

/* if (__rethread_infer) return enter(parameters); before the first instruction of the body. */
static void emit_switch(LLVMModuleRef m, LLVMValueRef function, LLVMValueRef enter)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	LLVMTypeRef type = LLVMGlobalGetValueType(function);
	LLVMTypeRef i32 = int_type(m, 32);
	LLVMValueRef body = llvm_split_entry(function);

	build_before(b, body);
	LLVMValueRef infer = runtime_variable(m, "__rethread_infer", i32, false);
	LLVMValueRef mode = LLVMBuildLoad2(b, i32, infer, "");
	LLVMValueRef set = LLVMBuildICmp(b, LLVMIntNE, mode, int_value(m, 32, 0), "");
	LLVMValueRef end = llvm_unlikely_if(set, body);

	build_before(b, end);
	unsigned n = LLVMCountParams(function);
	LLVMValueRef *args = pass_alloc(n, sizeof *args);
	LLVMGetParams(function, args);
	LLVMValueRef call = LLVMBuildCall2(b, type, enter, args, n, "");
	LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
	llvm_copy_signature_attributes_to_call(function, call);
	if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
		LLVMBuildRetVoid(b);
	else
		LLVMBuildRet(b, call);
	LLVMInstructionEraseFromParent(end);
	free(args);
	LLVMDisposeBuilder(b);
}

void twin_enter(LLVMModuleRef m, LLVMValueRef function, uint32_t symbol)
{
	int nin = 0, nout = slot_count(LLVMGetReturnType(LLVMGlobalGetValueType(function)));
	for (unsigned i = 0; i < LLVMCountParams(function) && nin >= 0; i++) {
		int n = slot_count(LLVMTypeOf(LLVMGetParam(function, i)));
		nin = n < 0 ? -1 : nin + n;
	}
	if (nin < 0 || nout < 0) {
		size_t length;
		pass_warn("function %s has parameters that inference cannot take; it will run "
			  "natively",
			  LLVMGetValueName2(function, &length));
		return;
	}
	LLVMValueRef enter = emit_enter(m, function, symbol, (unsigned)nin, (unsigned)nout);
	emit_switch(m, function, enter);
}
