/*
 * How many locks a thread holds, at least, at each instruction: forward over the blocks of each function, the least over
 * all ways. A function's effect is the least difference between its entry and its returns. What a function begins
 * with is the least of what its callers hold; nothing when native code may call it.
 */
#include "instrument/addresses.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 100, ROUNDS = 6 };

struct locked {
	struct map before; /* block: locks held at its beginning, relative to the function's, + OFFSET */
	struct map effect; /* function: what a call of it changes, + OFFSET */
	struct map entry;  /* function: locks held when it begins, + OFFSET; none: not called yet */
	struct map roots;  /* functions that anybody may call */
};
enum { OFFSET = 1000 };

static const char *const takes[] = {
	"pthread_mutex_lock", "pthread_spin_lock", "pthread_rwlock_wrlock", "pthread_rwlock_rdlock", "mtx_lock",
	"flockfile",
};
static const char *const gives[] = {
	"pthread_mutex_unlock", "pthread_spin_unlock", "pthread_rwlock_unlock", "mtx_unlock", "funlockfile",
};

static bool is_among(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
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

static int change(const struct locked *l, LLVMValueRef i)
{
	LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
	if (!callee || is_intrinsic(callee))
		return 0;
	if (is_instrumented(callee))
		return get(&l->effect, callee, 0);
	size_t length;
	const char *name = LLVMGetValueName2(callee, &length);
	if (is_among(name, takes, sizeof takes / sizeof *takes))
		return 1;
	return is_among(name, gives, sizeof gives / sizeof *gives) ? -1 : 0;
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
	return l;
}

bool locked_is(const struct locked *l, LLVMValueRef instruction)
{
	LLVMBasicBlockRef b = LLVMGetInstructionParent(instruction);
	int held = entry_of(l, LLVMGetBasicBlockParent(b)) + get(&l->before, b, 0);
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != instruction; i = LLVMGetNextInstruction(i))
		held += change(l, i);
	return held > 0;
}

void locked_free(struct locked *l)
{
	map_free(&l->before);
	map_free(&l->effect);
	map_free(&l->entry);
	map_free(&l->roots);
	free(l);
}
