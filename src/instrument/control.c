/*
 * The control registers of floating point: how results are rounded, which exceptions are kept. They are read and written through memory only,
 * by inline assembly, `stmxcsr` and `fstcw` (oneTBB hands them on from thread to thread), or by intrinsics (_mm_getcsr), which the executor
 * does not interpret. What is read is an input, since the registers also hold which exceptions there have been; to write one is a
 * function of the machine (machine.c) that is given the value.
 */
#include "instrument/pass.h"

#include <ctype.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPERANDS = 4 };

static const struct control {
	const char *name, *intrinsic; /* intrinsic: NULL where there is none */
	bool reads;                   /* the register, to memory */
	unsigned bits;
} controls[] = {
	{"stmxcsr", "llvm.x86.sse.stmxcsr", true, 32}, {"ldmxcsr", "llvm.x86.sse.ldmxcsr", false, 32},
	{"fnstcw", NULL, true, 16},                    {"fstcw", NULL, true, 16},
	{"fldcw", NULL, false, 16},
};

struct step {
	const struct control *is;
	LLVMValueRef place;
};

/* ---------------------------------------------------------------- which */

static const struct control *find_control(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
		if (n == strlen(controls[i].name) && !memcmp(s, controls[i].name, n))
			return &controls[i];
	return NULL;
}

/* "=*m,=*m,~{...}": is everything an operand in memory, or clobbered? */
static bool all_in_memory(LLVMValueRef assembly)
{
	size_t n;
	const char *s = LLVMGetInlineAsmConstraintString(assembly, &n);
	while (*s && *s != '~') {
		s += *s == '=';
		if (strncmp(s, "*m", 2) || (s[2] && s[2] != ','))
			return false;
		s += s[2] ? 3 : 2;
	}
	return true;
}

/* "stmxcsr $0; fstcw $1": how many; 0 when something else is in the text. */
static unsigned read_text(LLVMValueRef call, struct step steps[MOST_OPERANDS])
{
	size_t size;
	unsigned n = 0, given = LLVMGetNumArgOperands(call);
	LLVMValueRef assembly = LLVMGetCalledValue(call);
	const char *s = LLVMGetInlineAsmAsmString(assembly, &size);
	if (given > MOST_OPERANDS || !all_in_memory(assembly))
		return 0;
	for (s += strspn(s, " \t\n;"); *s; s += strspn(s, " \t\n;")) {
		size_t length = strcspn(s, " \t");
		const struct control *is = n < MOST_OPERANDS ? find_control(s, length) : NULL;
		s += length;
		s += strspn(s, " \t");
		if (!is || s[0] != '$' || !isdigit((unsigned char)s[1]) || isdigit((unsigned char)s[2]) || (unsigned)(s[1] - '0') >= given)
			return 0;
		steps[n++] = (struct step){is, LLVMGetOperand(call, (unsigned)(s[1] - '0'))};
		s += 2;
	}
	return n;
}

static unsigned read_steps(LLVMValueRef call, struct step steps[MOST_OPERANDS])
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (LLVMIsAInlineAsm(callee))
		return read_text(call, steps);
	for (size_t i = 0; LLVMIsAFunction(callee) && i < sizeof controls / sizeof *controls; i++)
		if (controls[i].intrinsic && name_begins(callee, controls[i].intrinsic)) {
			steps[0] = (struct step){&controls[i], LLVMGetOperand(call, 0)};
			return 1;
		}
	return 0;
}

/* ---------------------------------------------------------------- their functions */

/* The instruction itself, on that memory. */
static void build_instruction(LLVMModuleRef m, LLVMBuilderRef b, const struct control *is, LLVMValueRef place)
{
	static const char name[] = "elementtype";
	LLVMContextRef c = LLVMGetModuleContext(m);
	LLVMTypeRef pointer = pointer_type(m), type = LLVMFunctionType(LLVMVoidTypeInContext(c), &pointer, 1, false);
	char text[32], *constraints = is->reads ? "=*m,~{dirflag},~{fpsr},~{flags}" : "*m,~{dirflag},~{fpsr},~{flags}";
	int n = snprintf(text, sizeof text, "%s $0", is->name);
	LLVMValueRef assembly = LLVMGetInlineAsm(type, text, (size_t)n, constraints, strlen(constraints), true, false, LLVMInlineAsmDialectATT, false);
	LLVMValueRef call = LLVMBuildCall2(b, type, assembly, &place, 1, "");
	unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
	LLVMAddCallSiteAttribute(call, 1, LLVMCreateTypeAttribute(c, kind, int_type(m, is->bits)));
}

/* void reads(void *to), or long writes(long value), of which the result says nothing. */
static LLVMValueRef function_of(LLVMModuleRef m, const struct control *is)
{
	char name[64];
	LLVMContextRef c = LLVMGetModuleContext(m);
	snprintf(name, sizeof name, "%s%s", RT_MACHINE_PREFIX, is->name);
	LLVMValueRef f = LLVMGetNamedFunction(m, name);
	if (f)
		return f;
	LLVMTypeRef given = is->reads ? pointer_type(m) : int_type(m, 64), answered = is->reads ? LLVMVoidTypeInContext(c) : int_type(m, 64);
	f = LLVMAddFunction(m, name, LLVMFunctionType(answered, &given, 1, false));
	LLVMSetLinkage(f, LLVMInternalLinkage);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(c, f, ""));
	LLVMValueRef place = LLVMGetParam(f, 0);
	if (!is->reads) {
		place = LLVMBuildAlloca(b, int_type(m, is->bits), "");
		LLVMBuildStore(b, LLVMBuildTrunc(b, LLVMGetParam(f, 0), int_type(m, is->bits), ""), place);
	}
	build_instruction(m, b, is, place);
	if (is->reads)
		LLVMBuildRetVoid(b);
	else
		LLVMBuildRet(b, int_value(m, 64, 0));
	LLVMDisposeBuilder(b);
	return f;
}

/* ---------------------------------------------------------------- the turn */

static void do_step(LLVMModuleRef m, LLVMBuilderRef b, const struct step *x)
{
	LLVMTypeRef type, i64 = int_type(m, 64);
	LLVMValueRef f = function_of(m, x->is);
	if (x->is->reads) {
		LLVMValueRef input = machine_input(m, &type), given[] = {f, x->place, int_value(m, 64, x->is->bits / 8)};
		LLVMBuildCall2(b, type, input, given, 3, "");
		return;
	}
	LLVMValueRef value = LLVMBuildZExt(b, LLVMBuildLoad2(b, int_type(m, x->is->bits), x->place, ""), i64, "");
	LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, &value, 1, "");
}

void control_turn(LLVMModuleRef m)
{
	struct values calls = {0};
	struct step steps[MOST_OPERANDS];
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = is_instrumented(f) ? LLVMGetFirstBasicBlock(f) : NULL; b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (LLVMIsACallInst(i) && read_steps(i, steps))
					values_push(&calls, i);
	for (size_t i = 0; i < calls.n; i++) {
		unsigned n = read_steps(calls.at[i], steps);
		LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
		LLVMPositionBuilderBefore(b, calls.at[i]);
		LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(calls.at[i]));
		for (unsigned k = 0; k < n; k++)
			do_step(m, b, &steps[k]);
		LLVMInstructionEraseFromParent(calls.at[i]);
		LLVMDisposeBuilder(b);
	}
	values_free(&calls);
}
