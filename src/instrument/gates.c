/*
 * The twin's gates around every site (include/rethread/instrument.h).
 *
 * Gates and accesses are all volatile: the compiler keeps volatile operations in order, so an
 * access stays between the halves of its gate, and none is merged or removed.
 */
#include "instrument/halves.h"

#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

struct gates {
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMTypeRef type; /* struct rt_gate */
	LLVMValueRef gate;
	LLVMValueRef wait, source, passed; /* slow paths */
	LLVMValueRef before, after;        /* the halves as functions */
	LLVMValueRef room_in;              /* function that has `room` already */
	LLVMValueRef room;                 /* for parameters of a library's function */
};

enum { GATE_COUNT, GATE_NEXT, GATE_SIGNAL };

/*
 * What a site accesses. `operand` is the number of the operand that is the address and may be replaced, or -1;
 * `source` the same for where a copy reads.
 */
struct accessed {
	enum rt_access kind;
	LLVMValueRef address; /* NULL: none */
	LLVMValueRef size;    /* i64 */
	int operand, source;
};

/* ---------------------------------------------------------------- what a site accesses -------- */

static LLVMValueRef size_of(struct gates *g, LLVMTypeRef type)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(g->module);
	return int_value(g->module, 64, LLVMStoreSizeOfType(layout, type));
}

static bool is_plain_pointer(LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) == 0;
}

static struct accessed memory_access(struct gates *g, enum rt_access kind, LLVMValueRef site, unsigned operand,
				     LLVMTypeRef type)
{
	LLVMValueRef address = LLVMGetOperand(site, operand);
	if (!is_plain_pointer(address))
		return (struct accessed){RT_ACCESS_UPDATE, NULL, NULL, -1, -1};
	bool moves = kind == RT_ACCESS_LOAD || kind == RT_ACCESS_STORE;
	return (struct accessed){kind, address, size_of(g, type), moves ? (int)operand : -1, -1};
}

/* Copies and fills: operands are target, source or value, length. */
static struct accessed block_access(LLVMValueRef site, bool copy)
{
	LLVMValueRef to = LLVMGetOperand(site, 0);
	if (!is_plain_pointer(to) || (copy && !is_plain_pointer(LLVMGetOperand(site, 1))))
		return (struct accessed){RT_ACCESS_UPDATE, NULL, NULL, -1, -1};
	return (struct accessed){RT_ACCESS_STORE, to, LLVMGetOperand(site, 2), 0, copy ? 1 : -1};
}

/* Masked and other vector accesses through an intrinsic: of up to the size of what is loaded or stored. */
static struct accessed intrinsic_access(struct gates *g, LLVMValueRef site)
{
	LLVMValueRef pointers[2];
	struct accessed a = {RT_ACCESS_UPDATE, NULL, NULL, -1, -1};
	LLVMTypeRef type = LLVMTypeOf(site);
	if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
		type = LLVMTypeOf(LLVMGetOperand(site, 0));
	if (accessed_pointers(site, pointers) && is_plain_pointer(pointers[0])) {
		a.address = pointers[0];
		a.size = size_of(g, type);
	}
	return a;
}

static struct accessed accessed_by(struct gates *g, LLVMValueRef site, enum site_kind kind)
{
	struct accessed none = {RT_ACCESS_NONE, NULL, NULL, -1, -1};
	switch (kind) {
	case SITE_FENCE: /* weaker ones, and those for signal handlers, only bind the compiler */
		if (LLVMGetOrdering(site) == LLVMAtomicOrderingSequentiallyConsistent && !LLVMIsAtomicSingleThread(site))
			none.kind = RT_ACCESS_FENCE;
		return none;
	case SITE_COPY:
	case SITE_FILL:
		return block_access(site, kind == SITE_COPY);
	case SITE_CALL:
	case SITE_INDIRECT:
	case SITE_ASM:
		return none;
	default:
		break;
	}
	switch (LLVMGetInstructionOpcode(site)) {
	case LLVMLoad:
		return memory_access(g, RT_ACCESS_LOAD, site, 0, LLVMTypeOf(site));
	case LLVMStore:
		return memory_access(g, LLVMGetOrdering(site) == LLVMAtomicOrderingSequentiallyConsistent
						? RT_ACCESS_UPDATE : RT_ACCESS_STORE,
				     site, 1, LLVMTypeOf(LLVMGetOperand(site, 0)));
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return memory_access(g, RT_ACCESS_UPDATE, site, 0, LLVMTypeOf(LLVMGetOperand(site, 1)));
	default:
		return intrinsic_access(g, site);
	}
}

/* ---------------------------------------------------------------- the two halves -------------- */

static LLVMValueRef gate_field(struct gates *g, LLVMBuilderRef b, unsigned field)
{
	return LLVMBuildStructGEP2(b, g->type, g->gate, field, "");
}

static LLVMValueRef volatile_load(struct gates *g, LLVMBuilderRef b, LLVMTypeRef type, unsigned field)
{
	LLVMValueRef load = LLVMBuildLoad2(b, type, gate_field(g, b, field), "");
	LLVMSetVolatile(load, true);
	return load;
}

/* The access uses `moved` when it comes by way of the block `slow`, else the address it has. */
static void replace_operand(struct gates *g, LLVMValueRef site, int operand, LLVMValueRef moved,
			    LLVMBasicBlockRef slow, LLVMBasicBlockRef fast)
{
	LLVMValueRef values[] = {LLVMGetOperand(site, (unsigned)operand), moved};
	LLVMBasicBlockRef from[] = {fast, slow};
	LLVMBasicBlockRef block = LLVMGetInstructionParent(site);
	LLVMPositionBuilderBeforeInstrAndDbgRecords(g->builder, LLVMGetFirstInstruction(block));
	LLVMValueRef phi = LLVMBuildPhi(g->builder, pointer_type(g->module), "");
	LLVMAddIncoming(phi, values, from, 2);
	LLVMSetOperand(site, (unsigned)operand, phi);
}

/* ---------------------------------------------------------------- calls of libraries ---------- */

/* The line of externals.def, from 1, that the site calls; 0: none. What does not return cannot be waited for. */
static uint32_t library_line(LLVMValueRef site, enum site_kind kind)
{
	static const char *const names[] = {
#define EXTERNAL(name, class, effects) #name,
#include <rethread/externals.def>
#undef EXTERNAL
	};
	LLVMValueRef callee = kind == SITE_CALL ? direct_callee(site) : NULL;
	size_t length;
	const char *name = callee ? LLVMGetValueName2(callee, &length) : NULL;
	for (uint32_t i = 0; name && i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], name))
			return i + 1;
	return name && !llvm_does_not_return(site) && !llvm_is_musttail(site) ? RT_LIBRARY_UNKNOWN : 0;
}

/* Is it a line of externals.def? */
static bool is_in_table(uint32_t library)
{
	return library && library != RT_LIBRARY_UNKNOWN;
}

static LLVMValueRef room_for_parameters(struct gates *g, LLVMValueRef site)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(site));
	if (g->room_in == function)
		return g->room;
	LLVMValueRef first = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
	LLVMPositionBuilderBeforeInstrAndDbgRecords(g->builder, first);
	g->room_in = function;
	g->room = LLVMBuildAlloca(g->builder, LLVMArrayType2(int_type(g->module, 64), RT_LIBRARY_PARAMETERS), "");
	return g->room;
}

static LLVMValueRef as_word(struct gates *g, LLVMValueRef v)
{
	LLVMTypeRef i64 = int_type(g->module, 64), type = LLVMTypeOf(v);
	if (is_plain_pointer(v))
		return LLVMBuildPtrToInt(g->builder, v, i64, "");
	if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) <= 64)
		return LLVMBuildZExtOrBitCast(g->builder, v, i64, "");
	return int_value(g->module, 64, 0);
}

/* The builder is in the slow path; how many were stored. */
static unsigned store_parameters(struct gates *g, LLVMValueRef site)
{
	unsigned n = LLVMGetNumArgOperands(site);
	n = n < RT_LIBRARY_PARAMETERS ? n : RT_LIBRARY_PARAMETERS;
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef index = int_value(g->module, 64, i);
		LLVMValueRef at = LLVMBuildGEP2(g->builder, int_type(g->module, 64), g->room, &index, 1, "");
		LLVMBuildStore(g->builder, as_word(g, LLVMGetOperand(site, i)), at);
	}
	return n;
}

/* ---------------------------------------------------------------- before and after ------------ */

static LLVMValueRef as_size(struct gates *g, LLVMValueRef size)
{
	return LLVMBuildZExtOrBitCast(g->builder, size, int_type(g->module, 64), "");
}

/* ++count >= next, where the builder is */
static LLVMValueRef ask_before(void *gates, LLVMBuilderRef b)
{
	struct gates *g = gates;
	LLVMTypeRef i64 = int_type(g->module, 64);
	LLVMValueRef count = volatile_load(g, b, i64, GATE_COUNT);
	count = LLVMBuildAdd(b, count, int_value(g->module, 64, 1), "");
	LLVMSetVolatile(LLVMBuildStore(b, count, gate_field(g, b, GATE_COUNT)), true);
	return LLVMBuildICmp(b, LLVMIntUGE, count, volatile_load(g, b, i64, GATE_NEXT), "");
}

/* signal != 0, where the builder is */
static LLVMValueRef ask_after(void *gates, LLVMBuilderRef b)
{
	struct gates *g = gates;
	LLVMValueRef signal = volatile_load(g, b, int_type(g->module, 32), GATE_SIGNAL);
	return LLVMBuildICmp(b, LLVMIntNE, signal, int_value(g->module, 32, 0), "");
}

/* What a gate is told, where the builder is. */
static void build_arguments(struct gates *g, LLVMValueRef at, uint32_t site, const struct accessed *a, uint32_t library,
			    LLVMValueRef arguments[4])
{
	unsigned parameters = is_in_table(library) ? store_parameters(g, at) : 0;
	arguments[0] = int_value(g->module, 32, site);
	arguments[1] = int_value(g->module, 32, a->kind | library << RT_ACCESS_LIBRARY);
	arguments[2] = a->address ? a->address : LLVMConstNull(pointer_type(g->module));
	arguments[3] = a->size ? as_size(g, a->size) : int_value(g->module, 64, parameters);
}

static void gate_before(struct gates *g, LLVMValueRef at, uint32_t site, enum site_kind kind, bool called)
{
	LLVMBuilderRef b = g->builder;
	struct accessed a = accessed_by(g, at, kind);
	uint32_t library = library_line(at, kind);
	LLVMValueRef arguments[4];
	if (is_in_table(library))
		a.address = room_for_parameters(g, at);
	build_before(b, at);
	if (called && a.source < 0) { /* a copy asks twice, which is for the slow path only */
		build_arguments(g, at, site, &a, library, arguments);
		LLVMValueRef moved = call_slow_path(b, g->before, arguments, 4);
		if (a.operand >= 0)
			LLVMSetOperand(at, (unsigned)a.operand, moved);
		return;
	}
	LLVMValueRef asked = ask_before(g, b);
	LLVMBasicBlockRef fast = LLVMGetInstructionParent(asked);
	LLVMValueRef end = llvm_unlikely_if(asked, at);
	build_before(b, end);
	LLVMBasicBlockRef slow = LLVMGetInstructionParent(end);
	build_arguments(g, at, site, &a, library, arguments);
	LLVMValueRef moved = call_slow_path(b, g->wait, arguments, 4), from = NULL;
	if (a.source >= 0) {
		LLVMValueRef read[] = {LLVMGetOperand(at, (unsigned)a.source), arguments[3]};
		from = call_slow_path(b, g->source, read, 2);
	}
	if (a.operand >= 0)
		replace_operand(g, at, a.operand, moved, slow, fast);
	if (from)
		replace_operand(g, at, a.source, from, slow, fast);
}

static void gate_after(struct gates *g, LLVMValueRef at, bool called)
{
	LLVMBuilderRef b = g->builder;
	build_before(b, at);
	if (called) {
		call_slow_path(b, g->after, NULL, 0);
		return;
	}
	build_before(b, llvm_unlikely_if(ask_after(g, b), at));
	call_slow_path(b, g->passed, NULL, 0);
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

void twin_gates(LLVMModuleRef m, const struct numbering *n)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMTypeRef i32 = int_type(m, 32), i64 = int_type(m, 64), pointer = pointer_type(m);
	LLVMTypeRef fields[] = {i64, i64, i32};
	LLVMTypeRef type = LLVMStructTypeInContext(context, fields, 3, false);
	LLVMTypeRef wait[] = {i32, i32, pointer, i64}, source[] = {pointer, i64};
	LLVMTypeRef nothing = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
	struct gates g = {
		.module = m,
		.builder = LLVMCreateBuilderInContext(context),
		.type = type,
		.gate = runtime_variable(m, "__rethread_gate", type, true),
		.wait = runtime_slow_path(m, "__rethread_gate_wait",
					  LLVMFunctionType(pointer, wait, 4, false)),
		.source = runtime_slow_path(m, "__rethread_gate_source",
					    LLVMFunctionType(pointer, source, 2, false)),
		.passed = runtime_slow_path(m, "__rethread_gate_passed", nothing),
	};
	g.before = half_function(m, "__rethread_gate_wait.half", g.wait, ask_before, &g);
	g.after = half_function(m, "__rethread_gate_passed.half", g.passed, ask_after, &g);
	bool *called = halves_called(&n->sites, (struct in_line){.loop = 16, .outside = 8});
	for (size_t i = 0; i < n->sites.n; i++) {
		LLVMValueRef site = n->sites.at[i];
		make_volatile(site);
		LLVMValueRef after = after_site(site);
		gate_before(&g, site, (uint32_t)i + 1, n->kinds[i], called[i]);
		if (after)
			gate_after(&g, after, called[i]);
	}
	free(called);
	LLVMDisposeBuilder(g.builder);
}
