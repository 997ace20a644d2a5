/* Building blocks of emitted code: see pass.h. */
#include "instrument/pass.h"

#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

LLVMTypeRef int_type(LLVMModuleRef m, unsigned bits)
{
	return LLVMIntTypeInContext(LLVMGetModuleContext(m), bits);
}

LLVMTypeRef pointer_type(LLVMModuleRef m)
{
	return LLVMPointerTypeInContext(LLVMGetModuleContext(m), 0);
}

LLVMValueRef int_value(LLVMModuleRef m, unsigned bits, uint64_t value)
{
	return LLVMConstInt(int_type(m, bits), value, false);
}

void build_before(LLVMBuilderRef b, LLVMValueRef at)
{
	LLVMPositionBuilderBefore(b, at);
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(at);
	if (!location) {
		LLVMValueRef f = LLVMGetBasicBlockParent(LLVMGetInstructionParent(at));
		LLVMMetadataRef scope = LLVMGetSubprogram(f);
		LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
		if (scope)
			location = LLVMDIBuilderCreateDebugLocation(context, 0, 0, scope, NULL);
	}
	LLVMSetCurrentDebugLocation2(b, location);
}

LLVMValueRef runtime_variable(LLVMModuleRef m, const char *name, LLVMTypeRef type,
			      bool thread_local_)
{
	LLVMValueRef v = LLVMGetNamedGlobal(m, name);
	if (v)
		return v;
	v = LLVMAddGlobal(m, type, name);
	if (thread_local_)
		LLVMSetThreadLocalMode(v, LLVMInitialExecTLSModel);
	llvm_set_local_in_executable(v);
	return v;
}

void add_attribute(LLVMValueRef f, const char *name, uint64_t value)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(f));
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(context, kind, value));
}

void drop_attribute(LLVMValueRef f, const char *name)
{
	LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				       LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

LLVMValueRef add_cold_function(LLVMModuleRef m, const char *name, LLVMTypeRef type)
{
	LLVMValueRef f = LLVMAddFunction(m, name, type);
	LLVMSetLinkage(f, LLVMInternalLinkage);
	add_attribute(f, "cold", 0);
	add_attribute(f, "noinline", 0);
	add_attribute(f, "uwtable", 2); /* a backtrace from the runtime passes through here */
	return f;
}

LLVMValueRef add_preserving_function(LLVMModuleRef m, const char *name, LLVMTypeRef type)
{
	LLVMValueRef f = add_cold_function(m, name, type);
	LLVMSetFunctionCallConv(f, LLVMPreserveMostCallConv);
	add_attribute(f, "nounwind", 0);
	return f;
}

LLVMValueRef runtime_function(LLVMModuleRef m, const char *name, LLVMTypeRef type)
{
	LLVMValueRef f = LLVMGetNamedFunction(m, name);
	if (!f) {
		f = LLVMAddFunction(m, name, type);
		add_attribute(f, "nounwind", 0);
	}
	return f;
}

LLVMValueRef runtime_slow_path(LLVMModuleRef m, const char *name, LLVMTypeRef type)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMValueRef target = runtime_function(m, name, type);

	char own[128];
	snprintf(own, sizeof own, "%s.slow", name);
	LLVMValueRef f = add_preserving_function(m, own, type);
	LLVMValueRef arguments[8];
	unsigned n = LLVMCountParams(f);
	LLVMGetParams(f, arguments);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, f, ""));
	LLVMValueRef result = LLVMBuildCall2(b, type, target, arguments, n, "");
	if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
		LLVMBuildRetVoid(b);
	else
		LLVMBuildRet(b, result);
	LLVMDisposeBuilder(b);
	return f;
}

LLVMValueRef call_slow_path(LLVMBuilderRef b, LLVMValueRef slow_path, LLVMValueRef *arguments, unsigned n)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(slow_path);
	LLVMValueRef call = LLVMBuildCall2(b, type, slow_path, arguments, n, "");
	LLVMSetInstructionCallConv(call, LLVMPreserveMostCallConv);
	return call;
}

LLVMValueRef hash_constant(LLVMModuleRef m, const uint8_t *hash)
{
	LLVMValueRef bytes[RT_HASH_SIZE];
	for (int i = 0; i < RT_HASH_SIZE; i++)
		bytes[i] = int_value(m, 8, hash[i]);
	return LLVMConstArray2(int_type(m, 8), bytes, RT_HASH_SIZE);
}

void emit_module_table(LLVMModuleRef m, const char *name, LLVMValueRef *fields, unsigned count)
{
	LLVMValueRef value =
		LLVMConstStructInContext(LLVMGetModuleContext(m), fields, count, false);
	LLVMValueRef table = LLVMGetNamedGlobal(m, name);
	if (table)
		pass_die("the program defines %s, a name that belongs to rethread", name);
	table = LLVMAddGlobal(m, LLVMTypeOf(value), name);
	LLVMSetInitializer(table, value);
	LLVMSetGlobalConstant(table, true);
}

/* Memory effects and the like: instrumented functions write logs, call the runtime, wait. */
static const char *const untrue_attributes[] = {
	"memory", "nosync", "nofree", "willreturn", "norecurse", "speculatable", "mustprogress",
};
enum { NUNTRUE = sizeof untrue_attributes / sizeof *untrue_attributes };

/*
 * The code generator makes one of calls that end in the same way, abort() in two lines for instance, and may do so in the
 * recorded program and not in the twin: then a failure would be in another line, or in none.
 */
static void keep_apart(LLVMValueRef call, LLVMValueRef callee)
{
	static const char name[] = "nomerge";
	if (callee && name_begins(callee, PASS_OWN_PREFIX))
		return;
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))));
	unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
	LLVMAddCallSiteAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, kind, 0));
}

static void mend_calls(LLVMValueRef function, const unsigned *kinds)
{
	LLVMAttributeIndex all = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			if (!is_call(i))
				continue;
			LLVMValueRef callee = direct_callee(i);
			if (callee && is_intrinsic(callee))
				continue;
			for (int k = 0; k < NUNTRUE; k++)
				LLVMRemoveCallSiteEnumAttribute(i, all, kinds[k]);
			keep_apart(i, callee);
		}
	}
}

void mend_attributes(LLVMModuleRef m)
{
	LLVMAttributeIndex all = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
	unsigned kinds[NUNTRUE];
	for (int k = 0; k < NUNTRUE; k++)
		kinds[k] = LLVMGetEnumAttributeKindForName(untrue_attributes[k],
							   strlen(untrue_attributes[k]));
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (is_intrinsic(f))
			continue;
		for (int k = 0; k < NUNTRUE; k++)
			LLVMRemoveEnumAttributeAtIndex(f, all, kinds[k]);
		mend_calls(f, kinds);
	}
}
