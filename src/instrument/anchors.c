/*
 * Numbers that the path tells: anchors.
 *
 *     size_t end = taken + BLOCK;        read once, from memory that threads share
 *     while (i < end && text[i] != ' ')  a million times
 *
 * Inference does not know `end`, so each `i < end` would be recorded. It costs less to record `end` itself, once: then all
 * that is computed from it is known. An anchor does that without anything new in the log: the number goes through a
 * function that branches on its digits and puts them together again from constants. Its branches are recorded like any other, and
 * what it returns is known as soon as the path is (recompute.c).
 *
 * Which numbers: those that are read, passed in or returned seldom, as far as loops tell, and decide branches that come often.
 */
#include "instrument/recompute.h"
#include "instrument/shared.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROOTS = 4,     /* of one branch, at most */
	VISITED = 500, /* values looked at for one branch, at most */
	ROUNDS = 5,    /* calls that frequencies go along */
	DIGIT = 1 << PASS_ANCHOR_BITS,
};
/* What a loop is taken to multiply by, and how much more often than the number its branches have to come, for a gain. */
static const double lap = 5, worth = 20;
/* The same for numbers that come once a round of the outermost loops at most: they cost little even where they gain nothing. */
static const double worth_seldom = 4;

struct root {
	LLVMValueRef value;
	double frequency, gain;
	bool chosen;
};

/* A branch that would be known if its roots were. */
struct wish {
	uint32_t roots[ROOTS], n;
	double frequency;
};

struct anchors {
	LLVMModuleRef module;
	struct sharing *sharing;
	struct recompute *recompute;
	struct map depth;    /* block: how many loops it is in, + 1 */
	struct map function; /* its place in frequency[], + 1 */
	double *frequency;
	struct map first; /* class: its first store in stores[], + 1 */
	struct store {
		LLVMValueRef store;
		uint32_t next; /* of the same class, + 1 */
	} *stores;
	size_t nstores, stores_cap;
	struct map number; /* value: its place in roots[], + 1 */
	struct root *roots;
	size_t nroots, roots_cap;
	struct wish *wishes;
	size_t nwishes, wishes_cap;
	/* While one branch is looked at: */
	struct map seen;
	unsigned nseen;
	struct wish wish;
};

/* ---------------------------------------------------------------- how often ------------------- */

static void note_depth(void *data, LLVMBasicBlockRef b, unsigned depth)
{
	struct anchors *a = data;
	map_set(&a->depth, b, depth + 1);
}

static double *frequency_of(struct anchors *a, LLVMValueRef f)
{
	return &a->frequency[map_get(&a->function, f) - 1];
}

static double block_frequency(struct anchors *a, LLVMBasicBlockRef b)
{
	double n = *frequency_of(a, LLVMGetBasicBlockParent(b));
	for (uint32_t d = map_get(&a->depth, b); d > 1; d--)
		n *= lap;
	return n;
}

static void pass_frequency(struct anchors *a, LLVMValueRef f)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
			if (!callee || callee == f || !is_instrumented(callee))
				continue;
			if (*frequency_of(a, callee) < block_frequency(a, b))
				*frequency_of(a, callee) = block_frequency(a, b);
		}
}

static void find_frequencies(struct anchors *a)
{
	uint32_t n = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(a->module); f; f = LLVMGetNextFunction(f)) {
		if (!is_instrumented(f))
			continue;
		map_set(&a->function, f, ++n);
		llvm_loop_depths(f, note_depth, a);
	}
	a->frequency = pass_alloc(n + 1, sizeof *a->frequency);
	for (uint32_t i = 0; i < n; i++)
		a->frequency[i] = 1;
	for (int round = 0; round < ROUNDS; round++)
		for (LLVMValueRef f = LLVMGetFirstFunction(a->module); f; f = LLVMGetNextFunction(f))
			if (is_instrumented(f))
				pass_frequency(a, f);
}

static double root_frequency(struct anchors *a, LLVMValueRef v)
{
	return LLVMIsAArgument(v) ? *frequency_of(a, LLVMGetParamParent(v))
				  : block_frequency(a, LLVMGetInstructionParent(v));
}

/* ---------------------------------------------------------------- where branches come from ---- */

static bool add_root(struct anchors *a, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) > 64 || a->wish.n == ROOTS)
		return false;
	uint32_t n = map_get(&a->number, v);
	if (!n) {
		if (a->nroots == a->roots_cap)
			a->roots = pass_grow(a->roots, &a->roots_cap, sizeof *a->roots);
		a->roots[a->nroots++] = (struct root){.value = v, .frequency = root_frequency(a, v), .chosen = true};
		n = (uint32_t)a->nroots;
		map_set(&a->number, v, n);
	}
	a->wish.roots[a->wish.n++] = n - 1;
	return true;
}

static bool find_roots(struct anchors *a, LLVMValueRef v);

/* Of what callers pass for the parameter; where they are not all known, the parameter itself. */
static bool find_argument_roots(struct anchors *a, LLVMValueRef v)
{
	LLVMValueRef f = LLVMGetParamParent(v);
	unsigned n = 0;
	while (LLVMGetParam(f, n) != v)
		n++;
	if (recompute_is_open(f))
		return add_root(a, v);
	for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMGetUser(u);
		if (!LLVMIsAInstruction(call) || !is_call(call) || direct_callee(call) != f ||
		    n >= LLVMGetNumArgOperands(call))
			return add_root(a, v);
		if (!find_roots(a, LLVMGetOperand(call, n)))
			return false;
	}
	return true;
}

static bool find_operand_roots(struct anchors *a, LLVMValueRef i)
{
	bool builds = LLVMIsAPHINode(i) || LLVMIsAInsertElementInst(i) || LLVMIsAShuffleVectorInst(i) || LLVMIsAInsertValueInst(i);
	int n = LLVMGetNumOperands(i);
	for (int k = 0; k < n; k++) {
		LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
		if (!(builds && LLVMIsUndef(v)) && !find_roots(a, v)) /* as in recompute.c */
			return false;
	}
	return true;
}

static bool find_result_roots(struct anchors *a, LLVMValueRef call)
{
	LLVMValueRef f = direct_callee(call);
	if (llvm_is_musttail(call))
		return false;
	if (f && is_intrinsic(f) && recompute_is_exact(f)) {
		for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
			if (!find_roots(a, LLVMGetOperand(call, i)))
				return false;
		return true;
	}
	if (!f || !is_instrumented(f))
		return add_root(a, call);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		if (LLVMGetInstructionOpcode(end) == LLVMRet && !find_roots(a, LLVMGetOperand(end, 0)))
			return false;
	}
	return true;
}

static const void *class_key(struct anchors *a, LLVMValueRef pointer)
{
	return (const void *)(uintptr_t)(class_find(a->sharing->classes, class_of(a->sharing, pointer)) + 1);
}

/* In the thread's own memory: where it reads, and what is stored where. */
static bool find_memory_roots(struct anchors *a, LLVMValueRef load)
{
	if (!recompute_lacks_values(a->recompute, load) || !find_roots(a, LLVMGetOperand(load, 0)))
		return false;
	for (uint32_t s = map_get(&a->first, class_key(a, LLVMGetOperand(load, 0))); s; s = a->stores[s - 1].next)
		if (!find_operand_roots(a, a->stores[s - 1].store))
			return false;
	return true;
}

static bool find_load_roots(struct anchors *a, LLVMValueRef load)
{
	uint32_t n = a->wish.n;
	if (find_memory_roots(a, load))
		return true;
	a->wish.n = n;
	return add_root(a, load);
}

/* Adds the numbers that make v known, to the wish; false: there are none, or too many. */
static bool find_roots(struct anchors *a, LLVMValueRef v)
{
	if (recompute_knows(a->recompute, v) || map_get(&a->seen, v))
		return true;
	map_set(&a->seen, v, 1);
	if (++a->nseen > VISITED)
		return false;
	if (LLVMIsAArgument(v))
		return find_argument_roots(a, v);
	if (!LLVMIsAInstruction(v))
		return false;
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMLoad:
		return find_load_roots(a, v);
	case LLVMCall:
	case LLVMInvoke:
		return find_result_roots(a, v);
	case LLVMExtractValue:
		return LLVMIsAInstruction(LLVMGetOperand(v, 0)) && is_call(LLVMGetOperand(v, 0)) && add_root(a, v);
	case LLVMPHI: case LLVMSelect: case LLVMTrunc: case LLVMZExt: case LLVMSExt: case LLVMAdd: case LLVMSub: case LLVMMul:
	case LLVMUDiv: case LLVMSDiv: case LLVMURem: case LLVMSRem: case LLVMAnd: case LLVMOr: case LLVMXor:
	case LLVMInsertElement: case LLVMExtractElement: case LLVMShuffleVector: case LLVMInsertValue: case LLVMGetElementPtr:
		return find_operand_roots(a, v);
	case LLVMShl: case LLVMLShr: case LLVMAShr:
		return llvm_shifts_in_range(v) && find_operand_roots(a, v);
	case LLVMICmp:
		return LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(v, 0))) != LLVMPointerTypeKind && find_operand_roots(a, v);
	default:
		return false;
	}
}

static void add_store(struct anchors *a, LLVMValueRef store)
{
	const void *class = class_key(a, LLVMGetOperand(store, 1));
	if (a->nstores == a->stores_cap)
		a->stores = pass_grow(a->stores, &a->stores_cap, sizeof *a->stores);
	a->stores[a->nstores++] = (struct store){store, map_get(&a->first, class)};
	map_set(&a->first, class, (uint32_t)a->nstores);
}

static void find_stores(struct anchors *a)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(a->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				if (LLVMIsAStoreInst(i))
					add_store(a, i);
}

static void add_wish(struct anchors *a, LLVMBasicBlockRef b, LLVMValueRef branch)
{
	map_free(&a->seen);
	a->seen = (struct map){0};
	a->nseen = 0;
	a->wish = (struct wish){.frequency = block_frequency(a, b)};
	if (!find_roots(a, LLVMGetOperand(branch, 0)) || !a->wish.n)
		return;
	if (a->nwishes == a->wishes_cap)
		a->wishes = pass_grow(a->wishes, &a->wishes_cap, sizeof *a->wishes);
	a->wishes[a->nwishes++] = a->wish;
}

static void find_wishes(struct anchors *a)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(a->module); f; f = LLVMGetNextFunction(f)) {
		if (!is_instrumented(f))
			continue;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
			LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
			if (is_branch(end) && !recompute_knows(a->recompute, LLVMGetOperand(end, 0)))
				add_wish(a, b, end);
		}
	}
	map_free(&a->seen);
}

/* ---------------------------------------------------------------- which are worth it ---------- */

/* Each of a branch's roots has as large a part in the gain as in the cost. */
static void add_gains(struct anchors *a, const struct wish *w)
{
	double sum = 0;
	for (uint32_t i = 0; i < w->n; i++) {
		if (!a->roots[w->roots[i]].chosen)
			return;
		sum += a->roots[w->roots[i]].frequency;
	}
	for (uint32_t i = 0; i < w->n; i++)
		a->roots[w->roots[i]].gain += w->frequency * a->roots[w->roots[i]].frequency / sum;
}

/* All are chosen at first; those that gain too little are left out, and then those that gain nothing without them. */
static void choose(struct anchors *a)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < a->nroots; i++)
			a->roots[i].gain = 0;
		for (size_t i = 0; i < a->nwishes; i++)
			add_gains(a, &a->wishes[i]);
		for (size_t i = 0; i < a->nroots; i++) {
			struct root *r = &a->roots[i];
			if (!r->chosen || r->gain >= (r->frequency > lap ? worth : worth_seldom) * r->frequency)
				continue;
			r->chosen = false;
			changed = true;
		}
	}
}

/* ---------------------------------------------------------------- the anchors ----------------- */

/* sum += weight * (one of 0 .. 15, as the digit says) */
static LLVMValueRef build_digit(LLVMBuilderRef b, LLVMValueRef f, LLVMValueRef digit, LLVMBasicBlockRef next)
{
	LLVMModuleRef m = LLVMGetGlobalParent(f);
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMValueRef values[DIGIT];
	LLVMBasicBlockRef blocks[DIGIT];
	for (unsigned k = 0; k < DIGIT; k++) {
		values[k] = int_value(m, 64, k);
		blocks[k] = LLVMAppendBasicBlockInContext(context, f, "");
	}
	/* The k-th way is that of digit k: record_anchor relies on it. */
	LLVMValueRef choice = LLVMBuildSwitch(b, digit, blocks[0], DIGIT - 1);
	for (unsigned k = 0; k < DIGIT; k++) {
		if (k)
			LLVMAddCase(choice, int_value(m, 32, k), blocks[k]);
		LLVMPositionBuilderAtEnd(b, blocks[k]);
		LLVMBuildBr(b, next);
	}
	LLVMPositionBuilderAtEnd(b, next);
	LLVMValueRef phi = LLVMBuildPhi(b, int_type(m, 64), "");
	LLVMAddIncoming(phi, values, blocks, DIGIT);
	return phi;
}

/* i64 anchor(i64 v): v, from constants, by branches on its digits, lowest first. */
static LLVMValueRef anchor_function(LLVMModuleRef m)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMTypeRef i64 = int_type(m, 64), type = LLVMFunctionType(i64, &i64, 1, false);
	LLVMValueRef f = LLVMAddFunction(m, PASS_ANCHOR, type);
	LLVMSetLinkage(f, LLVMInternalLinkage);
	add_attribute(f, "noinline", 0);
	add_attribute(f, "nounwind", 0);
	add_attribute(f, "uwtable", 2); /* the path's slow path may take a backtrace */
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBasicBlockRef next = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(context, f, "");
	LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(b, entry);
	LLVMBuildBr(b, loop);
	LLVMPositionBuilderAtEnd(b, loop);
	LLVMValueRef rest = LLVMBuildPhi(b, i64, ""), weight = LLVMBuildPhi(b, i64, ""), sum = LLVMBuildPhi(b, i64, "");
	LLVMValueRef digit = LLVMBuildAnd(b, LLVMBuildTrunc(b, rest, int_type(m, 32), ""), int_value(m, 32, DIGIT - 1), "");
	digit = build_digit(b, f, digit, next);
	LLVMValueRef added = LLVMBuildAdd(b, sum, LLVMBuildMul(b, digit, weight, ""), "");
	LLVMValueRef heavier = LLVMBuildMul(b, weight, int_value(m, 64, DIGIT), "");
	LLVMValueRef less = LLVMBuildUDiv(b, rest, int_value(m, 64, DIGIT), "");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntNE, less, int_value(m, 64, 0), ""), loop, end);
	LLVMPositionBuilderAtEnd(b, end);
	LLVMBuildRet(b, added);
	LLVMBasicBlockRef from[] = {entry, next};
	LLVMAddIncoming(rest, (LLVMValueRef[]){LLVMGetParam(f, 0), less}, from, 2);
	LLVMAddIncoming(weight, (LLVMValueRef[]){int_value(m, 64, 1), heavier}, from, 2);
	LLVMAddIncoming(sum, (LLVMValueRef[]){int_value(m, 64, 0), added}, from, 2);
	LLVMDisposeBuilder(b);
	return f;
}

/* Everybody who uses the value gets what the anchor makes of it. */
static void insert(LLVMModuleRef m, LLVMValueRef anchor, LLVMValueRef v)
{
	LLVMTypeRef i64 = int_type(m, 64);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(m));
	LLVMValueRef at = LLVMIsAArgument(v)     ? llvm_after_allocas(LLVMGetParamParent(v))
			  : LLVMIsAInvokeInst(v) ? llvm_split_edge(v, 0)
						 : LLVMGetNextInstruction(v);
	build_before(b, at);
	bool is_wide = LLVMTypeOf(v) == i64;
	LLVMValueRef wide = is_wide ? v : LLVMBuildZExt(b, v, i64, "");
	LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(anchor), anchor, &wide, 1, "");
	LLVMValueRef told = is_wide ? call : LLVMBuildTrunc(b, call, LLVMTypeOf(v), "");
	LLVMReplaceAllUsesWith(v, told);
	LLVMSetOperand(is_wide ? call : wide, 0, v);
	LLVMDisposeBuilder(b);
}

void anchors_turn(LLVMModuleRef m)
{
	struct sharing *sharing = sharing_analyze(m);
	struct anchors a = {.module = m, .sharing = sharing, .recompute = recompute_new(m, sharing)};
	find_frequencies(&a);
	find_stores(&a);
	find_wishes(&a);
	choose(&a);
	LLVMValueRef anchor = NULL;
	for (size_t i = 0; i < a.nroots; i++) {
		if (!a.roots[i].chosen)
			continue;
		anchor = anchor ? anchor : anchor_function(m);
		insert(m, anchor, a.roots[i].value);
	}
	recompute_free(a.recompute);
	sharing_free(sharing);
	map_free(&a.depth);
	map_free(&a.function);
	map_free(&a.first);
	map_free(&a.number);
	free(a.frequency);
	free(a.stores);
	free(a.roots);
	free(a.wishes);
}
