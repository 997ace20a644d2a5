/*
 * What may run while the program has more than one thread: everything but main and constructors up to the first
 * creation of a thread, and what only they call before that; and, where it is seen that main joins all threads (joins.c), what comes then.
 *
 * Calls of which it is not seen where they lead are taken to create no thread, or, where it has to be sure, to do so
 * unless everything speaks against it.
 */
#include "instrument/parallel.h"

#include "instrument/joins.h"
#include "instrument/pointsto.h"

#include <stdlib.h>
#include <string.h>

struct parallel {
	struct llvm_library *library; /* NULL: a guess will do */
	const struct points_to *points_to; /* who calls whom by address; NULL: it is not known yet */
	struct map constructors; /* functions that run before main */
	bool called_back; /* functions whose address is known to others create threads, or might */
	struct map creates; /* functions in which a thread may be created */
	struct map entered; /* functions that may begin while there are several threads */
	struct map blocks;  /* blocks that begin after a creation in their function, and while there may be several threads */
	struct joins *joins; /* of main, if nobody else creates threads; or NULL */
};

static const char *const creators[] = {
	"pthread_create", "thrd_create", "timer_create", "clone", "fork", "vfork", "mq_notify", "aio_read", "aio_write",
	"aio_fsync", "lio_listio", "getaddrinfo_a",
};

static bool creates_itself(LLVMValueRef callee)
{
	size_t length;
	const char *name = LLVMGetValueName2(callee, &length);
	for (size_t i = 0; i < sizeof creators / sizeof *creators; i++)
		if (!strcmp(name, creators[i]))
			return true;
	return name_begins(callee, "_ZNSt6thread15_M_start_thread");
}

/* Of functions that no table has, only LLVM's own are known to create no threads. */
static bool might_create(const struct parallel *p, LLVMValueRef callee)
{
	if (creates_itself(callee))
		return true;
	if (!p->library || is_intrinsic(callee))
		return false;
	if (p->called_back && !llvm_never_calls_back(callee))
		return true;
	return !name_begins(callee, PASS_OWN_PREFIX) && !llvm_library_knows(p->library, callee) && !external_class(callee);
}

static bool is_creation(const struct parallel *p, LLVMValueRef i)
{
	if (!is_call(i) || LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
		return false;
	LLVMValueRef callee = direct_callee(i);
	if (!callee)
		return p->called_back;
	return is_instrumented(callee) ? map_get(&p->creates, callee) != 0 : might_create(p, callee);
}

static bool block_creates(const struct parallel *p, LLVMBasicBlockRef b)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
		if (is_creation(p, i))
			return true;
	return false;
}

static bool function_creates(const struct parallel *p, LLVMValueRef f)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		if (block_creates(p, b))
			return true;
	return false;
}

static void find_creators(struct parallel *p, LLVMModuleRef m)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
			if (!is_instrumented(f) || map_get(&p->creates, f) || !function_creates(p, f))
				continue;
			map_set(&p->creates, f, 1);
			changed = true;
		}
	}
}

static void mark_after(struct parallel *p, LLVMValueRef f)
{
	struct values left = {0};
	if (!map_get(&p->creates, f))
		return;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		if (block_creates(p, b))
			values_push(&left, LLVMBasicBlockAsValue(b));
	while (left.n) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMValueAsBasicBlock(left.at[--left.n]));
		for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
			LLVMBasicBlockRef b = LLVMGetSuccessor(end, s);
			if (map_get(&p->blocks, b) || joins_alone_at(p->joins, b))
				continue;
			map_set(&p->blocks, b, 1);
			values_push(&left, LLVMBasicBlockAsValue(b));
		}
	}
	values_free(&left);
}

static void find_constructors(LLVMModuleRef m, struct map *constructors)
{
	LLVMValueRef list = LLVMGetNamedGlobal(m, "llvm.global_ctors");
	LLVMValueRef entries = list ? LLVMGetInitializer(list) : NULL;
	for (int i = entries ? LLVMGetNumOperands(entries) : 0; i--;) {
		LLVMValueRef f = LLVMGetOperand(LLVMGetOperand(entries, (unsigned)i), 1);
		if (LLVMIsAFunction(f))
			map_set(constructors, f, 1);
	}
}

static bool is_known_outside(LLVMValueRef f)
{
	LLVMLinkage linkage = LLVMGetLinkage(f);
	return (linkage != LLVMInternalLinkage && linkage != LLVMPrivateLinkage) || llvm_address_taken(f);
}

static bool is_main(LLVMValueRef f)
{
	size_t length;
	return !strcmp(LLVMGetValueName2(f, &length), "main") && !llvm_address_taken(f);
}

/* May it begin at any time, whoever calls it? */
static bool is_root(const struct parallel *p, LLVMValueRef f)
{
	if (is_main(f) || map_get(&p->constructors, f))
		return false;
	if (p->points_to)
		return !points_to_called_here(p->points_to, f) || points_to_is_started(p->points_to, f);
	return is_known_outside(f);
}

struct passing {
	struct parallel *p;
	bool changed;
};

static void enter(void *data, LLVMValueRef callee)
{
	struct passing *on = data;
	if (map_get(&on->p->entered, callee))
		return;
	map_set(&on->p->entered, callee, 1);
	on->changed = true;
}

static void enter_callees(struct passing *on, LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	if (callee && is_instrumented(callee))
		enter(on, callee);
	else if (!callee && on->p->points_to && !LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
		points_to_callees(on->p->points_to, call, enter, on);
}

/* Callees of the function that it may call while there are several threads; returns whether one is new. */
static bool pass_on(struct parallel *p, LLVMValueRef f)
{
	struct passing on = {.p = p};
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		bool several = map_get(&p->entered, f) || map_get(&p->blocks, b);
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (several && is_call(i))
				enter_callees(&on, i);
			several = map_get(&p->entered, f) || ((several || is_creation(p, i)) && !joins_alone_after(p->joins, i));
		}
	}
	return on.changed;
}

/* May somebody by way of an address, or native code, call a function that creates threads? */
static bool may_be_called_back(const struct parallel *p, LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (is_main(f) || is_intrinsic(f))
			continue;
		if (is_instrumented(f) ? is_known_outside(f) && map_get(&p->creates, f)
				       : llvm_address_taken(f) && might_create(p, f))
			return true;
	}
	return false;
}

/* main runs after constructors; and what comes back by longjmp may come from after the creation of a thread. */
static bool is_lost(const struct parallel *p, LLVMModuleRef m, const struct map *constructors)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if ((map_get(constructors, f) && map_get(&p->creates, f)) || has_attribute(f, "returns_twice"))
			return true;
	return false;
}

static void find_all_creators(struct parallel *p, LLVMModuleRef m)
{
	find_creators(p, m);
	if (p->library && may_be_called_back(p, m)) {
		p->called_back = true;
		find_creators(p, m);
	}
}

/* Does main create all threads? It is alone again, then, when it has joined them. */
static void find_joins(struct parallel *p, LLVMModuleRef m)
{
	struct values creations = {0};
	LLVMValueRef only = NULL;
	size_t n = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (map_get(&p->creates, f))
			only = f, n++;
	if (n != 1 || !is_main(only))
		return;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(only); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (is_creation(p, i))
				values_push(&creations, i);
	p->joins = joins_find(only, &creations);
	values_free(&creations);
}

/* From those that may begin at any time to all that they call. */
static void find_entered(struct parallel *p, LLVMModuleRef m)
{
	bool lost = p->library && is_lost(p, m, &p->constructors);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (is_instrumented(f) && (lost || is_root(p, f)))
			map_set(&p->entered, f, 1);
	for (bool changed = true; changed;) {
		changed = false;
		for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
			if (is_instrumented(f))
				changed |= pass_on(p, f);
	}
}

struct parallel *parallel_analyze(LLVMModuleRef m, struct llvm_library *sure)
{
	struct parallel *p = pass_alloc(1, sizeof *p);
	p->library = sure;
	find_all_creators(p, m);
	find_constructors(m, &p->constructors);
	find_joins(p, m);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (is_instrumented(f))
			mark_after(p, f);
	find_entered(p, m);
	return p;
}

void parallel_refine(struct parallel *p, LLVMModuleRef m, const struct points_to *points_to)
{
	p->points_to = points_to;
	map_clear(&p->entered);
	find_entered(p, m);
}

bool parallel_is(const struct parallel *p, LLVMValueRef instruction)
{
	LLVMBasicBlockRef b = LLVMGetInstructionParent(instruction);
	LLVMValueRef f = LLVMGetBasicBlockParent(b);
	bool several = map_get(&p->blocks, b);
	if (map_get(&p->entered, f))
		return true;
	if (!map_get(&p->creates, f))
		return false;
	if (several && !p->joins)
		return true;
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != instruction; i = LLVMGetNextInstruction(i))
		several = (several || is_creation(p, i)) && !joins_alone_after(p->joins, i);
	return several || is_creation(p, instruction);
}

bool parallel_is_alone_behind(const struct parallel *p, LLVMValueRef f)
{
	static const char *const leaves[] = {"pthread_exit", "thrd_exit"};
	if (!is_main(f) || LLVMGetFirstUse(f))
		return false;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		LLVMValueRef last = LLVMIsAUnreachableInst(end) ? LLVMGetPreviousInstruction(end) : end;
		bool goes = LLVMIsAReturnInst(end) || (last && is_call(last) && direct_callee(last) && IS_NAMED(direct_callee(last), leaves));
		if (goes && parallel_is(p, last))
			return false;
	}
	return true;
}

void parallel_free(struct parallel *p)
{
	map_free(&p->constructors);
	map_free(&p->creates);
	map_free(&p->entered);
	map_free(&p->blocks);
	joins_free(p->joins);
	free(p);
}
