/*
 * Calls: of functions of the module, of native code, through pointers; landing pads.
 */
#include "sym/translate_internal.h"

#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ how native code is called */

static void add_arg(struct tr *t, enum code_class class, unsigned bytes, unsigned slots)
{
	*vec_push(&t->out_args) = (struct code_arg){
		.class = (uint8_t)class, .bytes = (uint8_t)bytes, .slots = (uint8_t)slots};
}

/* Classes of a value; why not, or NULL. Aggregates go member by member, as the code generator does it. */
static const char *classify(struct tr *t, LLVMTypeRef type, bool sign_extended)
{
	const char *why = NULL;
	unsigned bits;
	switch (LLVMGetTypeKind(type)) {
	case LLVMVoidTypeKind:
		break;
	case LLVMIntegerTypeKind:
		bits = LLVMGetIntTypeWidth(type);
		if (bits > 128)
			return "an integer of more than 128 bits in a call of native code";
		if (bits > 64)
			add_arg(t, CLASS_INT2, 16, 2);
		else
			add_arg(t, sign_extended ? CLASS_SINT : CLASS_INT, (bits + 7) / 8, 1);
		break;
	case LLVMPointerTypeKind:
		add_arg(t, CLASS_INT, 8, 1);
		break;
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
		add_arg(t, CLASS_SSE, 2, 1);
		break;
	case LLVMFloatTypeKind:
		add_arg(t, CLASS_SSE, 4, 1);
		break;
	case LLVMDoubleTypeKind:
		add_arg(t, CLASS_SSE, 8, 1);
		break;
	case LLVMX86_FP80TypeKind:
		add_arg(t, CLASS_X87, 16, 2);
		break;
	case LLVMVectorTypeKind:
		bits = (unsigned)LLVMSizeOfTypeInBits(t->layout, LLVMGetElementType(type));
		if (bits % 8 || bits > 64 || bits * LLVMGetVectorSize(type) > 128)
			return "a vector of more than 16 bytes in a call of native code";
		add_arg(t, CLASS_SSE, bits / 8, LLVMGetVectorSize(type));
		break;
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type) && !why; i++)
			why = classify(t, LLVMStructGetTypeAtIndex(type, i), false);
		break;
	case LLVMArrayTypeKind:
		slots_of(t, type);
		for (unsigned i = 0; i < LLVMGetArrayLength2(type) && !why; i++)
			why = classify(t, LLVMGetElementType(type), false);
		break;
	default:
		why = "a value of an unusual type in a call of native code";
	}
	return why;
}

static LLVMTypeRef byval_type(struct tr *t, LLVMValueRef i, unsigned arg)
{
	LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(i, arg + 1, t->attr_byval);
	return a ? LLVMGetTypeAttributeValue(a) : NULL;
}

static const char *classify_arg(struct tr *t, LLVMValueRef i, unsigned k)
{
	LLVMTypeRef byval = byval_type(t, i, k);
	if (!byval) {
		bool is_signed = LLVMGetCallSiteEnumAttribute(i, k + 1, t->attr_signext) != NULL;
		return classify(t, LLVMTypeOf(LLVMGetOperand(i, k)), is_signed);
	}
	unsigned align = LLVMABIAlignmentOfType(t->layout, byval);
	add_arg(t, CLASS_BYVAL, 8, 1);
	struct code_arg *a = &t->out_args.at[t->out_args.n - 1];
	a->align = (uint8_t)(align > 64 ? 64 : align);
	a->size = (uint32_t)type_size(t, byval);
	return NULL;
}

static void collect_args(struct tr *t, LLVMValueRef i, bool copy_byval, word_list *out, unsigned nfixed,
			 uint32_t *fixed)
{
	for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++) {
		LLVMValueRef v = LLVMGetOperand(i, k);
		LLVMTypeRef byval = byval_type(t, i, k);
		if (k == nfixed)
			*fixed = (uint32_t)out->n;
		if (byval && copy_byval) {
			/* The callee owns a copy; it lives in the caller's frame, one per call site. */
			uint32_t align = LLVMABIAlignmentOfType(t->layout, byval);
			align = align < 16 ? 16 : align;
			uint32_t at = (t->fn.memory + align - 1) / align * align;
			reg to = new_temp(t), from = value_reg(t, v);
			t->fn.memory = at + (uint32_t)type_size(t, byval);
			t->fn.align = align > t->fn.align ? align : t->fn.align;
			emit(t, OP_ALLOCA, 0, to, 0, at);
			emit(t, OP_COPY, 0, 0, to, from);
			emit(t, OP_SIZE, 0, const_reg(t, type_size(t, byval)), 0, 0);
			*vec_push(out) = to;
			continue;
		}
		const reg *regs = value_regs(t, v);
		for (unsigned s = 0; s < slots_of(t, LLVMTypeOf(v)); s++)
			*vec_push(out) = regs[s];
	}
	if (nfixed >= LLVMGetNumArgOperands(i))
		*fixed = (uint32_t)out->n;
}

/* Adds the description of a call; returns its number. */
/* Numbers that do not matter to what the log answers must not be guessed for the call's sake. */
static void forget_numbers(struct tr *t, LLVMValueRef call, word_list *regs)
{
	size_t n;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (!LLVMIsAFunction(callee) || !trace_input_is_blind(LLVMGetValueName2(callee, &n)))
		return;
	for (unsigned i = 0; i < regs->n && i < LLVMGetNumArgOperands(call); i++)
		if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, i))) == LLVMIntegerTypeKind)
			regs->at[i] = const_reg(t, 0);
}

static uint32_t describe_call(struct tr *t, LLVMValueRef i, bool copy_byval)
{
	LLVMTypeRef type = LLVMGetCalledFunctionType(i);
	struct code_call c = {.site = site_of(t, i), .nout = slots_of(t, LLVMTypeOf(i))};
	const char *why = NULL;
	word_list regs = {0};
	collect_args(t, i, copy_byval, &regs, LLVMCountParamTypes(type), &c.fixed);
	forget_numbers(t, i, &regs);
	c.registers = (uint32_t)t->out_pool.n;
	c.nregisters = (uint32_t)regs.n;
	for (size_t k = 0; k < regs.n; k++)
		pool_reg(t, regs.at[k]);
	vec_free(&regs);
	c.args = (uint32_t)t->out_args.n;
	for (unsigned k = 0; k < LLVMGetNumArgOperands(i) && !why; k++)
		why = classify_arg(t, i, k);
	c.nargs = (uint32_t)t->out_args.n - c.args;
	c.results = (uint32_t)t->out_args.n;
	if (!why)
		why = classify(t, LLVMTypeOf(i), false);
	c.nresults = (uint32_t)t->out_args.n - c.results;
	c.flags = LLVMIsFunctionVarArg(type) ? CALL_VARIADIC : 0;
	c.reason = why ? add_string(t, why, strlen(why)) : 0;
	*vec_push(&t->out_calls) = c;
	return (uint32_t)t->out_calls.n - 1;
}

/* ------------------------------------------------------------------ calls */

/* The module's own function that is called directly, with the type it is defined with. */
static bool direct_callee(struct tr *t, LLVMValueRef i, LLVMValueRef callee, uint32_t *function)
{
	uint32_t symbol;
	if (!LLVMIsAGlobalValue(callee) || !map_get(&t->symbols, callee, &symbol) ||
	    !t->out_symbols.at[symbol].function)
		return false;
	*function = t->out_symbols.at[symbol].function - 1;
	LLVMValueRef f = callee;
	while (LLVMIsAGlobalAlias(f))
		f = LLVMAliasGetAliasee(f);
	return LLVMIsAFunction(f) && LLVMGlobalGetValueType(f) == LLVMGetCalledFunctionType(i);
}

static void translate_direct(struct tr *t, LLVMValueRef i, uint32_t function)
{
	if (LLVMIsFunctionVarArg(LLVMGetCalledFunctionType(i))) {
		uint32_t call = describe_call(t, i, true);
		emit(t, OP_CALLV, 0, define(t, i), function, call);
		return;
	}
	word_list regs = {0};
	uint32_t fixed;
	collect_args(t, i, true, &regs, ~0u, &fixed);
	uint32_t list = pool_regs(t, regs.at, regs.n);
	vec_free(&regs);
	emit(t, OP_CALL, 0, define(t, i), function, list);
}

void translate_call(struct tr *t, LLVMValueRef i)
{
	LLVMValueRef callee = LLVMGetCalledValue(i);
	uint32_t function, symbol, call;
	if (LLVMIsAInlineAsm(callee)) {
		translate_asm(t, i, callee);
		return;
	}
	if (LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee)) {
		size_t n;
		const char *name = LLVMGetValueName2(callee, &n);
		if (!translate_intrinsic(t, i, name))
			cannot(t, "the intrinsic %s", name);
		return;
	}
	if (direct_callee(t, i, callee, &function)) {
		translate_direct(t, i, function);
		return;
	}
	if (LLVMIsAFunction(callee) && map_get(&t->symbols, callee, &symbol) &&
	    !t->out_symbols.at[symbol].function) {
		call = describe_call(t, i, false);
		emit(t, OP_CALLN, 0, define(t, i), symbol, call);
		return;
	}
	reg target = value_reg(t, callee);
	call = describe_call(t, i, true);
	emit(t, OP_CALLI, 0, define(t, i), target, call);
}

void translate_landingpad(struct tr *t, LLVMValueRef i)
{
	if (slots_of(t, LLVMTypeOf(i)) != 2)
		cannot(t, "a landing pad of an unusual type");
	emit(t, OP_LANDINGPAD, 0, define(t, i), 0, 0);
}

void translate_allocates(struct tr *t, LLVMValueRef call)
{
	if (is_recorded_value(t, call) && !is_value_kind(t, call, RT_VALUE_MAPPING))
		emit(t, OP_ALLOCATES, 0, 0, 0, 0);
}

void translate_allocated(struct tr *t, LLVMValueRef call)
{
	if (!is_recorded_value(t, call))
		return;
	if (is_value_kind(t, call, RT_VALUE_MAPPING))
		emit(t, OP_PLACED, 0, add_string(t, "", 0), value_reg(t, call), value_reg(t, LLVMGetOperand(call, 1)));
	else if (is_value_kind(t, call, RT_VALUE_OUT))
		emit(t, OP_ALLOCATED, 1, 0, value_reg(t, LLVMGetOperand(call, 0)), 0);
	else
		emit(t, OP_ALLOCATED, 0, 0, value_reg(t, call), 0);
}
