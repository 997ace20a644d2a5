/*
 * Resolvers of indirect functions (ifunc; clang makes some for target_clones). The dynamic linker calls them while it relocates the
 * program: before any runtime has started, and before the thread's own memory, with the place of its path in it, is filled. So they, and what they
 * call, run in copies that are not instrumented, in recorded program and twin alike, and leave in memory what they always do. What they
 * call by address is not copied.
 */
#include "instrument/pass.h"

struct copying {
	struct values from, to;
	struct map number; /* of from, from 1 */
};

/* The function's copy, which is made when it is asked for first. */
static LLVMValueRef copy_of(struct copying *c, LLVMValueRef f)
{
	uint32_t number = map_get(&c->number, f);
	if (!number) {
		values_push(&c->from, f);
		values_push(&c->to, llvm_copy_as(f, PASS_OWN_PREFIX "resolving"));
		number = (uint32_t)c->to.n;
		map_set(&c->number, f, number);
	}
	return c->to.at[number - 1];
}

static void call_copies(struct copying *c, LLVMValueRef f)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
			/* What is called is the last operand. */
			if (callee && is_instrumented(callee))
				LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, copy_of(c, callee));
		}
}

static LLVMValueRef resolver_of(LLVMValueRef ifunc)
{
	LLVMValueRef resolver = LLVMGetGlobalIFuncResolver(ifunc);
	while (resolver && LLVMIsAGlobalAlias(resolver))
		resolver = LLVMAliasGetAliasee(resolver);
	return resolver && LLVMIsAFunction(resolver) && is_instrumented(resolver) ? resolver : NULL;
}

/* Functions that nothing calls any more. */
static void drop_unused(const struct values *functions)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < functions->n; i++) {
			LLVMValueRef f = functions->at[i];
			if (!f || LLVMGetLinkage(f) != LLVMInternalLinkage || LLVMGetFirstUse(f))
				continue;
			LLVMDeleteFunction(f);
			functions->at[i] = NULL;
			changed = true;
		}
	}
}

void resolvers_turn(LLVMModuleRef m)
{
	struct copying c = {0};
	for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(m); i; i = LLVMGetNextGlobalIFunc(i))
		if (resolver_of(i))
			LLVMSetGlobalIFuncResolver(i, copy_of(&c, resolver_of(i)));
	for (size_t k = 0; k < c.to.n; k++)
		call_copies(&c, c.to.at[k]);
	drop_unused(&c.from);
	map_free(&c.number);
	values_free(&c.from);
	values_free(&c.to);
}
