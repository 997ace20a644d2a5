/*
 * The twin: gates around every site, the entry switch, and the table by which the symbolic executor
 * finds the program's symbols (include/rethread/instrument.h).
 *
 * Gates and accesses are all volatile: the compiler keeps volatile operations in order, so an
 * access stays between the halves of its gate, and none is merged or removed.
 */
#include "instrument/pass.h"

#include <stdlib.h>

struct gates {
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTypeRef type; /* struct rt_gate */
	LLVMValueRef gate;
	LLVMValueRef wait, passed; /* slow paths */
};

enum { GATE_COUNT, GATE_NEXT, GATE_SIGNAL };

static LLVMValueRef gate_field(struct gates *g, unsigned field)
{
	return LLVMBuildStructGEP2(g->builder, g->type, g->gate, field, "");
}

static LLVMValueRef volatile_load(struct gates *g, LLVMTypeRef type, LLVMValueRef pointer)
{
	LLVMValueRef load = LLVMBuildLoad2(g->builder, type, pointer, "");
	LLVMSetVolatile(load, true);
	return load;
}

static void gate_before(struct gates *g, LLVMValueRef at, uint32_t site)
{
	LLVMBuilderRef b = g->builder;
	LLVMTypeRef i64 = int_type(g->module, 64);
	build_before(b, at);
	LLVMValueRef count = volatile_load(g, i64, gate_field(g, GATE_COUNT));
	count = LLVMBuildAdd(b, count, int_value(g->module, 64, 1), "");
	LLVMSetVolatile(LLVMBuildStore(b, count, gate_field(g, GATE_COUNT)), true);
	LLVMValueRef next = volatile_load(g, i64, gate_field(g, GATE_NEXT));
	LLVMValueRef asked = LLVMBuildICmp(b, LLVMIntUGE, count, next, "");
	build_before(b, llvm_unlikely_if(asked, at));
	call_slow_path(b, g->wait, int_value(g->module, 32, site));
}

static void gate_after(struct gates *g, LLVMValueRef at)
{
	LLVMBuilderRef b = g->builder;
	LLVMTypeRef i32 = int_type(g->module, 32);
	build_before(b, at);
	LLVMValueRef signal = volatile_load(g, i32, gate_field(g, GATE_SIGNAL));
	LLVMValueRef set = LLVMBuildICmp(b, LLVMIntNE, signal, int_value(g->module, 32, 0), "");
	build_before(b, llvm_unlikely_if(set, at));
	call_slow_path(b, g->passed, NULL);
}

/* The instruction that runs next once the site is done, or NULL when nothing may or can follow. */
static LLVMValueRef after_site(LLVMValueRef site)
{
	if (is_call(site) && (llvm_does_not_return(site) || llvm_is_musttail(site)))
		return NULL;
	switch (LLVMGetInstructionOpcode(site)) {
	case LLVMInvoke:
		return llvm_split_edge(site, 0);
	case LLVMCallBr:
		return NULL;
	default:
		return LLVMGetNextInstruction(site);
	}
}

static void make_volatile(LLVMValueRef site)
{
	switch (LLVMGetInstructionOpcode(site)) {
	case LLVMLoad:
	case LLVMStore:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		LLVMSetVolatile(site, true);
		break;
	case LLVMCall:
		llvm_set_memory_intrinsic_volatile(site);
		break;
	default:
		break;
	}
}

static void emit_gates(LLVMModuleRef m, const struct values *sites)
{
	LLVMTypeRef fields[] = {int_type(m, 64), int_type(m, 64), int_type(m, 32)};
	LLVMTypeRef type = LLVMStructTypeInContext(LLVMGetModuleContext(m), fields, 3, false);
	struct gates g = {
		.module = m,
		.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(m)),
		.type = type,
		.gate = runtime_variable(m, "__rethread_gate", type, true),
		.wait = runtime_slow_path(m, "__rethread_gate_wait", true),
		.passed = runtime_slow_path(m, "__rethread_gate_passed", false),
	};
	for (size_t i = 0; i < sites->n; i++) {
		LLVMValueRef site = sites->at[i];
		make_volatile(site);
		gate_before(&g, site, (uint32_t)i + 1);
		LLVMValueRef after = after_site(site);
		if (after)
			gate_after(&g, after);
	}
	LLVMDisposeBuilder(g.builder);
}

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

static void emit_table(LLVMModuleRef m, const struct numbering *n, const uint8_t *hash)
{
	LLVMValueRef fields[] = {
		int_value(m, 32, RT_ABI),     int_value(m, 32, n->symbols.n),
		int_value(m, 32, n->sites.n), int_value(m, 32, 0),
		emit_symbols(m, &n->symbols), emit_tls_address(m, &n->symbols),
		hash_constant(m, hash),
	};
	emit_module_table(m, "__rethread_twin_module", fields, sizeof fields / sizeof *fields);
}

void twin_instrument(LLVMModuleRef m, const struct numbering *n, const uint8_t *hash)
{
	emit_gates(m, &n->sites);
	emit_entries(m, &n->symbols);
	emit_table(m, n, hash);
}
