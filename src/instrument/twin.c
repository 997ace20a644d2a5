/*
 * The twin: gates around every site (gates.c), the entry switch, and the table by which the symbolic executor
 * finds the program's symbols (include/rethread/instrument.h).
 */
#include "instrument/pass.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- the entry switch ------------ */

static bool native_code_may_call(LLVMValueRef f)
{
	LLVMLinkage linkage = LLVMGetLinkage(f);
	bool local = linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
	return !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f)) &&
	       (!local || llvm_address_taken(f));
}

static void emit_entries(LLVMModuleRef m, const struct values *symbols)
{
	for (size_t i = 0; i < symbols->n; i++) {
		LLVMValueRef f = symbols->at[i];
		if (LLVMIsAFunction(f) && is_instrumented(f) && native_code_may_call(f))
			twin_enter(m, f, (uint32_t)i);
	}
}

/* ---------------------------------------------------------------- the table ------------------- */

/* Referring to a declaration that nothing uses would make the link look for it. */
static bool has_address(LLVMValueRef symbol)
{
	if (name_begins(symbol, "llvm.") || LLVMGetPointerAddressSpace(LLVMTypeOf(symbol)) != 0)
		return false;
	return !LLVMIsDeclaration(symbol) || llvm_is_used(symbol);
}

static bool is_thread_local(LLVMValueRef symbol)
{
	return LLVMIsAGlobalVariable(symbol) && LLVMIsThreadLocal(symbol);
}

static LLVMValueRef emit_symbols(LLVMModuleRef m, const struct values *symbols)
{
	LLVMTypeRef pointer = pointer_type(m);
	LLVMValueRef *table = pass_alloc(symbols->n, sizeof *table);
	for (size_t i = 0; i < symbols->n; i++) {
		LLVMValueRef s = symbols->at[i];
		table[i] = has_address(s) && !is_thread_local(s) ? s : LLVMConstNull(pointer);
	}
	LLVMValueRef value = LLVMConstArray2(pointer, table, symbols->n);
	LLVMValueRef global = LLVMAddGlobal(m, LLVMTypeOf(value), "__rethread_symbols");
	LLVMSetInitializer(global, value);
	LLVMSetGlobalConstant(global, true);
	LLVMSetLinkage(global, LLVMInternalLinkage);
	free(table);
	return global;
}

/* void *tls_address(uint32_t symbol): one case for each thread-local variable. */
static LLVMValueRef emit_tls_address(LLVMModuleRef m, const struct values *symbols)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMTypeRef i32 = int_type(m, 32), pointer = pointer_type(m);
	LLVMValueRef f = add_cold_function(m, "__rethread_tls_address",
					   LLVMFunctionType(pointer, &i32, 1, false));
	LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBasicBlockRef none = LLVMAppendBasicBlockInContext(context, f, "");

	LLVMPositionBuilderAtEnd(b, none);
	LLVMBuildRet(b, LLVMConstNull(pointer));
	LLVMPositionBuilderAtEnd(b, entry);
	LLVMValueRef sw = LLVMBuildSwitch(b, LLVMGetParam(f, 0), none, 0);
	for (size_t i = 0; i < symbols->n; i++) {
		LLVMValueRef s = symbols->at[i];
		if (!is_thread_local(s) || !has_address(s))
			continue;
		LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(context, f, "");
		LLVMAddCase(sw, int_value(m, 32, i), block);
		LLVMPositionBuilderAtEnd(b, block);
		LLVMBuildRet(b, llvm_build_tls_address(b, s));
	}
	LLVMDisposeBuilder(b);
	return f;
}

/* What it hears from malloc_usable_size it may use: src/replay/heap.c. */
static bool measures_blocks(LLVMModuleRef m)
{
	LLVMValueRef f = LLVMGetNamedFunction(m, "malloc_usable_size");
	return f && llvm_is_used(f);
}

static void emit_table(LLVMModuleRef m, const struct numbering *n, const uint8_t *hash)
{
	LLVMValueRef fields[] = {
		int_value(m, 32, RT_ABI),     int_value(m, 32, n->symbols.n),
		int_value(m, 32, n->sites.n), int_value(m, 32, measures_blocks(m)),
		emit_symbols(m, &n->symbols), emit_tls_address(m, &n->symbols),
		hash_constant(m, hash),
	};
	emit_module_table(m, "__rethread_twin_module", fields, sizeof fields / sizeof *fields);
}

/* ---------------------------------------------------------------- what it takes to make ------- */

/* Instructions: of a program that is large, and of its functions that are. */
enum { LARGE_PROGRAM = 200000, LARGE_FUNCTION = 300 };

/*
 * Most of what a large program's link takes is the twin's code, and large functions take more than their part. They are not optimised any further:
 * the twin waits at gates, which are calls in large functions, for more than it works.
 */
static void spare_large_functions(LLVMModuleRef m)
{
	if (module_size(m) <= LARGE_PROGRAM)
		return;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (function_size(f) <= LARGE_FUNCTION || has_attribute(f, "alwaysinline"))
			continue;
		drop_attribute(f, "optsize");
		drop_attribute(f, "minsize");
		add_attribute(f, "noinline", 0);
		add_attribute(f, "optnone", 0);
	}
}

void twin_instrument(LLVMModuleRef m, const struct numbering *n, const uint8_t *hash)
{
	path_instrument(m, n, false); /* first: its stores come before what a gate shows */
	times_note(m, "recorded branches");
	twin_gates(m, n);
	times_note(m, "gates");
	emit_entries(m, &n->symbols);
	emit_table(m, n, hash);
	spare_large_functions(m);
}
