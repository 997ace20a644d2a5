#include "instrument/halves.h"

#include <stdlib.h>

static LLVMValueRef function_of(LLVMValueRef site)
{
	return LLVMGetBasicBlockParent(LLVMGetInstructionParent(site));
}

static void note_loop(void *loops, LLVMBasicBlockRef block, unsigned loop)
{
	map_set(loops, block, loop + 1);
}

/* The sites of one function. */
static void choose(const LLVMValueRef *sites, size_t n, struct in_line most, bool *called)
{
	LLVMValueRef f = function_of(sites[0]);
	bool unoptimised = has_attribute(f, "optnone");
	if (n <= most.outside || unoptimised) {
		for (size_t i = 0; i < n; i++)
			called[i] = unoptimised;
		return;
	}
	struct map loops = {0}; /* of blocks: one more than the loop's number, which is 0 outside of loops */
	size_t *count = pass_alloc(llvm_loops(f, note_loop, &loops) + 1, sizeof *count);
	uint32_t *in = pass_alloc(n, sizeof *in);
	for (size_t i = 0; i < n; i++) {
		uint32_t loop = map_get(&loops, LLVMGetInstructionParent(sites[i]));
		in[i] = loop ? loop - 1 : 0;
		count[in[i]]++;
	}
	for (size_t i = 0; i < n; i++)
		called[i] = count[in[i]] > (in[i] ? most.loop : most.outside);
	free(in);
	free(count);
	map_free(&loops);
}

bool *halves_called(const struct values *all, struct in_line most)
{
	bool *called = pass_alloc(all->n + 1, sizeof *called);
	const LLVMValueRef *sites = all->at;
	for (size_t i = 0, end; i < all->n; i = end) {
		for (end = i; end < all->n && function_of(sites[end]) == function_of(sites[i]);)
			end++;
		choose(sites + i, end - i, most, called + i);
	}
	return called;
}

static void build_return(LLVMBuilderRef b, LLVMValueRef f, LLVMValueRef result)
{
	if (LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(f))) == LLVMVoidTypeKind)
		LLVMBuildRetVoid(b);
	else
		LLVMBuildRet(b, result);
}

LLVMValueRef half_function(LLVMModuleRef m, const char *name, LLVMValueRef slow_path,
			   LLVMValueRef (*ask)(void *, LLVMBuilderRef), void *data)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	LLVMValueRef f = add_preserving_function(m, name, LLVMGlobalGetValueType(slow_path)), parameters[8];
	unsigned n = LLVMCountParams(f);
	LLVMGetParams(f, parameters);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, f, ""));
	LLVMValueRef asked = ask(data, b);
	LLVMValueRef done = LLVMBuildUnreachable(b); /* a place to split at */
	LLVMValueRef end = llvm_unlikely_if(asked, done);
	LLVMPositionBuilderBefore(b, end);
	/* A tail call: what calls the half is what the runtime, and a backtrace, sees as its caller. */
	LLVMValueRef result = call_slow_path(b, slow_path, parameters, n);
	LLVMSetTailCallKind(result, LLVMTailCallKindMustTail);
	build_return(b, f, result);
	LLVMInstructionEraseFromParent(end);
	LLVMPositionBuilderBefore(b, done);
	build_return(b, f, n > 2 ? parameters[2] : NULL);
	LLVMInstructionEraseFromParent(done);
	LLVMDisposeBuilder(b);
	return f;
}
