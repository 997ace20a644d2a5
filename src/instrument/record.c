/*
 * The recorded program: every conditional br and switch appends its outcome to the path log
 * (include/rethread/instrument.h).
 *
 * What is appended is a constant on each edge out of the branch: cheaper than making a bit of the
 * condition. Within a function the word under construction is kept in a register: an append stores
 * it but does not have to load it, which would put the latency of a store and a load on every
 * branch. It is loaded on entry and after everything that may have appended: calls, landing pads,
 * the slow path. This is written with two local variables, which are then promoted to registers.
 * room.c decides where to ask whether the word is full. An append that is followed by another one, with
 * nothing in between that can fail or be seen, leaves the store to that one.
 */
#include "instrument/addresses.h"

#include <stdlib.h>
#include <string.h>

/*
 * An edge out of a branch, with a block of its own: `bits` bits of `number` are appended before its
 * end, `at`.
 */
struct edge {
	LLVMValueRef at;
	uint32_t number;
	uint32_t bits;
	bool stored; /* the word goes to memory here; else it does so before anything that shows it missing */
};

struct recorder {
	LLVMModuleRef module;
	LLVMBuilderRef builder;
	LLVMValueRef path;      /* __rethread_path */
	LLVMValueRef slow_path; /* __rethread_path_full */
	LLVMValueRef between;   /* __rethread_path_room: not at the branch whose bits come next */
	LLVMValueRef log, word; /* local variables: the pointer and what it points to */
	struct edge *edges;     /* of the function at hand */
	size_t nedges, edges_cap;
};

/* Read pointer and word from memory at the builder's position. */
static void reload(struct recorder *r)
{
	LLVMBuilderRef b = r->builder;
	LLVMValueRef log = LLVMBuildLoad2(b, pointer_type(r->module), r->path, "");
	LLVMBuildStore(b, log, r->log);
	LLVMBuildStore(b, LLVMBuildLoad2(b, int_type(r->module, 64), log, ""), r->word);
}

/* Make room: if (word < 0) slow_path(); */
static void check(struct recorder *r, LLVMValueRef at, LLVMValueRef slow_path)
{
	LLVMBuilderRef b = r->builder;
	build_before(b, at);
	LLVMValueRef word = LLVMBuildLoad2(b, int_type(r->module, 64), r->word, "");
	LLVMValueRef full = LLVMBuildICmp(b, LLVMIntSLT, word, int_value(r->module, 64, 0), "");
	build_before(b, llvm_unlikely_if(full, at));
	LLVMBuildStore(b, word, LLVMBuildLoad2(b, pointer_type(r->module), r->log, ""));
	call_slow_path(b, slow_path, NULL, 0);
	reload(r);
}

/* word = word << nbits | value; if (store) *log = word; */
static void append_value(struct recorder *r, LLVMValueRef at, LLVMValueRef value, unsigned nbits, bool store)
{
	LLVMBuilderRef b = r->builder;
	build_before(b, at);
	LLVMValueRef word = LLVMBuildLoad2(b, int_type(r->module, 64), r->word, "");
	word = LLVMBuildShl(b, word, int_value(r->module, 64, nbits), "");
	word = LLVMBuildOr(b, word, value, "");
	LLVMBuildStore(b, word, r->word);
	if (store)
		LLVMBuildStore(b, word, LLVMBuildLoad2(b, pointer_type(r->module), r->log, ""));
}

/* Room for the first piece has been made. */
static void append_edge(struct recorder *r, const struct edge *e)
{
	unsigned left = e->bits;
	while (left) {
		unsigned n = left % RT_PATH_ROOM ? left % RT_PATH_ROOM : RT_PATH_ROOM;
		if (left < e->bits)
			check(r, e->at, r->between);
		left -= n;
		LLVMValueRef piece = int_value(r->module, 64, e->number >> left & ((1u << n) - 1));
		append_value(r, e->at, piece, n, e->stored);
	}
}

/* ---------------------------------------------------------------- edges ----------------------- */

/* A default that no value reaches; a log entry would keep its block alive. */
static bool is_unreachable(LLVMBasicBlockRef block)
{
	LLVMValueRef first = LLVMGetFirstInstruction(block);
	return LLVMGetInstructionOpcode(first) == LLVMUnreachable;
}

static void add_edge(struct recorder *r, LLVMValueRef branch, unsigned i, uint32_t number,
		     unsigned bits)
{
	if (r->nedges == r->edges_cap)
		r->edges = pass_grow(r->edges, &r->edges_cap, sizeof *r->edges);
	r->edges[r->nedges++] = (struct edge){llvm_split_edge(branch, i), number, bits, true};
}

static void add_edges(struct recorder *r, LLVMValueRef branch)
{
	if (LLVMGetInstructionOpcode(branch) == LLVMBr) {
		add_edge(r, branch, 0, 1, 1); /* the condition is true */
		add_edge(r, branch, 1, 0, 1);
		return;
	}
	unsigned n = LLVMGetNumSuccessors(branch);
	unsigned bits = rt_switch_bits(n);
	for (unsigned i = 0; bits && i < n; i++)
		if (!is_unreachable(LLVMGetSuccessor(branch, i)))
			add_edge(r, branch, i, i, bits);
}

/*
 * Can the instruction fail, or can anybody see that it was executed? Then the log must say how the thread came
 * there.
 */
static bool is_visible(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMPHI: case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMShl: case LLVMLShr: case LLVMAShr:
	case LLVMAnd: case LLVMOr: case LLVMXor: case LLVMICmp: case LLVMFCmp: case LLVMSelect: case LLVMTrunc:
	case LLVMZExt: case LLVMSExt: case LLVMGetElementPtr: case LLVMFreeze: case LLVMBitCast: case LLVMPtrToInt:
	case LLVMIntToPtr: case LLVMFAdd: case LLVMFSub: case LLVMFMul: case LLVMFNeg: case LLVMSIToFP:
	case LLVMUIToFP: case LLVMFPToSI: case LLVMFPToUI: case LLVMFPExt: case LLVMFPTrunc: case LLVMBr:
	case LLVMExtractElement: case LLVMInsertElement: case LLVMShuffleVector: case LLVMExtractValue:
	case LLVMInsertValue:
		return false;
	case LLVMCall: {
		LLVMValueRef callee = direct_callee(i);
		return !callee || !is_intrinsic(callee) || !llvm_call_without_memory(i);
	}
	default:
		return true;
	}
}

/* From the end of the edge's block on, does nothing visible come before the next append? */
static bool appends_again(const struct map *bits, LLVMBasicBlockRef b)
{
	for (int hops = 0; hops < 4; hops++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		if (LLVMGetInstructionOpcode(end) != LLVMBr)
			return false;
		if (LLVMIsConditional(end))
			return map_get(bits, LLVMGetSuccessor(end, 0)) && map_get(bits, LLVMGetSuccessor(end, 1));
		b = LLVMGetSuccessor(end, 0);
		if (map_get(bits, b))
			return false;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (is_visible(i))
				return false;
	}
	return false;
}

static void plan_stores(struct recorder *r, const struct map *bits)
{
	for (size_t i = 0; i < r->nedges; i++)
		r->edges[i].stored = !appends_again(bits, LLVMGetInstructionParent(r->edges[i].at));
}

/* Branches that the log has no entry for: inference will stop there. */
static void warn_unrecorded(LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b)) {
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
		int_value(m, 32, RT_ABI),     int_value(m, 32, n->symbols.n),
		int_value(m, 32, n->sites.n), int_value(m, 32, n->branches.n),
		hash_constant(m, hash),
	};
	emit_module_table(m, "__rethread_record_module", fields, sizeof fields / sizeof *fields);
}

/* ---------------------------------------------------------------- one function ---------------- */

/* Functions of the C library that are called often and never run code of the program. */
static const char *const quiet[] = {
	"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock", "pthread_spin_lock",
	"pthread_spin_trylock", "pthread_spin_unlock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
	"pthread_rwlock_unlock", "pthread_cond_signal", "pthread_cond_broadcast", "sem_post", "sem_trywait",
	"mtx_lock", "mtx_trylock", "mtx_unlock", "cnd_signal", "cnd_broadcast", "flockfile", "ftrylockfile",
	"funlockfile",
};

/* Then one may run in any call that does not come straight back, and append. */
static bool has_signal_handlers(LLVMModuleRef m)
{
	static const char *const names[] = {"sigaction", "signal", "bsd_signal", "__sysv_signal", "sigset"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (LLVMGetNamedFunction(m, names[i]))
			return true;
	return false;
}

static bool is_quiet(LLVMValueRef function)
{
	size_t length;
	const char *name = LLVMGetValueName2(function, &length);
	if (!LLVMIsDeclaration(function))
		return false;
	if (has_signal_handlers(LLVMGetGlobalParent(function)))
		return is_intrinsic(function);
	for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
		if (!strcmp(name, quiet[i]))
			return true;
	return is_intrinsic(function) || llvm_never_calls_back(function);
}

bool call_may_append(LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	return !LLVMIsAInlineAsm(LLVMGetCalledValue(call)) && !(callee && is_quiet(callee));
}

/* Does control come back behind the call, with a log that may have grown? */
static bool needs_reload(LLVMValueRef call)
{
	return call_may_append(call) && !llvm_does_not_return(call) && !llvm_is_musttail(call);
}

/* Where the word has to be read again: the instruction before which to do so, or NULL. */
static LLVMValueRef reload_point(LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMCall:
		return needs_reload(i) ? LLVMGetNextInstruction(i) : NULL;
	case LLVMInvoke:
		return needs_reload(i) ? llvm_split_edge(i, 0) : NULL;
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

static void make_locals(struct recorder *r, LLVMValueRef f)
{
	build_before(r->builder, llvm_after_allocas(f));
	r->log = LLVMBuildAlloca(r->builder, pointer_type(r->module), "");
	r->word = LLVMBuildAlloca(r->builder, int_type(r->module, 64), "");
	reload(r);
}

static void plan_checks(struct recorder *r, LLVMValueRef f, struct values *checks)
{
	struct map bits = {0};
	for (size_t i = 0; i < r->nedges; i++)
		map_set(&bits, LLVMGetInstructionParent(r->edges[i].at), r->edges[i].bits);
	room_plan(f, &bits, checks);
	plan_stores(r, &bits);
	map_free(&bits);
}

static void record_function(struct recorder *r, LLVMValueRef f, LLVMValueRef *branches, size_t n)
{
	struct values checks = {0};
	struct map edges = {0};
	r->nedges = 0;
	for (size_t i = 0; i < n; i++)
		add_edges(r, branches[i]);
	plan_checks(r, f, &checks);

	make_locals(r, f);
	reload_after_calls(r, f);
	for (size_t i = 0; i < r->nedges; i++)
		map_set(&edges, r->edges[i].at, 1);
	for (size_t i = 0; i < checks.n; i++)
		check(r, checks.at[i], map_get(&edges, checks.at[i]) ? r->slow_path : r->between);
	map_free(&edges);
	for (size_t i = 0; i < r->nedges; i++)
		append_edge(r, &r->edges[i]);
	LLVMValueRef locals[] = {r->log, r->word};
	llvm_promote(f, locals, 2);
	values_free(&checks);
}

/* The function of anchors (pass.h) appends the same bits without a branch for each digit, which nobody could predict. */
_Static_assert(PASS_ANCHOR_BITS + 1 <= RT_PATH_ROOM, "a digit is one piece");

/* What it returns is what it gets, which nobody has to wait for. */
static void go_around(LLVMValueRef anchor)
{
	for (LLVMUseRef u = LLVMGetFirstUse(anchor); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMGetUser(u);
		LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
	}
}

static void record_anchor(struct recorder *r, LLVMValueRef f)
{
	LLVMModuleRef m = r->module;
	LLVMBuilderRef b = r->builder;
	LLVMTypeRef i64 = int_type(m, 64);
	go_around(f);
	llvm_drop_body(f);
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(LLVMGetModuleContext(m), f, "");
	LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(LLVMGetModuleContext(m), f, "");
	LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(LLVMGetModuleContext(m), f, "");
	LLVMPositionBuilderAtEnd(b, entry);
	LLVMSetCurrentDebugLocation2(b, NULL);
	LLVMBuildBr(b, loop);
	make_locals(r, f);
	LLVMPositionBuilderAtEnd(b, end);
	LLVMValueRef ret = LLVMBuildRet(b, LLVMGetParam(f, 0));
	LLVMPositionBuilderAtEnd(b, loop);
	LLVMValueRef rest = LLVMBuildPhi(b, i64, "");
	LLVMValueRef digit = LLVMBuildAnd(b, rest, int_value(m, 64, (1u << PASS_ANCHOR_BITS) - 1), "");
	LLVMValueRef less = LLVMBuildLShr(b, rest, int_value(m, 64, PASS_ANCHOR_BITS), "");
	LLVMValueRef more = LLVMBuildICmp(b, LLVMIntNE, less, int_value(m, 64, 0), "");
	LLVMValueRef bits = LLVMBuildOr(b, LLVMBuildShl(b, digit, int_value(m, 64, 1), ""), LLVMBuildZExt(b, more, i64, ""), "");
	LLVMValueRef back = LLVMBuildCondBr(b, more, loop, end);
	check(r, back, r->between);
	append_value(r, back, bits, PASS_ANCHOR_BITS + 1, true);
	check(r, ret, r->between);
	LLVMValueRef values[] = {LLVMGetParam(f, 0), less};
	LLVMBasicBlockRef from[] = {entry, LLVMGetInstructionParent(back)};
	LLVMAddIncoming(rest, values, from, 2);
	LLVMValueRef locals[] = {r->log, r->word};
	llvm_promote(f, locals, 2);
}

static LLVMValueRef function_of(LLVMValueRef instruction)
{
	return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

/* It is called without a function in between (call_slow_path): it saves what it uses itself. */
static LLVMValueRef path_function(LLVMModuleRef m, const char *name)
{
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetModuleContext(m)), NULL, 0, false);
	LLVMValueRef f = runtime_function(m, name, type);
	LLVMSetFunctionCallConv(f, LLVMPreserveMostCallConv);
	return f;
}

void path_instrument(LLVMModuleRef m, const struct numbering *n)
{
	struct recorder r = {
		.module = m,
		.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(m)),
		.path = runtime_variable(m, "__rethread_path", pointer_type(m), true),
		.slow_path = path_function(m, "__rethread_path_full"),
		.between = path_function(m, "__rethread_path_room"),
	};
	LLVMValueRef *branches = n->branches.at;
	for (size_t i = 0, end; i < n->branches.n; i = end) {
		LLVMValueRef f = function_of(branches[i]);
		for (end = i; end < n->branches.n && function_of(branches[end]) == f;)
			end++;
		size_t length;
		if (!strcmp(LLVMGetValueName2(f, &length), PASS_ANCHOR))
			record_anchor(&r, f);
		else
			record_function(&r, f, branches + i, end - i);
	}
	free(r.edges);
	LLVMDisposeBuilder(r.builder);
}

void record_instrument(LLVMModuleRef m, const struct numbering *n, const uint8_t *hash)
{
	warn_unrecorded(m);
	path_instrument(m, n);
	times_note(m, "recorded branches");
	shown_instrument(m, n);
	addresses_places(m, &n->symbols);
	addresses_record(m, &n->recorded); /* last: it copies functions */
	times_note(m, "recorded values");
	emit_table(m, n, hash);
}
