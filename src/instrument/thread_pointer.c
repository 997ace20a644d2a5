/*
 * The thread pointer: allocators, locks and logs read it themselves, because that is quicker than a call, to know who they are. The C
 * library's threads are named by the same address, so pthread_self() tells the same, and the executor and a twin know what that is. It
 * is read by inline assembly, `mov %fs:0, reg` (mimalloc), by __builtin_thread_pointer or through a pointer relative to the register
 * (`__seg_fs`). The first word that it points to is the pointer itself, so is the third, in the C library's own use.
 */
#include "instrument/pass.h"

#include <ctype.h>
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

enum { FS_ADDRESS_SPACE = 257 };

static bool holds_pointer(unsigned long offset)
{
	return offset == 0 || offset == 16;
}

static bool is_word(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind ||
	       (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64);
}

/* ---------------------------------------------------------------- inline assembly */

static const char *skip_spaces(const char *s)
{
	return s + strspn(s, " \t\n;");
}

/* What follows `what`, and spaces, at s; NULL when something else is there, or s is NULL. */
static const char *after(const char *s, const char *what)
{
	return s && !strncmp(s, what, strlen(what)) ? skip_spaces(s + strlen(what)) : NULL;
}

/* The address where assembly has it, and not in its text: (ptr null), or a number that became one. */
static bool constant_address(LLVMValueRef v, unsigned long *address)
{
	if (LLVMIsAConstantPointerNull(v)) {
		*address = 0;
		return true;
	}
	if (!LLVMIsAConstantExpr(v) || LLVMGetConstOpcode(v) != LLVMIntToPtr || !LLVMIsAConstantInt(LLVMGetOperand(v, 0)))
		return false;
	*address = LLVMConstIntGetZExtValue(LLVMGetOperand(v, 0));
	return true;
}

/* "0", "0x10", or "$1": the only argument. Where it ends, or NULL. */
static const char *read_offset(LLVMValueRef call, const char *s, unsigned long *offset)
{
	char *end;
	unsigned given = LLVMGetNumArgOperands(call);
	if (given == 1 && constant_address(LLVMGetOperand(call, 0), offset))
		return after(s, "$1");
	if (given || !isdigit((unsigned char)*s))
		return NULL;
	*offset = strtoul(s, &end, 0);
	return skip_spaces(end);
}

/* mov %fs:0, $0 */
static bool is_assembly(LLVMValueRef call)
{
	size_t size, constraints;
	unsigned long offset = 1;
	LLVMValueRef assembly = LLVMGetCalledValue(call);
	if (!LLVMIsAInlineAsm(assembly) || strncmp(LLVMGetInlineAsmConstraintString(assembly, &constraints), "=r,", 3))
		return false;
	char *text = strndup(LLVMGetInlineAsmAsmString(assembly, &size), size);
	const char *s = text ? skip_spaces(text) : NULL, *mnemonic = after(s, "movq");
	s = after(mnemonic ? mnemonic : after(s, "mov"), "%fs:");
	s = s ? read_offset(call, s, &offset) : NULL;
	s = after(after(s, ","), "$0");
	bool is = s && !*s && holds_pointer(offset);
	free(text);
	return is;
}

/* ---------------------------------------------------------------- all of them */

static bool is_builtin(LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	return callee && name_begins(callee, "llvm.thread.pointer");
}

static bool is_load(LLVMValueRef i)
{
	unsigned long offset;
	if (!LLVMIsALoadInst(i))
		return false;
	LLVMValueRef place = LLVMGetOperand(i, 0);
	return LLVMGetPointerAddressSpace(LLVMTypeOf(place)) == FS_ADDRESS_SPACE && constant_address(place, &offset) && holds_pointer(offset);
}

static bool reads_pointer(LLVMValueRef i)
{
	return is_word(LLVMTypeOf(i)) && (is_load(i) || (LLVMIsACallInst(i) && (is_assembly(i) || is_builtin(i))));
}

/* pthread_self depends on nothing but the thread: as quiet as what stood there. */
static LLVMValueRef self_function(LLVMModuleRef m)
{
	LLVMValueRef f = LLVMGetNamedFunction(m, "pthread_self");
	static const char *const names[] = {"nounwind", "willreturn"};
	if (f)
		return f;
	f = LLVMAddFunction(m, "pthread_self", LLVMFunctionType(int_type(m, 64), NULL, 0, false));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
		LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(LLVMGetModuleContext(m), kind, 0));
	}
	return f;
}

static void turn(LLVMModuleRef m, LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(i);
	LLVMValueRef f = self_function(m);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	LLVMPositionBuilderBefore(b, i);
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(i));
	LLVMValueRef self = LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, NULL, 0, "");
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		self = LLVMBuildIntToPtr(b, self, type, "");
	LLVMReplaceAllUsesWith(i, self);
	LLVMInstructionEraseFromParent(i);
	LLVMDisposeBuilder(b);
}

void thread_pointer_turn(LLVMModuleRef m)
{
	struct values reads = {0};
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (reads_pointer(i))
					values_push(&reads, i);
	for (size_t i = 0; i < reads.n; i++)
		turn(m, reads.at[i]);
	values_free(&reads);
}
