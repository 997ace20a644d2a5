#include "instrument/flow.h"

#include <stdlib.h>

static void note_span(void *data, LLVMBasicBlockRef b, unsigned in, unsigned out)
{
	struct flow *flow = data;
	if (flow->n + 1 >= flow->cap)
		flow->spans = pass_grow(flow->spans, &flow->cap, sizeof *flow->spans);
	flow->spans[++flow->n] = (struct span){in, out};
	map_set(&flow->number, b, (uint32_t)flow->n);
}

bool flow_dominates(const struct flow *flow, LLVMBasicBlockRef a, LLVMBasicBlockRef b)
{
	uint32_t i = map_get(&flow->number, a), k = map_get(&flow->number, b);
	return i && k && flow->spans[i].in <= flow->spans[k].in && flow->spans[k].out <= flow->spans[i].out;
}

/* ---------------------------------------------------------------- loops ----------------------- */

static void add_block(struct loop *l, struct values *left, LLVMBasicBlockRef b)
{
	if (map_get(&l->in, b))
		return;
	map_set(&l->in, b, 1);
	l->n++;
	values_push(left, LLVMBasicBlockAsValue(b));
}

/* Backwards from the end of a round. */
static void add_loop(struct flow *flow, LLVMBasicBlockRef header, LLVMBasicBlockRef latch)
{
	struct values left = {0};
	struct loop *l = NULL;
	for (size_t i = 0; i < flow->nloops; i++)
		if (flow->loops[i].header == header)
			l = &flow->loops[i], l->several = true;
	if (!l) {
		if (flow->nloops == flow->loops_cap)
			flow->loops = pass_grow(flow->loops, &flow->loops_cap, sizeof *flow->loops);
		l = &flow->loops[flow->nloops++];
		*l = (struct loop){.header = header, .latch = latch, .n = 1};
		map_set(&l->in, header, 1);
	}
	add_block(l, &left, latch);
	while (left.n) {
		LLVMValueRef b = left.at[--left.n];
		for (LLVMUseRef u = LLVMGetFirstUse(b); u; u = LLVMGetNextUse(u)) {
			LLVMValueRef end = LLVMGetUser(u);
			if (LLVMIsAInstruction(end) && LLVMIsATerminatorInst(end) && map_get(&flow->number, LLVMGetInstructionParent(end)))
				add_block(l, &left, LLVMGetInstructionParent(end));
		}
	}
	values_free(&left);
}

static void find_loops(struct flow *flow, LLVMValueRef f)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++)
			if (flow_dominates(flow, LLVMGetSuccessor(end, s), b))
				add_loop(flow, LLVMGetSuccessor(end, s), b);
	}
}

const struct loop *flow_loop(const struct flow *flow, LLVMBasicBlockRef b)
{
	const struct loop *best = NULL;
	for (size_t i = 0; i < flow->nloops; i++)
		if (map_get(&flow->loops[i].in, b) && (!best || flow->loops[i].n < best->n))
			best = &flow->loops[i];
	return best;
}

void flow_find(struct flow *flow, LLVMValueRef function)
{
	*flow = (struct flow){0};
	llvm_dominators(function, note_span, flow);
	find_loops(flow, function);
}

void flow_release(struct flow *flow)
{
	for (size_t i = 0; i < flow->nloops; i++)
		map_free(&flow->loops[i].in);
	map_free(&flow->number);
	free(flow->spans);
	free(flow->loops);
}
