/*
 * Where a function asks whether its tray is full, where its pointer into the tray is advanced, and where it is saved: see room.h.
 *
 * On no path are more than RT_TRAY_ROOM bytes appended between two questions, and none are outstanding where control leaves the
 * function: before a call that may append, a return, a resumed exception. Loops that append ask once in each round, before their first
 * append if they can: a signal's handler may run there. How much is outstanding, and whether the pointer in memory is behind, are
 * forward dataflows; offsets then take one pass.
 */
#include "instrument/room.h"

#include <stdlib.h>

/* A block appends at its end, after its boundary. */
struct block {
	LLVMBasicBlockRef block;
	LLVMValueRef boundary; /* first instruction at which nothing may be outstanding */
	LLVMValueRef end;
	unsigned bits;
	unsigned in, out;             /* most bytes outstanding */
	bool round_in, round_out;     /* may the round of the loop have asked or appended? */
	bool stale_in, stale_out;     /* memory's pointer may be behind */
	bool ask;                     /* before it appends */
	bool visited, header, latch, in_loop;
	int offset_in, offset_out;
};

struct edge {
	uint32_t from, to;
	unsigned i; /* which successor */
};

struct room {
	struct block *at; /* numbered from 1, as map numbers are */
	uint32_t n;
	struct map number; /* of a block */
	uint32_t *order;   /* reverse postorder of the reachable ones */
	uint32_t norder;
	uint32_t *position; /* in order */
	struct edge *edges; /* between those, by where they lead */
	uint32_t *first;    /* of a block's in edges; one more at the end */
	struct room_plan *plan;
};

/* An offset fits into a byte of the instruction. */
enum { MOST_BEHIND = 96 };

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
		struct block *block = &r->at[++r->n];
		map_set(&r->number, b, r->n);
		block->block = b;
		block->end = LLVMGetBasicBlockTerminator(b);
		block->bits = map_get(bits, b);
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && !block->boundary;
		     i = LLVMGetNextInstruction(i))
			if (is_boundary(i))
				block->boundary = i;
	}
}

static unsigned successors(const struct room *r, uint32_t b)
{
	return LLVMGetNumSuccessors(r->at[b].end);
}

static uint32_t successor(const struct room *r, uint32_t b, unsigned i)
{
	return map_get(&r->number, LLVMGetSuccessor(r->at[b].end, i));
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

static bool goes_back(const struct room *r, const struct edge *e)
{
	return r->position[e->to] <= r->position[e->from];
}

static void find_edges(struct room *r)
{
	uint32_t n = 0;
	r->first = pass_alloc(r->n + 2, sizeof *r->first);
	for (uint32_t i = 0; i < r->norder; i++)
		for (unsigned k = 0; k < successors(r, r->order[i]); k++, n++)
			r->first[successor(r, r->order[i], k) + 1]++;
	for (uint32_t b = 1; b <= r->n; b++)
		r->first[b + 1] += r->first[b];
	uint32_t *next = pass_alloc(r->n + 1, sizeof *next);
	r->edges = pass_alloc(n + 1, sizeof *r->edges);
	for (uint32_t i = 0; i < r->norder; i++)
		for (unsigned k = 0; k < successors(r, r->order[i]); k++) {
			uint32_t from = r->order[i], to = successor(r, from, k);
			struct edge e = {from, to, k};
			r->edges[r->first[to] + next[to]++] = e;
			r->at[to].header |= goes_back(r, &e);
			r->at[from].latch |= goes_back(r, &e);
		}
	free(next);
}

static void is_in_loop(void *room, LLVMBasicBlockRef block, unsigned loop)
{
	struct room *r = room;
	(void)loop;
	r->at[map_get(&r->number, block)].in_loop = true;
}

/* ---------------------------------------------------------------- questions ------------------- */

static void flow_through(struct block *b)
{
	bool begun = b->boundary || (b->round_in && !b->header);
	b->out = b->boundary ? 0 : b->in;
	b->stale_out = (b->stale_in && !b->boundary) || b->bits;
	b->ask = b->bits && (b->out + b->bits > RT_TRAY_ROOM || (b->in_loop && !begun));
	b->out = (b->ask ? 0 : b->out) + b->bits;
	b->round_out = begun || b->bits;
}

static bool flow_in(struct block *to, const struct block *from)
{
	bool grows = from->out > to->in || (from->round_out && !to->round_in) || (from->stale_out && !to->stale_in);
	if (from->out > to->in)
		to->in = from->out;
	to->round_in |= from->round_out;
	to->stale_in |= from->stale_out;
	return grows;
}

/* One round in order; true when something grew. */
static bool flow_round(struct room *r)
{
	bool grew = false;
	for (uint32_t i = 0; i < r->norder; i++) {
		struct block *b = &r->at[r->order[i]];
		flow_through(b);
		for (unsigned k = 0; k < successors(r, r->order[i]); k++)
			grew |= flow_in(&r->at[successor(r, r->order[i], k)], b);
	}
	return grew;
}

/* ---------------------------------------------------------------- offsets --------------------- */

static void add_step(struct room *r, enum room_what what, int offset, LLVMValueRef at, int edge)
{
	struct room_plan *p = r->plan;
	if (p->n == p->cap)
		p->at = pass_grow(p->at, &p->cap, sizeof *p->at);
	p->at[p->n++] = (struct room_step){what, offset, at, edge};
}

static void advance(struct room *r, int by, LLVMValueRef at, int edge)
{
	if (by)
		add_step(r, ROOM_ADVANCE, by, at, edge);
}

/* Where not, the pointer is up to date, and on the way to what follows nothing can be done about it. */
static bool ends_in_branch(const struct block *b)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(b->end);
	return op == LLVMBr || op == LLVMSwitch;
}

/*
 * What most ways have that come from a block with others: on those, advancing takes a block of its own. A loop begins with what its
 * rounds end with, as far as that is known.
 */
static int choose_offset(const struct room *r, uint32_t b)
{
	int best = 0;
	unsigned most = 0;
	for (uint32_t i = r->first[b]; i < r->first[b + 1]; i++) {
		const struct block *from = &r->at[r->edges[i].from];
		if (!ends_in_branch(from))
			return 0;
		if (!r->at[b].header && LLVMGetNumSuccessors(from->end) == 1 && most)
			continue;
		if (goes_back(r, &r->edges[i]) ? from->ask : !r->at[b].header) {
			int offset = goes_back(r, &r->edges[i]) ? (int)from->bits : from->offset_out;
			unsigned same = LLVMGetNumSuccessors(from->end) > 1 ? 2 : 1;
			for (uint32_t k = r->first[b]; k < i; k++)
				same += !goes_back(r, &r->edges[k]) && r->at[r->edges[k].from].offset_out == offset;
			if (same > most)
				most = same, best = offset;
		}
	}
	return best;
}

/* At the end of a block that goes back to the begin of a loop. */
static void close_round(struct room *r, uint32_t number)
{
	struct block *b = &r->at[number];
	for (unsigned k = 0; k < successors(r, number); k++) {
		uint32_t to = successor(r, number, k);
		if (r->position[to] > r->position[number])
			continue;
		advance(r, b->offset_out - r->at[to].offset_in, b->end, -1);
		b->offset_out = r->at[to].offset_in;
		return;
	}
}

static void plan_block(struct room *r, uint32_t number)
{
	struct block *b = &r->at[number];
	int offset = b->offset_in;
	if (b->boundary) {
		if (b->in) {
			advance(r, offset, b->boundary, -1);
			add_step(r, ROOM_ASK, 0, b->boundary, -1);
			offset = 0;
		}
		if (b->stale_in)
			add_step(r, ROOM_SAVE, offset, b->boundary, -1);
		offset = 0;
	}
	if (b->ask) {
		advance(r, offset, b->end, -1);
		add_step(r, ROOM_ASK, 0, b->end, -1);
		offset = 0;
	}
	if (b->bits)
		add_step(r, ROOM_APPEND, offset, b->end, -1);
	offset += (int)b->bits;
	if (offset > MOST_BEHIND || !ends_in_branch(b)) {
		if (successors(r, number))
			advance(r, offset, b->end, -1);
		offset = 0;
	}
	b->offset_out = offset;
	if (b->latch)
		close_round(r, number);
}

/* Where it is entered with another offset than that block has. */
static void plan_edge(struct room *r, const struct edge *e)
{
	struct block *from = &r->at[e->from];
	int by = from->offset_out - r->at[e->to].offset_in;
	advance(r, by, from->end, LLVMGetNumSuccessors(from->end) == 1 ? -1 : (int)e->i);
}

static void plan_steps(struct room *r)
{
	for (uint32_t i = 0; i < r->norder; i++) {
		struct block *b = &r->at[r->order[i]];
		b->offset_in = i ? choose_offset(r, r->order[i]) : 0;
		plan_block(r, r->order[i]);
	}
	for (uint32_t i = 0; i < r->first[r->n + 1]; i++)
		plan_edge(r, &r->edges[i]);
	for (uint32_t b = 1; b <= r->n; b++)
		if (!r->at[b].visited && r->at[b].bits)
			add_step(r, ROOM_APPEND, 0, r->at[b].end, -1);
}

void room_make_plan(LLVMValueRef function, const struct map *bits, struct room_plan *plan)
{
	struct room r = {.plan = plan};
	plan->n = 0;
	describe_blocks(&r, function, bits);
	find_order(&r);
	find_edges(&r);
	llvm_loops(function, is_in_loop, &r);
	while (flow_round(&r))
		;
	plan_steps(&r);
	free(r.at);
	free(r.order);
	free(r.position);
	free(r.edges);
	free(r.first);
	map_free(&r.number);
}
