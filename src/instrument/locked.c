/*
 * How many locks a thread holds, at least, at each instruction: forward over the blocks of each function, the least over
 * all ways. A function's effect is the least difference between its entry and its returns. What a function begins
 * with is the least of what its callers hold; nothing when native code may call it.
 *
 * Two threads that hold a lock need not hold the same one. A lock that is chosen by a number from an array of locks (stripes of a
 * table; stripes.c) says little, so it is not counted. A lock for reading keeps no other reader away, so a write under it counts as done
 * without: for that, a second pass finds where a thread may hold one.
 */
#include "instrument/addresses.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

enum { MANY = 100, ROUNDS = 6 };

struct locked {
	struct map before; /* block: locks held at its beginning, relative to the function's, + OFFSET */
	struct map effect; /* function: what a call of it changes, + OFFSET */
	struct map entry;  /* function: locks held when it begins, + OFFSET; none: not called yet */
	struct map roots;  /* functions that anybody may call */
	struct map reading, reading_entry; /* block, function: a lock for reading may be held when it begins */
};
enum { OFFSET = 1000 };

/* What takes and gives locks, and how large they are. */
static const struct lock_function {
	const char *name;
	int change;
	bool reading; /* keeps no other reader away */
	unsigned size;
} lock_functions[] = {
	{"pthread_mutex_lock", 1, false, sizeof(pthread_mutex_t)},
	{"pthread_spin_lock", 1, false, sizeof(pthread_spinlock_t)},
	{"pthread_rwlock_wrlock", 1, false, sizeof(pthread_rwlock_t)},
	{"pthread_rwlock_rdlock", 1, true, sizeof(pthread_rwlock_t)},
	{"mtx_lock", 1, false, sizeof(mtx_t)},
	{"flockfile", 1, false, 0},
	{"pthread_mutex_unlock", -1, false, sizeof(pthread_mutex_t)},
	{"pthread_spin_unlock", -1, false, sizeof(pthread_spinlock_t)},
	{"pthread_rwlock_unlock", -1, false, sizeof(pthread_rwlock_t)},
	{"mtx_unlock", -1, false, sizeof(mtx_t)},
	{"funlockfile", -1, false, 0},
};

/* The entry of what this instruction calls; or NULL. */
static const struct lock_function *lock_function(LLVMValueRef i)
{
	LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
	size_t length;
	if (!callee || is_intrinsic(callee) || is_instrumented(callee))
		return NULL;
	const char *name = LLVMGetValueName2(callee, &length);
	for (size_t k = 0; k < sizeof lock_functions / sizeof *lock_functions; k++)
		if (!strcmp(name, lock_functions[k].name))
			return &lock_functions[k];
	return NULL;
}

static int get(const struct map *m, const void *key, int otherwise)
{
	uint32_t n = map_get(m, key);
	return n ? (int)n - OFFSET : otherwise;
}

/* Returns whether it is new, or less than before. */
static bool lower(struct map *m, const void *key, int n)
{
	if (n > MANY)
		n = MANY;
	if (n < -MANY)
		n = -MANY;
	if (map_get(m, key) && get(m, key, 0) <= n)
		return false;
	map_set(m, key, (uint32_t)(n + OFFSET));
	return true;
}

/* Is something that a function is called with, which takes or gives a lock, one of an array of locks? */
static bool is_striped_call(LLVMValueRef call)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef v = LLVMGetOperand(call, i);
		if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind && stripes_has(v, sizeof(pthread_mutex_t)))
			return true;
	}
	return false;
}

static int change(const struct locked *l, LLVMValueRef i)
{
	LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
	if (callee && is_instrumented(callee)) {
		int effect = get(&l->effect, callee, 0);
		return effect && !is_striped_call(i) ? effect : 0;
	}
	const struct lock_function *f = lock_function(i);
	return f && !stripes_has(LLVMGetOperand(i, 0), f->size) ? f->change : 0;
}

static int after(const struct locked *l, LLVMBasicBlockRef b)
{
	int held = get(&l->before, b, 0);
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
		held += change(l, i);
	return held;
}

/* Blocks in rounds: locks come in pairs, so a few suffice; a loop that only takes locks ends at the cap. */
static void walk_function(struct locked *l, LLVMValueRef f)
{
	struct values left = {0};
	map_set(&l->before, LLVMGetEntryBasicBlock(f), OFFSET);
	values_push(&left, LLVMBasicBlockAsValue(LLVMGetEntryBasicBlock(f)));
	while (left.n) {
		LLVMBasicBlockRef b = LLVMValueAsBasicBlock(left.at[--left.n]);
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		int held = after(l, b);
		for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
			if (lower(&l->before, LLVMGetSuccessor(end, s), held))
				values_push(&left, LLVMBasicBlockAsValue(LLVMGetSuccessor(end, s)));
	}
	values_free(&left);
}

static int effect_of(const struct locked *l, LLVMValueRef f)
{
	int least = MANY;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		if (LLVMGetInstructionOpcode(LLVMGetBasicBlockTerminator(b)) == LLVMRet && map_get(&l->before, b) &&
		    after(l, b) < least)
			least = after(l, b);
	return least == MANY ? 0 : least;
}

static bool find_effects(struct locked *l, LLVMModuleRef m)
{
	bool changed = false;
	map_free(&l->before);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (!is_instrumented(f))
			continue;
		walk_function(l, f);
		int n = effect_of(l, f);
		changed |= n != get(&l->effect, f, 0);
		map_set(&l->effect, f, (uint32_t)(n + OFFSET));
	}
	return changed;
}

static int entry_of(const struct locked *l, LLVMValueRef f)
{
	return map_get(&l->roots, f) ? 0 : get(&l->entry, f, MANY);
}

static bool pass_to_callees(struct locked *l, LLVMValueRef f)
{
	bool changed = false;
	int entry = entry_of(l, f);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		int held = entry + get(&l->before, b, 0);
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
			if (callee && is_instrumented(callee))
				changed |= lower(&l->entry, callee, held);
			held += change(l, i);
		}
	}
	return changed;
}

/* May a lock for reading be held after the instruction, if it may before? Those of rwlocks follow one another. */
static bool is_reading(LLVMValueRef i, bool before)
{
	const struct lock_function *f = lock_function(i);
	return f && f->size == sizeof(pthread_rwlock_t) ? f->reading : before;
}

/* One round over a function's blocks; did anything change? */
static bool find_reading(struct locked *l, LLVMValueRef f)
{
	bool changed = false;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		bool reading = map_get(&l->reading, b) || (b == LLVMGetEntryBasicBlock(f) && map_get(&l->reading_entry, f));
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
			if (reading && callee && is_instrumented(callee) && !map_get(&l->reading_entry, callee)) {
				map_set(&l->reading_entry, callee, 1);
				changed = true;
			}
			reading = is_reading(i, reading);
		}
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		for (unsigned s = 0; reading && s < LLVMGetNumSuccessors(end); s++)
			if (!map_get(&l->reading, LLVMGetSuccessor(end, s))) {
				map_set(&l->reading, LLVMGetSuccessor(end, s), 1);
				changed = true;
			}
	}
	return changed;
}

static void find_all_reading(struct locked *l, LLVMModuleRef m)
{
	if (!LLVMGetNamedFunction(m, "pthread_rwlock_rdlock"))
		return;
	for (bool changed = true; changed;) {
		changed = false;
		for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
			if (is_instrumented(f))
				changed |= find_reading(l, f);
	}
}

struct locked *locked_analyze(LLVMModuleRef m)
{
	struct locked *l = pass_alloc(1, sizeof *l);
	for (int i = 0; i < ROUNDS && find_effects(l, m); i++)
		;
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
		if (is_instrumented(f) && (LLVMGetLinkage(f) == LLVMExternalLinkage || llvm_address_taken(f)))
			map_set(&l->roots, f, 1);
	for (int i = 0, changed = 1; i < MANY && changed; i++) {
		changed = 0;
		for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
			if (is_instrumented(f))
				changed |= pass_to_callees(l, f);
	}
	find_all_reading(l, m);
	return l;
}

bool locked_is(const struct locked *l, LLVMValueRef instruction, bool writes)
{
	LLVMBasicBlockRef b = LLVMGetInstructionParent(instruction);
	LLVMValueRef f = LLVMGetBasicBlockParent(b);
	int held = entry_of(l, f) + get(&l->before, b, 0);
	bool reading = map_get(&l->reading, b) || (b == LLVMGetEntryBasicBlock(f) && map_get(&l->reading_entry, f));
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != instruction; i = LLVMGetNextInstruction(i)) {
		held += change(l, i);
		reading = is_reading(i, reading);
	}
	return held > (writes && reading ? 1 : 0);
}

void locked_free(struct locked *l)
{
	map_free(&l->before);
	map_free(&l->effect);
	map_free(&l->entry);
	map_free(&l->roots);
	map_free(&l->reading);
	map_free(&l->reading_entry);
	free(l);
}
