/*
 * Where the recorded program has to ask whether the word under construction is full.
 *
 * A word that passed the check has room for RT_PATH_ROOM bits more, so not every append needs one.
 * The rule is: on no path are more than RT_PATH_ROOM bits appended between two checks, and none are
 * outstanding where control leaves the function: before a call that may append, a return, a resumed
 * exception. Loops are cut at their back edges, and entered with little outstanding, so that one check
 * in each round is enough for most; the rest is a forward dataflow of the most bits outstanding.
 *
 * A check need not make room for RT_PATH_ROOM bits where fewer are appended before the next one: a backward dataflow
 * finds how many can be, and words are filled up further.
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
	unsigned need; /* most bits appended from its begin to the next check; RT_PATH_ROOM where a boundary comes first */
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

static unsigned at_most_room(unsigned bits)
{
	return bits < RT_PATH_ROOM ? bits : RT_PATH_ROOM;
}

/* Most bits that are appended behind block b before the next check. */
static unsigned need_behind(const struct room *r, uint32_t b)
{
	unsigned need = 0;
	for (unsigned k = 0; k < successors(r, b); k++) {
		unsigned n = r->at[successor(r, b, k)].need;
		need = n > need ? n : need;
	}
	return need;
}

/* What a check in block b has to make room for. */
static unsigned need_of_check(const struct room *r, uint32_t b)
{
	const struct room_block *block = &r->at[b];
	if (block->bits > RT_PATH_ROOM || block->boundary || !block->visited)
		return RT_PATH_ROOM;
	return at_most_room(block->bits + need_behind(r, b));
}

static unsigned need_at_begin(const struct room *r, uint32_t b)
{
	const struct room_block *block = &r->at[b];
	if (block->boundary)
		return block->in ? 0 : RT_PATH_ROOM;
	if (block->check || (block->seal && block->in))
		return 0;
	return at_most_room(block->bits + need_behind(r, b));
}

static void find_needs(struct room *r)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = r->norder; i-- > 0;) {
			unsigned need = need_at_begin(r, r->order[i]);
			changed |= need != r->at[r->order[i]].need;
			r->at[r->order[i]].need = need;
		}
	}
}

static void push_check(const struct room *r, uint32_t b, LLVMValueRef before, struct values *checks, struct map *needs)
{
	values_push(checks, before);
	map_set(needs, before, need_of_check(r, b));
}

void room_plan(LLVMValueRef function, const struct map *bits, struct values *checks, struct map *needs)
{
	struct room r = {0};
	describe_blocks(&r, function, bits);
	find_order(&r);
	cut_loops(&r);
	seal_loops(&r);
	while (flow_round(&r))
		;
	find_needs(&r);
	for (uint32_t i = 1; i <= r.n; i++) {
		struct room_block *b = &r.at[i];
		if (b->bits && (b->check || !b->visited))
			push_check(&r, i, LLVMGetBasicBlockTerminator(b->block), checks, needs);
		else if (b->boundary && b->in)
			push_check(&r, i, b->boundary, checks, needs);
		else if (b->seal && b->in)
			push_check(&r, i, LLVMGetBasicBlockTerminator(b->block), checks, needs);
	}
	free(r.at);
	free(r.order);
	free(r.position);
	map_free(&r.number);
}
