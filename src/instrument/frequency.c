#include "instrument/frequency.h"

#include <stdlib.h>

/* Calls that frequencies go along. */
enum { ROUNDS = 5 };

static void note_depth(void *data, LLVMBasicBlockRef b, unsigned depth)
{
	struct frequencies *all = data;
	map_set(&all->depth, b, depth + 1);
}

static double *place_of(const struct frequencies *all, LLVMValueRef f)
{
	return &all->of[map_get(&all->function, f) - 1];
}

double frequency_of_function(const struct frequencies *all, LLVMValueRef f)
{
	return *place_of(all, f);
}

double frequency_of_block(const struct frequencies *all, LLVMBasicBlockRef b)
{
	double n = *place_of(all, LLVMGetBasicBlockParent(b));
	for (uint32_t d = map_get(&all->depth, b); d > 1; d--)
		n *= FREQUENCY_LAP;
	return n;
}

static void pass_on(struct frequencies *all, LLVMValueRef f)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		double here = frequency_of_block(all, b);
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
			if (callee && callee != f && is_instrumented(callee) && *place_of(all, callee) < here)
				*place_of(all, callee) = here;
		}
	}
}

void frequencies_find(struct frequencies *all, LLVMModuleRef m)
{
	uint32_t n = 0;
	*all = (struct frequencies){0};
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (!is_instrumented(f))
			continue;
		map_set(&all->function, f, ++n);
		llvm_loop_depths(f, note_depth, all);
	}
	all->of = pass_alloc(n + 1, sizeof *all->of);
	for (uint32_t i = 0; i < n; i++)
		all->of[i] = 1;
	for (int round = 0; round < ROUNDS; round++)
		for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f))
			if (is_instrumented(f))
				pass_on(all, f);
}

void frequencies_free(struct frequencies *all)
{
	map_free(&all->depth);
	map_free(&all->function);
	free(all->of);
}
