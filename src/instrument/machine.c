/*
 * What only the machine can compute: instructions of x86 that LLVM has no name for but inline assembly or an intrinsic. The executor
 * interprets neither, so each becomes a function of its own, `__rethread_machine_N`, whose parameters and result are words, and which the
 * executor calls as native code. Into the program itself these functions are inlined again, so it pays nothing.
 *
 * Instructions that ask the machine for something (the time, its features, a random number) answer otherwise each time: their
 * function works on a buffer, and rethread_machine of inputs.def calls it and records what it answered.
 *
 * Only what has results and no way to memory; the rest stays what it is.
 */
#include "instrument/pass.h"

#include <ctype.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_PARTS = 8,   /* results of one instruction */
	MOST_WORDS = 16,  /* of 64 bits, that it is given or answers */
	RETURNED_WORDS = 2, /* that a function has registers to return in */
};

/* ---------------------------------------------------------------- which ----------------------- */

static const char *const asking[] = {"rdtsc", "rdtscp", "cpuid", "xgetbv", "rdrand", "rdseed", "rdpmc", "rdpid"};
static const char *const asking_intrinsics[] = {"llvm.readcyclecounter", "llvm.x86.rdtsc", "llvm.x86.rdrand.", "llvm.x86.rdseed.",
						"llvm.x86.rdpmc",        "llvm.x86.rdpid", "llvm.x86.xgetbv"};
/* The executor computes these itself, with symbols too (src/sym/translate_intrinsic.c). */
static const char *const computed_intrinsics[] = {"llvm.x86.sse.movmsk.", "llvm.x86.sse2.movmsk.", "llvm.x86.sse2.pmovmskb.",
						  "llvm.x86.avx.movmsk.", "llvm.x86.avx2.pmovmskb", "llvm.x86.sse42.crc32."};
/* Registers that say where the thread is, which is elsewhere when another function asks. */
static const char *const elsewhere[] = {"%rsp", "%esp", "%rbp", "%ebp", "%fs", "%gs", "%rip", "call", "jmp", "push", "pop"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static bool begins_with_one(LLVMValueRef f, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (name_begins(f, list[i]))
			return true;
	return false;
}

/* Does the text have the word, not as part of a longer one? */
static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);
	for (const char *s = text; (s = strstr(s, word)); s++)
		if ((s == text || !isalnum((unsigned char)s[-1])) && !isalnum((unsigned char)s[n]))
			return true;
	return false;
}

static bool has_one_of(const char *text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (has_word(text, words[i]))
			return true;
	return false;
}

enum kind { STAYS, COMPUTES, ASKS };

static enum kind kind_of_assembly(LLVMValueRef assembly)
{
	size_t n;
	const char *text = LLVMGetInlineAsmAsmString(assembly, &n);
	const char *constraints = LLVMGetInlineAsmConstraintString(assembly, &n);
	/* A text without instructions hides a value from the optimiser. */
	if (!text[strspn(text, " \t\n;")] || *text == '#' || strchr(constraints, '*') || has_one_of(text, elsewhere, COUNT(elsewhere)))
		return STAYS;
	if (has_one_of(text, asking, COUNT(asking)))
		return ASKS;
	return strstr(constraints, "~{memory}") ? STAYS : COMPUTES;
}

static enum kind kind_of_intrinsic(LLVMValueRef call, LLVMValueRef f)
{
	if (begins_with_one(f, asking_intrinsics, COUNT(asking_intrinsics)))
		return ASKS;
	if (!name_begins(f, "llvm.x86.") || begins_with_one(f, computed_intrinsics, COUNT(computed_intrinsics)))
		return STAYS;
	return llvm_call_without_memory(call) ? COMPUTES : STAYS;
}

/* ---------------------------------------------------------------- values as words ------------- */

/* 0: not to be had as words. */
static unsigned bits_of(LLVMTypeRef type)
{
	unsigned bits;
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		bits = LLVMGetIntTypeWidth(type);
		return bits <= 64 ? bits : 0;
	case LLVMFloatTypeKind:
		return 32;
	case LLVMDoubleTypeKind:
		return 64;
	case LLVMVectorTypeKind:
		bits = bits_of(LLVMGetElementType(type)) * LLVMGetVectorSize(type);
		return bits <= 64 || bits % 64 == 0 ? bits : 0;
	default:
		return 0;
	}
}

static unsigned words_of(LLVMTypeRef type)
{
	return (bits_of(type) + 63) / 64;
}

static LLVMTypeRef words_type(LLVMTypeRef type)
{
	LLVMContextRef c = LLVMGetTypeContext(type);
	unsigned bits = bits_of(type);
	return bits <= 64 ? LLVMIntTypeInContext(c, bits) : LLVMVectorType(LLVMInt64TypeInContext(c), bits / 64);
}

/* Returns how many words it became. */
static unsigned to_words(LLVMBuilderRef b, LLVMValueRef v, LLVMValueRef *words)
{
	LLVMTypeRef type = LLVMTypeOf(v), i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(type));
	unsigned n = words_of(type), bits = bits_of(type);
	v = LLVMBuildBitCast(b, v, words_type(type), "");
	if (bits <= 64)
		words[0] = LLVMBuildZExt(b, v, i64, "");
	for (unsigned i = 0; bits > 64 && i < n; i++)
		words[i] = LLVMBuildExtractElement(b, v, LLVMConstInt(i64, i, false), "");
	return n;
}

static LLVMValueRef from_words(LLVMBuilderRef b, LLVMTypeRef type, const LLVMValueRef *words)
{
	LLVMTypeRef as = words_type(type), i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(type));
	if (bits_of(type) <= 64)
		return LLVMBuildBitCast(b, LLVMBuildTrunc(b, words[0], as, ""), type, "");
	LLVMValueRef v = LLVMGetPoison(as);
	for (unsigned i = 0; i < words_of(type); i++)
		v = LLVMBuildInsertElement(b, v, words[i], LLVMConstInt(i64, i, false), "");
	return LLVMBuildBitCast(b, v, type, "");
}

/* ---------------------------------------------------------------- one instruction ------------- */

struct instruction {
	LLVMModuleRef module;
	LLVMValueRef call;
	enum kind kind;
	unsigned nparts; /* of the result */
	LLVMTypeRef parts[MOST_PARTS];
	unsigned given, answered; /* words */
};

static bool read_result(struct instruction *x)
{
	LLVMTypeRef type = LLVMTypeOf(x->call);
	bool aggregate = LLVMGetTypeKind(type) == LLVMStructTypeKind;
	x->nparts = aggregate ? LLVMCountStructElementTypes(type) : 1;
	if (x->nparts > MOST_PARTS)
		return false;
	for (unsigned i = 0; i < x->nparts; i++) {
		x->parts[i] = aggregate ? LLVMStructGetTypeAtIndex(type, i) : type;
		if (!bits_of(x->parts[i]))
			return false;
		x->answered += words_of(x->parts[i]);
	}
	return x->answered <= (x->kind == ASKS ? MOST_WORDS : RETURNED_WORDS);
}

/* Constants stay in the instruction: it may have to have them there. */
static bool is_given(LLVMValueRef argument)
{
	return !LLVMIsConstant(argument);
}

static bool read_arguments(struct instruction *x)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(x->call); i++) {
		LLVMValueRef v = LLVMGetOperand(x->call, i);
		LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
		if (kind == LLVMMetadataTypeKind || kind == LLVMPointerTypeKind || !bits_of(LLVMTypeOf(v)))
			return false;
		x->given += is_given(v) ? words_of(LLVMTypeOf(v)) : 0;
	}
	return x->given <= MOST_WORDS;
}

static bool read_instruction(LLVMModuleRef m, LLVMValueRef call, struct instruction *x)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	*x = (struct instruction){.module = m, .call = call};
	if (LLVMGetNumOperandBundles(call))
		return false;
	if (LLVMIsAInlineAsm(callee))
		x->kind = kind_of_assembly(callee);
	else if (LLVMIsAFunction(callee) && is_intrinsic(callee))
		x->kind = kind_of_intrinsic(call, callee);
	return x->kind != STAYS && read_result(x) && read_arguments(x);
}

/* ---------------------------------------------------------------- its function ---------------- */

static void copy_attribute(LLVMValueRef from, LLVMValueRef to, const char *name)
{
	LLVMAttributeIndex function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(from, function, name, (unsigned)strlen(name));
	if (a)
		LLVMAddAttributeAtIndex(to, function, a);
}

static LLVMValueRef add_function(const struct instruction *x, LLVMTypeRef type)
{
	static const char prefix[] = RT_MACHINE_PREFIX;
	static unsigned n; /* the pass runs once in a process */
	char name[sizeof prefix + 16];
	LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(x->call));
	snprintf(name, sizeof name, "%s%u", prefix, ++n);
	LLVMValueRef f = LLVMAddFunction(x->module, name, type);
	LLVMSetLinkage(f, LLVMInternalLinkage);
	copy_attribute(caller, f, "target-cpu");
	copy_attribute(caller, f, "target-features");
	LLVMAppendBasicBlockInContext(LLVMGetModuleContext(x->module), f, "");
	return f;
}

/* The instruction itself, at the builder's place, with these words; the words of its answer go to `answer`. */
static void do_it(const struct instruction *x, LLVMBuilderRef b, const LLVMValueRef *words, LLVMValueRef *answer)
{
	LLVMValueRef copy = LLVMInstructionClone(x->call);
	for (unsigned i = 0; i < LLVMGetNumArgOperands(x->call); i++) {
		LLVMValueRef v = LLVMGetOperand(x->call, i);
		if (!is_given(v))
			continue;
		LLVMSetOperand(copy, i, from_words(b, LLVMTypeOf(v), words));
		words += words_of(LLVMTypeOf(v));
	}
	LLVMInstructionSetDebugLoc(copy, NULL);
	LLVMInsertIntoBuilder(b, copy);
	for (unsigned i = 0; i < x->nparts; i++)
		answer += to_words(b, x->nparts > 1 ? LLVMBuildExtractValue(b, copy, i, "") : copy, answer);
}

static void give_arguments(const struct instruction *x, LLVMBuilderRef b, LLVMValueRef *words)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(x->call); i++)
		if (is_given(LLVMGetOperand(x->call, i)))
			words += to_words(b, LLVMGetOperand(x->call, i), words);
}

static LLVMValueRef take_result(const struct instruction *x, LLVMBuilderRef b, const LLVMValueRef *words)
{
	LLVMTypeRef type = LLVMTypeOf(x->call);
	if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
		return from_words(b, type, words);
	LLVMValueRef v = LLVMGetPoison(type);
	for (unsigned i = 0; i < x->nparts; words += words_of(x->parts[i++]))
		v = LLVMBuildInsertValue(b, v, from_words(b, x->parts[i], words), i, "");
	return v;
}

static LLVMTypeRef answer_type(const struct instruction *x)
{
	LLVMTypeRef i64 = int_type(x->module, 64), both[] = {i64, i64};
	return x->answered == 1 ? i64 : LLVMStructTypeInContext(LLVMGetModuleContext(x->module), both, 2, false);
}

static LLVMValueRef function_that_computes(const struct instruction *x, LLVMTypeRef type)
{
	LLVMValueRef f = add_function(x, type), words[MOST_WORDS], answer[RETURNED_WORDS];
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(x->module));
	LLVMPositionBuilderAtEnd(b, LLVMGetEntryBasicBlock(f));
	LLVMGetParams(f, words);
	do_it(x, b, words, answer);
	if (x->answered == 1)
		LLVMBuildRet(b, answer[0]);
	else
		LLVMBuildAggregateRet(b, answer, x->answered);
	LLVMDisposeBuilder(b);
	return f;
}

static LLVMValueRef word_at(const struct instruction *x, LLVMBuilderRef b, LLVMValueRef buffer, unsigned i)
{
	LLVMValueRef index = int_value(x->module, 64, i);
	return LLVMBuildInBoundsGEP2(b, int_type(x->module, 64), buffer, &index, 1, "");
}

static LLVMValueRef function_that_asks(const struct instruction *x, LLVMTypeRef type)
{
	LLVMValueRef f = add_function(x, type), words[MOST_WORDS], answer[MOST_WORDS], buffer = LLVMGetParam(f, 0);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(x->module));
	LLVMPositionBuilderAtEnd(b, LLVMGetEntryBasicBlock(f));
	for (unsigned i = 0; i < x->given; i++)
		words[i] = LLVMBuildLoad2(b, int_type(x->module, 64), word_at(x, b, buffer, i), "");
	do_it(x, b, words, answer);
	for (unsigned i = 0; i < x->answered; i++)
		LLVMBuildStore(b, answer[i], word_at(x, b, buffer, i));
	LLVMBuildRetVoid(b);
	LLVMDisposeBuilder(b);
	return f;
}

/* ---------------------------------------------------------------- the call in its place ------- */

static void compute(const struct instruction *x, LLVMBuilderRef b, LLVMValueRef *words)
{
	LLVMTypeRef parameters[MOST_WORDS];
	for (unsigned i = 0; i < x->given; i++)
		parameters[i] = int_type(x->module, 64);
	LLVMTypeRef type = LLVMFunctionType(answer_type(x), parameters, x->given, false);
	LLVMValueRef answer = LLVMBuildCall2(b, type, function_that_computes(x, type), words, x->given, "");
	for (unsigned i = 0; i < x->answered; i++)
		words[i] = x->answered == 1 ? answer : LLVMBuildExtractValue(b, answer, i, "");
}

/* A local variable of the function that has the instruction. */
static LLVMValueRef add_buffer(const struct instruction *x)
{
	LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(x->call));
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(x->module));
	unsigned words = x->given > x->answered ? x->given : x->answered;
	LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)));
	LLVMValueRef buffer = LLVMBuildAlloca(b, LLVMArrayType2(int_type(x->module, 64), words), "");
	LLVMDisposeBuilder(b);
	return buffer;
}

LLVMValueRef machine_input(LLVMModuleRef m, LLVMTypeRef *type)
{
	LLVMTypeRef pointer = pointer_type(m), i64 = int_type(m, 64), parameters[] = {pointer, pointer, i64};
	*type = LLVMFunctionType(i64, parameters, 3, false);
	LLVMValueRef f = LLVMGetNamedFunction(m, "rethread_machine");
	if (f)
		return f;
	f = LLVMAddFunction(m, "rethread_machine", *type);
	static const char name[] = "nocapture";
	unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
	LLVMAddAttributeAtIndex(f, 2, LLVMCreateEnumAttribute(LLVMGetModuleContext(m), kind, 0));
	return f;
}

static void ask(const struct instruction *x, LLVMBuilderRef b, LLVMValueRef *words)
{
	LLVMModuleRef m = x->module;
	LLVMTypeRef pointer = pointer_type(m), type;
	LLVMTypeRef asks = LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetModuleContext(m)), &pointer, 1, false);
	LLVMValueRef buffer = add_buffer(x), input = machine_input(m, &type);
	for (unsigned i = 0; i < x->given; i++)
		LLVMBuildStore(b, words[i], word_at(x, b, buffer, i));
	LLVMValueRef arguments[] = {function_that_asks(x, asks), buffer, int_value(m, 64, 8 * x->answered)};
	LLVMBuildCall2(b, type, input, arguments, 3, "");
	for (unsigned i = 0; i < x->answered; i++)
		words[i] = LLVMBuildLoad2(b, int_type(m, 64), word_at(x, b, buffer, i), "");
}

static void turn(const struct instruction *x)
{
	LLVMValueRef words[MOST_WORDS];
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(x->module));
	build_before(b, x->call);
	give_arguments(x, b, words);
	(x->kind == ASKS ? ask : compute)(x, b, words);
	LLVMReplaceAllUsesWith(x->call, take_result(x, b, words));
	LLVMInstructionEraseFromParent(x->call);
	LLVMDisposeBuilder(b);
}

static void find_calls(LLVMModuleRef m, struct values *calls)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = is_instrumented(f) ? LLVMGetFirstBasicBlock(f) : NULL; b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (LLVMIsACallInst(i))
					values_push(calls, i);
}

void machine_turn(LLVMModuleRef m)
{
	struct values calls = {0};
	find_calls(m, &calls);
	for (size_t i = 0; i < calls.n; i++) {
		struct instruction x;
		if (read_instruction(m, calls.at[i], &x))
			turn(&x);
	}
	values_free(&calls);
}

void machine_inline(LLVMModuleRef m)
{
	struct values calls = {0};
	find_calls(m, &calls);
	for (size_t i = 0; i < calls.n; i++) {
		LLVMValueRef callee = direct_callee(calls.at[i]);
		if (callee && name_begins(callee, RT_MACHINE_PREFIX))
			llvm_inline(calls.at[i]);
	}
	values_free(&calls);
}
