/*
 * A function is as hot as the hottest call of it: the loops around the call, and those that its caller is in. What is called through a
 * pointer may be called from anywhere: it counts as called in a loop. Recursion does not make hotter, unless it is in a loop.
 */
#include "instrument/heat.h"

#include <stdlib.h>

/* Deeper is not told apart: so functions are looked at again a few times at most. */
enum { DEEPEST_IN_FUNCTION = 4, DEEPEST_CALL = 4 };

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void note_depth(void *loops, LLVMBasicBlockRef block, unsigned depth)
{
	map_set(loops, block, least(depth, DEEPEST_IN_FUNCTION));
}

static bool has_address_taken(LLVMValueRef f)
{
	for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (!LLVMIsAInstruction(user) || !is_call(user) || LLVMGetCalledValue(user) != f)
			return true;
	}
	return false;
}

/* Functions whose callees may be hotter than known so far; each is in there once. */
struct again {
	struct values functions;
	struct map is_in;
};

static void look_again(struct again *w, LLVMValueRef f)
{
	if (map_get(&w->is_in, f))
		return;
	map_set(&w->is_in, f, 1);
	values_push(&w->functions, f);
}

static void heat_callees(struct heat *h, struct again *w, LLVMValueRef f)
{
	uint32_t own = map_get(&h->function, f);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		uint32_t depth = least(own + map_get(&h->loops, b), DEEPEST_CALL);
		for (LLVMValueRef i = depth ? LLVMGetFirstInstruction(b) : NULL; i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
			if (!callee || LLVMIsDeclaration(callee) || map_get(&h->function, callee) >= depth)
				continue;
			map_set(&h->function, callee, depth);
			look_again(w, callee);
		}
	}
}

void heat_of_module(LLVMModuleRef m, struct heat *h)
{
	struct again w = {0};
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f))
			continue;
		llvm_loop_depths(f, note_depth, &h->loops);
		if (has_address_taken(f))
			map_set(&h->function, f, 1);
		look_again(&w, f);
	}
	while (w.functions.n) {
		LLVMValueRef f = w.functions.at[--w.functions.n];
		map_set(&w.is_in, f, 0);
		heat_callees(h, &w, f);
	}
	values_free(&w.functions);
	map_free(&w.is_in);
}

void heat_free(struct heat *h)
{
	map_free(&h->loops);
	map_free(&h->function);
}

size_t heat_times(const struct heat *h, LLVMValueRef instruction)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
	uint32_t depth = map_get(&h->loops, block) + map_get(&h->function, LLVMGetBasicBlockParent(block));
	size_t times = 1;
	while (depth--)
		times *= HEAT_ROUNDS;
	return times;
}
