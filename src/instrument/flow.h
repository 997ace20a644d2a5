/* How control goes through one function: which blocks dominate which, and its loops. */
#ifndef RETHREAD_FLOW_H
#define RETHREAD_FLOW_H

#include "instrument/pass.h"

struct loop {
	LLVMBasicBlockRef header, latch;
	struct map in; /* its blocks */
	size_t n;
	bool several; /* ways back to the header */
};

struct flow {
	struct map number; /* of a block that can be reached */
	struct span {
		unsigned in, out; /* a block that dominates another one has a span around that one's */
	} *spans;
	size_t n, cap;
	struct loop *loops;
	size_t nloops, loops_cap;
};

void flow_find(struct flow *flow, LLVMValueRef function);
void flow_release(struct flow *flow);
bool flow_dominates(const struct flow *flow, LLVMBasicBlockRef a, LLVMBasicBlockRef b);
/* The smallest loop that the block is in; NULL: none. */
const struct loop *flow_loop(const struct flow *flow, LLVMBasicBlockRef b);

#endif
