/*
 * The recorded program: every conditional br and switch appends its outcome to the path log
 * (include/rethread/instrument.h).
 *
 * Within a function the word under construction is kept in a register: an append stores it but does not
 * have to load it, which would put the latency of a store and a load on every branch. It is loaded on entry
 * and after everything that may have appended: calls, landing pads, the slow path. This is written
 * with two local variables, which are then promoted to registers.
 */
#include "instrument/pass.h"

struct recorder {
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMValueRef path;      /* __rethread_path */
	LLVMValueRef slow_path; /* to __rethread_path_full */
	LLVMValueRef log, word; /* local variables: the pointer and what it points to */
};

/* The largest piece that one append may add. */
enum { PIECE_BITS = 7 };

/* Read pointer and word from memory at the builder's position. */
static void reload(struct recorder *r)
{
	LLVMBuilderRef b = r->builder;
	LLVMValueRef log = LLVMBuildLoad2(b, pointer_type(r->module), r->path, "");
	LLVMBuildStore(b, log, r->log);
	LLVMBuildStore(b, LLVMBuildLoad2(b, int_type(r->module, 64), log, ""), r->word);
}

/* Append `nbits` <= PIECE_BITS bits, an i64, before `at`. */
static void append(struct recorder *r, LLVMValueRef at, LLVMValueRef bits, unsigned nbits)
{
	LLVMBuilderRef b = r->builder;
	build_before(b, at);
	LLVMValueRef old = LLVMBuildLoad2(b, int_type(r->module, 64), r->word, "");
	LLVMValueRef word = LLVMBuildShl(b, old, int_value(r->module, 64, nbits), "");
	word = LLVMBuildOr(b, word, bits, "");
	LLVMBuildStore(b, word, r->word);
	LLVMBuildStore(b, word, LLVMBuildLoad2(b, pointer_type(r->module), r->log, ""));
	/* word >> SHIFT, but from the old word, which is there already. */
	LLVMValueRef shift = int_value(r->module, 64, RT_PATH_FULL_SHIFT - nbits);
	LLVMValueRef high = LLVMBuildLShr(b, old, shift, "");
	LLVMValueRef full = LLVMBuildICmp(b, LLVMIntNE, high, int_value(r->module, 64, 0), "");
	build_before(b, llvm_unlikely_if(full, at));
	call_slow_path(b, r->slow_path, NULL);
	reload(r);
}

static void append_number(struct recorder *r, LLVMValueRef at, uint64_t number, unsigned nbits)
{
	while (nbits) {
		unsigned n = nbits % PIECE_BITS ? nbits % PIECE_BITS : PIECE_BITS;
		nbits -= n;
		uint64_t piece = number >> nbits & ((1u << n) - 1);
		append(r, at, int_value(r->module, 64, piece), n);
	}
}

static void record_conditional(struct recorder *r, LLVMValueRef br)
{
	append_number(r, llvm_split_edge(br, 0), 1, 1);
	append_number(r, llvm_split_edge(br, 1), 0, 1);
}

/* The optimiser says so of a default that no value reaches; a log entry would keep the block alive. */
static bool is_unreachable(LLVMBasicBlockRef block)
{
	LLVMValueRef first = LLVMGetFirstInstruction(block);
	return LLVMGetInstructionOpcode(first) == LLVMUnreachable;
}

static void record_switch(struct recorder *r, LLVMValueRef sw)
{
	unsigned n = LLVMGetNumSuccessors(sw);
	unsigned nbits = rt_switch_bits(n);
	for (unsigned i = 0; nbits && i < n; i++)
		if (!is_unreachable(LLVMGetSuccessor(sw, i)))
			append_number(r, llvm_split_edge(sw, i), i, nbits);
}

/* Branches that the log has no entry for: inference will stop there. */
static void warn_unrecorded(LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
			LLVMOpcode op = LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(b));
			if (op != LLVMIndirectBr && op != LLVMCallBr)
				continue;
			size_t length;
			pass_warn("%s in function %s is not recorded",
				  op == LLVMIndirectBr ? "computed goto" : "asm goto",
				  LLVMGetValueName2(f, &length));
			break;
		}
	}
}

static void emit_table(LLVMModuleRef m, const struct numbering *n, const uint8_t *hash)
{
	LLVMValueRef fields[] = {
		int_value(m, 32, RT_ABI),
		int_value(m, 32, n->symbols.n),
		int_value(m, 32, n->sites.n),
		int_value(m, 32, n->branches.n),
		hash_constant(m, hash),
	};
	emit_module_table(m, "__rethread_record_module", fields, sizeof fields / sizeof *fields);
}

/* ---------------------------------------------------------------- one function ---------------- */

/* May code that runs inside of this call append to the log? */
static bool call_may_append(LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	if (LLVMIsAInlineAsm(LLVMGetCalledValue(call)) || (callee && is_intrinsic(callee)))
		return false;
	return !llvm_does_not_return(call) && !llvm_is_musttail(call);
}

/* Where the word has to be read again: the instruction before which to do so, or NULL. */
static LLVMValueRef reload_point(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMCall:
		return call_may_append(i) ? LLVMGetNextInstruction(i) : NULL;
	case LLVMInvoke:
		return call_may_append(i) ? llvm_split_edge(i, 0) : NULL;
	case LLVMLandingPad:
		return LLVMGetNextInstruction(i);
	default:
		return NULL;
	}
}

static void reload_after_calls(struct recorder *r, LLVMValueRef f)
{
	struct values all = {0};
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			values_push(&all, i);
	for (size_t i = 0; i < all.n; i++) {
		LLVMValueRef at = reload_point(all.at[i]);
		if (!at)
			continue;
		build_before(r->builder, at);
		reload(r);
	}
	values_free(&all);
}

static void record_function(struct recorder *r, LLVMValueRef f, LLVMValueRef *branches, size_t n)
{
	build_before(r->builder, llvm_after_allocas(f));
	r->log = LLVMBuildAlloca(r->builder, pointer_type(r->module), "");
	r->word = LLVMBuildAlloca(r->builder, int_type(r->module, 64), "");
	reload(r);
	reload_after_calls(r, f);
	for (size_t i = 0; i < n; i++) {
		if (LLVMGetInstructionOpcode(branches[i]) == LLVMSwitch)
			record_switch(r, branches[i]);
		else
			record_conditional(r, branches[i]);
	}
	LLVMValueRef locals[] = {r->log, r->word};
	llvm_promote(f, locals, 2);
}

static LLVMValueRef function_of(LLVMValueRef instruction)
{
	return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

void record_instrument(LLVMModuleRef m, const struct numbering *n, const uint8_t *hash)
{
	struct recorder r = {
		.module = m,
		.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(m)),
		.path = runtime_variable(m, "__rethread_path", pointer_type(m), true),
		.slow_path = runtime_slow_path(m, "__rethread_path_full", false),
	};
	warn_unrecorded(m);
	LLVMValueRef *branches = n->branches.at;
	for (size_t i = 0, end; i < n->branches.n; i = end) {
		LLVMValueRef f = function_of(branches[i]);
		for (end = i; end < n->branches.n && function_of(branches[end]) == f;)
			end++;
		record_function(&r, f, branches + i, end - i);
	}
	emit_table(m, n, hash);
	LLVMDisposeBuilder(r.builder);
}
