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

struct call {
	struct frequencies *all;
	LLVMValueRef caller;
	double frequency;
};

static void called(void *data, LLVMValueRef callee)
{
	const struct call *c = data;
	if (callee != c->caller && *place_of(c->all, callee) < c->frequency)
		*place_of(c->all, callee) = c->frequency;
}

static void pass_on(struct frequencies *all, const struct points_to *points_to, LLVMValueRef f)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		struct call c = {all, f, frequency_of_block(all, b)};
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			if (!is_call(i))
				continue;
			LLVMValueRef callee = direct_callee(i);
			if (callee && is_instrumented(callee))
				called(&c, callee);
			else if (!callee && points_to)
				points_to_callees(points_to, i, called, &c);
		}
	}
}

void frequencies_find(struct frequencies *all, LLVMModuleRef m, const struct points_to *points_to)
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
				pass_on(all, points_to, f);
}

void frequencies_free(struct frequencies *all)
{
	map_free(&all->depth);
	map_free(&all->function);
	free(all->of);
}
