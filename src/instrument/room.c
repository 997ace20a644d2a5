/*
 * Where the recorded program has to ask whether the word under construction is full.
 *
 * A word that passed the check has room for RT_PATH_ROOM bits more, so not every append needs one.
 * The rule is: on no path are more than RT_PATH_ROOM bits appended between two checks, and none are
 * outstanding where control leaves the function: before a call that may append, a return, a resumed
 * exception. Loops are cut at their back edges, and entered with little outstanding, so that one check
 * in each round is enough for most; the rest is a forward dataflow of the most bits outstanding.
 */
#include "instrument/pass.h"

#include <stdlib.h>

/*
 * A block. Appends are in blocks of their own (on edges), so a block either appends `bits` or holds
 * a boundary, or neither.
 */
struct room_block {
	LLVMBasicBlockRef block;
	LLVMValueRef boundary; /* first instruction at which nothing may be outstanding */
	unsigned bits;
	unsigned in;  /* most bits outstanding at its begin */
	unsigned out; /* and at its end */
	bool check;   /* before it appends, or before its boundary */
	bool seal;    /* check at its end: a loop begins behind it */
	bool visited;
};

struct room {
	struct room_block *at; /* numbered from 1, as map numbers are */
	uint32_t n;
	struct map number; /* of a block */
	uint32_t *order;   /* reverse postorder of the reachable ones */
	uint32_t norder;
	uint32_t *position; /* in order */
};

static bool is_boundary(LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	if (op == LLVMRet || op == LLVMResume)
		return true;
	return is_call(i) && call_may_append(i);
}

static void describe_blocks(struct room *r, LLVMValueRef f, const struct map *bits)
{
	uint32_t n = LLVMCountBasicBlocks(f);
	r->at = pass_alloc(n + 1, sizeof *r->at);
	r->order = pass_alloc(n + 1, sizeof *r->order);
	r->position = pass_alloc(n + 1, sizeof *r->position);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		struct room_block *block = &r->at[++r->n];
		map_set(&r->number, b, r->n);
		block->block = b;
		block->bits = map_get(bits, b);
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !block->boundary;
		     i = LLVMGetNextInstruction(i))
			if (is_boundary(i))
				block->boundary = i;
	}
}

static unsigned successors(const struct room *r, uint32_t b)
{
	return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(r->at[b].block));
}

static uint32_t successor(const struct room *r, uint32_t b, unsigned i)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(r->at[b].block);
	return map_get(&r->number, LLVMGetSuccessor(end, i));
}

/* Depth first, without recursion: functions can have very many blocks. */
static void find_order(struct room *r)
{
	struct {
		uint32_t block;
		unsigned next;
	} *stack = pass_alloc(r->n + 1, sizeof *stack);
	uint32_t depth = 0, slot = r->n;
	stack[depth++].block = 1;
	r->at[1].visited = true;
	while (depth) {
		uint32_t b = stack[depth - 1].block;
		unsigned next = stack[depth - 1].next++;
		if (next == successors(r, b)) {
			r->order[slot--] = b;
			depth--;
			continue;
		}
		uint32_t s = successor(r, b, next);
		if (r->at[s].visited)
			continue;
		r->at[s].visited = true;
		stack[depth].block = s;
		stack[depth++].next = 0;
	}
	free(stack);
	r->norder = r->n - slot;
	for (uint32_t i = 0; i < r->norder; i++) {
		r->order[i] = r->order[slot + 1 + i];
		r->position[r->order[i]] = i;
	}
}

/* An append on a back edge checks; so does one that no single check can make room for. */
static void cut_loops(struct room *r)
{
	for (uint32_t i = 0; i < r->norder; i++) {
		struct room_block *b = &r->at[r->order[i]];
		if (!b->bits)
			continue;
		uint32_t to = successor(r, r->order[i], 0);
		b->check = b->bits > RT_PATH_ROOM || r->position[to] <= i;
	}
}

/* What is outstanding where a loop is entered would have to be checked for in every round. */
static void seal_loops(struct room *r)
{
	bool *header = pass_alloc(r->n + 1, sizeof *header);
	for (uint32_t i = 0; i < r->norder; i++)
		for (unsigned k = 0; k < successors(r, r->order[i]); k++) {
			uint32_t to = successor(r, r->order[i], k);
			header[to] |= r->position[to] <= i;
		}
	for (uint32_t i = 0; i < r->norder; i++)
		for (unsigned k = 0; k < successors(r, r->order[i]); k++) {
			uint32_t to = successor(r, r->order[i], k);
			struct room_block *b = &r->at[r->order[i]];
			if (!header[to] || r->position[to] <= i)
				continue;
			b->check |= b->bits > 0;
			b->seal |= !b->bits;
		}
	free(header);
}

static unsigned flow_through(struct room_block *b)
{
	if (b->boundary || b->seal)
		return 0;
	if (!b->bits)
		return b->in;
	if (b->in + b->bits > RT_PATH_ROOM)
		b->check = true;
	unsigned sum = b->check ? b->bits : b->in + b->bits;
	return sum < RT_PATH_ROOM ? sum : RT_PATH_ROOM;
}

/* One round in order; true when something grew. */
static bool flow_round(struct room *r)
{
	bool changed = false;
	for (uint32_t i = 0; i < r->norder; i++) {
		struct room_block *b = &r->at[r->order[i]];
		unsigned out = flow_through(b);
		changed |= out != b->out;
		b->out = out;
		for (unsigned k = 0; k < successors(r, r->order[i]); k++) {
			struct room_block *s = &r->at[successor(r, r->order[i], k)];
			if (out <= s->in)
				continue;
			s->in = out;
			changed = true;
		}
	}
	return changed;
}

void room_plan(LLVMValueRef function, const struct map *bits, struct values *checks)
{
	struct room r = {0};
	describe_blocks(&r, function, bits);
	find_order(&r);
	cut_loops(&r);
	seal_loops(&r);
	while (flow_round(&r))
		;
	for (uint32_t i = 1; i <= r.n; i++) {
		struct room_block *b = &r.at[i];
		if (b->bits && (b->check || !b->visited))
			values_push(checks, LLVMGetBasicBlockTerminator(b->block));
		else if (b->boundary && b->in)
			values_push(checks, b->boundary);
		else if (b->seal && b->in)
			values_push(checks, LLVMGetBasicBlockTerminator(b->block));
	}
	free(r.at);
	free(r.order);
	free(r.position);
	map_free(&r.number);
}
