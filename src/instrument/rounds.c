/*
 * Loops whose rounds are counted: where all recorded branches of a loop are those that leave it or stay, the log has how often those stayed
 * in all, when it is left, instead of a bit for each. They come in the same order in each round.
 *
 * Whoever dies in such a loop leaves a log that ends before it. So nothing in it may be what others see or what the log is to tell: no write
 * to shared memory, no call; reads that nobody knows of do not matter, whether or not their values are recorded. Should it fault there the executor
 * goes on by what it computes, so the addresses come from outside of the loop: the one that is wrong is so in the first round. And the loop has
 * a bound, so that no thread waits there for others. (Loops without one that look somewhere else in each round, as a sort does, often go round
 * once or twice: their bits are fewer than a count's.) Every so many rounds there is an entry in any case: time stamps come with the log.
 */
#include "instrument/rounds.h"

#include <stdlib.h>

enum { MOST_BRANCHES = 16 };

/* All of a function's blocks. */
struct spans {
	struct map number; /* of a block */
	struct span {
		unsigned in, out; /* a block that dominates another one has a span around that one's */
	} *at;
	size_t n, cap;
};

struct loop {
	LLVMBasicBlockRef header, latch;
	LLVMValueRef entry; /* br */
	LLVMBasicBlockRef *blocks;
	size_t n;
};

struct finder {
	struct numbering *out;
	struct map recorded; /* branches: number in out->branches, + 1 */
	struct spans spans;  /* of the function at hand */
	unsigned site_kind, round_kind, rounds_kind;
	LLVMContextRef context;
};

static void note_span(void *spans, LLVMBasicBlockRef b, unsigned in, unsigned out)
{
	struct spans *s = spans;
	if (s->n + 1 >= s->cap)
		s->at = pass_grow(s->at, &s->cap, sizeof *s->at);
	s->at[++s->n] = (struct span){in, out};
	map_set(&s->number, b, (uint32_t)s->n);
}

static void spans_free(struct spans *s)
{
	map_free(&s->number);
	free(s->at);
	*s = (struct spans){0};
}

static bool dominates(const struct spans *s, LLVMBasicBlockRef a, LLVMBasicBlockRef b)
{
	uint32_t i = map_get(&s->number, a), k = map_get(&s->number, b);
	return i && k && s->at[i].in <= s->at[k].in && s->at[k].out <= s->at[i].out;
}

static bool is_in(const struct loop *l, LLVMBasicBlockRef b)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->blocks[i] == b)
			return true;
	return false;
}

/* ---------------------------------------------------------------- what may be in a loop -------- */

static bool has_metadata(LLVMValueRef i, unsigned kind)
{
	return LLVMHasMetadata(i) && LLVMGetMetadata(i, kind);
}

static bool is_idle_call(LLVMValueRef call)
{
	LLVMValueRef callee = direct_callee(call);
	return callee && is_intrinsic(callee) && (llvm_call_without_memory(call) || name_begins(callee, "llvm.prefetch") ||
						  name_begins(callee, "llvm.lifetime") || name_begins(callee, "llvm.dbg"));
}

static bool divides_by_constant(LLVMValueRef i)
{
	LLVMValueRef by = LLVMGetOperand(i, 1);
	return LLVMIsAConstantInt(by) && !LLVMIsNull(by) && LLVMConstIntGetSExtValue(by) != -1;
}

/* From outside of the loop, or counted on from there round by round. */
static bool comes_from_outside(const struct loop *l, LLVMValueRef address)
{
	while (LLVMIsAGetElementPtrInst(address) && is_in(l, LLVMGetInstructionParent(address)))
		address = LLVMGetOperand(address, 0);
	if (!LLVMIsAInstruction(address) || !is_in(l, LLVMGetInstructionParent(address)))
		return true;
	if (!LLVMIsAPHINode(address) || LLVMGetInstructionParent(address) != l->header)
		return false;
	for (unsigned i = 0; i < LLVMCountIncoming(address); i++) {
		LLVMValueRef next = LLVMGetIncomingValue(address, i);
		while (LLVMIsAGetElementPtrInst(next) && is_in(l, LLVMGetInstructionParent(next)))
			next = LLVMGetOperand(next, 0);
		if (next != address && LLVMIsAInstruction(next) && is_in(l, LLVMGetInstructionParent(next)))
			return false;
	}
	return true;
}

static bool passes(const struct finder *f, const struct loop *l, LLVMValueRef i)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
		return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic &&
		       comes_from_outside(l, LLVMGetOperand(i, 0));
	case LLVMStore:
		return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic && !has_metadata(i, f->site_kind) &&
		       comes_from_outside(l, LLVMGetOperand(i, 1));
	case LLVMCall:
		return is_idle_call(i);
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem:
		return divides_by_constant(i);
	case LLVMGetElementPtr:
	case LLVMICmp:
	case LLVMFCmp:
	case LLVMPHI:
	case LLVMSelect:
	case LLVMFreeze:
	case LLVMExtractElement:
	case LLVMInsertElement:
	case LLVMShuffleVector:
	case LLVMExtractValue:
	case LLVMInsertValue:
	case LLVMFNeg:
		return true;
	default:
		return LLVMIsABinaryOperator(i) || LLVMIsACastInst(i);
	}
}

/* ---------------------------------------------------------------- which loops ----------------- */

static void set_number(const struct finder *f, LLVMValueRef i, unsigned kind, uint32_t number)
{
	LLVMMetadataRef value = LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(f->context), number, false));
	LLVMSetMetadata(i, kind, LLVMMetadataAsValue(f->context, LLVMMDNodeInContext2(f->context, &value, 1)));
}

/* A branch that each round comes by, and that leaves or stays. */
static bool leaves_or_stays(const struct finder *f, const struct loop *l, LLVMValueRef branch)
{
	return LLVMGetInstructionOpcode(branch) == LLVMBr && dominates(&f->spans, LLVMGetInstructionParent(branch), l->latch) &&
	       is_in(l, LLVMGetSuccessor(branch, 0)) != is_in(l, LLVMGetSuccessor(branch, 1));
}

static bool leads_out(const struct loop *l, LLVMValueRef end)
{
	for (unsigned way = 0; way < LLVMGetNumSuccessors(end); way++)
		if (!is_in(l, LLVMGetSuccessor(end, way)))
			return true;
	return false;
}

/* How many branches stay for one entry, if the loop is fit for it. */
static unsigned look_at(void *finder, const struct llvm_loop *found)
{
	struct finder *f = finder;
	struct loop l = {.header = found->header, .latch = found->latch, .blocks = found->blocks, .n = found->n};
	LLVMValueRef branches[MOST_BRANCHES];
	unsigned n = 0, recorded = 0;
	for (size_t b = 0; b < l.n; b++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(l.blocks[b]);
		for (LLVMValueRef i = LLVMGetFirstInstruction(l.blocks[b]); i != end; i = LLVMGetNextInstruction(i))
			if (!passes(f, &l, i))
				return 0;
		if (LLVMGetInstructionOpcode(end) != LLVMBr && LLVMGetInstructionOpcode(end) != LLVMSwitch)
			return 0;
		recorded += map_get(&f->recorded, end) != 0;
		if (!leads_out(&l, end) && !map_get(&f->recorded, end))
			continue;
		if (n == MOST_BRANCHES || !leaves_or_stays(f, &l, end))
			return 0;
		branches[n++] = end;
	}
	/* Entries within the loop come at the end of a round, which has to be right behind its last branch. */
	if (!recorded || !leads_out(&l, LLVMGetBasicBlockTerminator(l.latch)))
		return 0;
	for (unsigned i = 0; i < n; i++) {
		uint32_t number = map_get(&f->recorded, branches[i]);
		set_number(f, branches[i], f->round_kind, !is_in(&l, LLVMGetSuccessor(branches[i], 0)));
		LLVMSetMetadata(branches[i], f->out->known_kind, NULL);
		if (number)
			f->out->branches.at[number - 1] = NULL;
		f->out->nknown -= !number;
		values_push(&f->out->counted, branches[i]);
	}
	uint32_t rounds = 1;
	while (2 * rounds * n < RT_ROUNDS_MORE)
		rounds *= 2;
	return rounds * n;
}

static void enter(void *finder, LLVMValueRef br, unsigned number)
{
	const struct finder *f = finder;
	set_number(f, br, f->rounds_kind, number);
}

void rounds_find(LLVMModuleRef m, struct numbering *n)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	struct finder f = {
		.out = n,
		.context = context,
		.site_kind = LLVMGetMDKindIDInContext(context, PASS_SITE_METADATA, sizeof PASS_SITE_METADATA - 1),
		.round_kind = LLVMGetMDKindIDInContext(context, PASS_ROUND_METADATA, sizeof PASS_ROUND_METADATA - 1),
		.rounds_kind = LLVMGetMDKindIDInContext(context, PASS_ROUNDS_METADATA, sizeof PASS_ROUNDS_METADATA - 1),
	};
	for (size_t i = 0; i < n->branches.n; i++)
		map_set(&f.recorded, n->branches.at[i], (uint32_t)i + 1);
	LLVMValueRef last = NULL;
	for (size_t i = 0; i < n->branches.n; i++) {
		LLVMValueRef function = n->branches.at[i] ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(n->branches.at[i])) : last;
		if (function == last)
			continue;
		last = function;
		spans_free(&f.spans);
		llvm_inner_loops(function, note_span, &f.spans, look_at, enter, &f);
	}
	size_t kept = 0;
	for (size_t i = 0; i < n->branches.n; i++)
		if (n->branches.at[i])
			n->branches.at[kept++] = n->branches.at[i];
	n->branches.n = kept;
	spans_free(&f.spans);
	map_free(&f.recorded);
}

/* ---------------------------------------------------------------- what they record ------------ */

struct leaving {
	LLVMValueRef end; /* of a block in the loop */
	unsigned way;
	uint32_t before; /* branches that the round has come by */
};

struct counted {
	struct loop loop;
	struct leaving *ways;
	size_t nways, cap;
	uint32_t branches, most; /* in a round, and for one entry */
	unsigned back;       /* way from the latch */
};

static uint32_t number_of(LLVMValueRef i, unsigned kind)
{
	LLVMValueRef node = LLVMHasMetadata(i) ? LLVMGetMetadata(i, kind) : NULL, number;
	if (!node)
		return UINT32_MAX;
	LLVMGetMDNodeOperands(node, &number);
	return (uint32_t)LLVMConstIntGetZExtValue(number);
}

/* Backwards from the latch. */
static void collect_blocks(struct loop *l)
{
	size_t cap = 0;
	for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(l->header)); u; u = LLVMGetNextUse(u))
		if (LLVMGetUser(u) != l->entry)
			l->latch = LLVMGetInstructionParent(LLVMGetUser(u));
	l->blocks = pass_grow(NULL, &cap, sizeof *l->blocks);
	l->blocks[l->n++] = l->header;
	if (l->latch != l->header)
		l->blocks[l->n++] = l->latch;
	for (size_t i = 1; i < l->n; i++)
		for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(l->blocks[i])); u; u = LLVMGetNextUse(u)) {
			LLVMBasicBlockRef from = LLVMGetInstructionParent(LLVMGetUser(u));
			if (is_in(l, from))
				continue;
			if (l->n == cap)
				l->blocks = pass_grow(l->blocks, &cap, sizeof *l->blocks);
			l->blocks[l->n++] = from;
		}
}

static void collect_ways(struct counted *c, const struct spans *spans, unsigned round_kind)
{
	const struct loop *l = &c->loop;
	for (size_t b = 0; b < l->n; b++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(l->blocks[b]);
		uint32_t before = 0;
		for (size_t k = 0; k < l->n; k++)
			before += k != b && number_of(LLVMGetBasicBlockTerminator(l->blocks[k]), round_kind) != UINT32_MAX &&
				  dominates(spans, l->blocks[k], l->blocks[b]);
		c->branches += number_of(end, round_kind) != UINT32_MAX;
		for (unsigned way = 0; way < LLVMGetNumSuccessors(end); way++) {
			if (LLVMGetSuccessor(end, way) == l->header)
				c->back = way;
			if (is_in(l, LLVMGetSuccessor(end, way)))
				continue;
			if (c->nways == c->cap)
				c->ways = pass_grow(c->ways, &c->cap, sizeof *c->ways);
			c->ways[c->nways++] = (struct leaving){end, way, before};
		}
	}
}

/* A counter of rounds from 0 on that the loop has anyway: its value in a round, and in the next one. */
static LLVMValueRef own_counter(const struct loop *l, LLVMValueRef *next)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(l->header); LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i)) {
		if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(i)) > 64 ||
		    LLVMGetIntTypeWidth(LLVMTypeOf(i)) < 8)
			continue;
		bool from_entry = LLVMGetIncomingBlock(i, 0) == LLVMGetInstructionParent(l->entry);
		LLVMValueRef begin = LLVMGetIncomingValue(i, !from_entry), by;
		*next = LLVMGetIncomingValue(i, from_entry);
		if (!LLVMIsNull(begin) || !LLVMIsAInstruction(*next) || LLVMGetInstructionOpcode(*next) != LLVMAdd || LLVMGetOperand(*next, 0) != i)
			continue;
		by = LLVMGetOperand(*next, 1);
		if (LLVMIsAConstantInt(by) && LLVMConstIntGetZExtValue(by) == 1)
			return i;
	}
	return NULL;
}

static LLVMValueRef new_counter(LLVMBuilderRef b, LLVMModuleRef m, const struct loop *l, LLVMValueRef back, LLVMValueRef *next)
{
	LLVMValueRef none = int_value(m, 64, 0);
	LLVMBasicBlockRef from[] = {LLVMGetInstructionParent(l->entry), LLVMGetInstructionParent(back)};
	build_before(b, LLVMGetFirstInstruction(l->header));
	LLVMValueRef counter = LLVMBuildPhi(b, int_type(m, 64), "");
	build_before(b, back);
	*next = LLVMBuildAdd(b, counter, int_value(m, 64, 1), "");
	LLVMAddIncoming(counter, &none, &from[0], 1);
	LLVMAddIncoming(counter, next, &from[1], 1);
	return counter;
}

/* Of the rounds since the last entry, of which there is one every `rounds`, a power of 2. */
static LLVMValueRef rounds_of(LLVMBuilderRef b, LLVMModuleRef m, LLVMValueRef counter, uint32_t rounds)
{
	LLVMValueRef low = LLVMBuildAnd(b, counter, LLVMConstInt(LLVMTypeOf(counter), rounds - 1, false), "");
	return LLVMBuildIntCast2(b, low, int_type(m, 32), false, "");
}

static void count_loop(LLVMBuilderRef b, LLVMModuleRef m, const struct counted *c, rounds_append *append, void *data)
{
	const struct loop *l = &c->loop;
	uint32_t rounds = c->most / c->branches;
	LLVMValueRef next, counter = own_counter(l, &next);
	LLVMValueRef back = llvm_split_edge(LLVMGetBasicBlockTerminator(l->latch), c->back);
	if (!counter)
		counter = new_counter(b, m, l, back, &next);
	build_before(b, back);
	LLVMValueRef many = LLVMBuildICmp(b, LLVMIntEQ, rounds_of(b, m, next, rounds), int_value(m, 32, 0), "");
	append(data, llvm_unlikely_if(many, back), int_value(m, 32, RT_ROUNDS_MORE));
	for (size_t i = 0; i < c->nways; i++) {
		LLVMValueRef at = llvm_split_edge(c->ways[i].end, c->ways[i].way);
		build_before(b, at);
		LLVMValueRef stayed = LLVMBuildMul(b, rounds_of(b, m, counter, rounds), int_value(m, 32, c->branches), "");
		append(data, at, LLVMBuildAdd(b, stayed, int_value(m, 32, c->ways[i].before), ""));
	}
}

void rounds_instrument(LLVMValueRef function, LLVMBuilderRef b, rounds_append *append, void *data)
{
	LLVMModuleRef m = LLVMGetGlobalParent(function);
	LLVMContextRef context = LLVMGetModuleContext(m);
	unsigned round_kind = LLVMGetMDKindIDInContext(context, PASS_ROUND_METADATA, sizeof PASS_ROUND_METADATA - 1);
	unsigned rounds_kind = LLVMGetMDKindIDInContext(context, PASS_ROUNDS_METADATA, sizeof PASS_ROUNDS_METADATA - 1);
	struct spans spans = {0};
	struct counted *all = NULL;
	size_t n = 0, cap = 0;
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
		uint32_t most = number_of(end, rounds_kind);
		if (most == UINT32_MAX)
			continue;
		if (!n)
			llvm_dominators(function, note_span, &spans);
		if (n == cap)
			all = pass_grow(all, &cap, sizeof *all);
		struct counted *c = &all[n++];
		*c = (struct counted){.loop = {.header = LLVMGetSuccessor(end, 0), .entry = end}, .most = most};
		collect_blocks(&c->loop);
		collect_ways(c, &spans, round_kind);
	}
	for (size_t i = 0; i < n; i++) {
		count_loop(b, m, &all[i], append, data);
		free(all[i].loop.blocks);
		free(all[i].ways);
	}
	free(all);
	spans_free(&spans);
}
