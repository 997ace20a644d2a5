/*
 * What chose a value, for src/sym/ties.c: a value that differs by the way that the thread took rests on the branches of that way, too. As in gated SSA
 * (Ottenstein, Ballance, MacCabe, PLDI 1990): a phi where ways meet rests on the branches since the block that dominates it, a value that leaves a loop on
 * those since the loop was entered; what goes round in a loop does not rest on its going round. And which branches something is done under: those whose
 * ways have not met again. Ways that end in the program's end meet nobody.
 */
#include "sym/translate_internal.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* A graph of blocks: who can come next. */
struct graph {
	uint32_t n;
	uint32_t *first, *to; /* edges of block b: to[first[b]] .. to[first[b + 1]] */
};

struct choice_loop {
	uint32_t header, parent;
	uint32_t latches;
	reg entered, round;                /* marks: when it was entered; when this round began */
	vec(LLVMValueRef) leave;           /* values of it that are used outside */
};

struct choices {
	uint32_t n;
	uint32_t *idom, *meets;            /* by block: who dominates it; where the ways that part at its end meet again; NONE */
	uint32_t *loop;                    /* the innermost, in loops; NONE */
	reg *mark;                         /* taken at the end of the block; NO_REG: none is */
	bool *joins;                       /* ways meet there */
	unsigned returns;
	reg began;                         /* mark at the begin of the function */
	vec(struct choice_loop) loops;     /* inner ones first */
};

static uint32_t number_of(struct tr *t, LLVMBasicBlockRef b)
{
	uint32_t n = 0;
	map_get(&t->fn.block_number, b, &n);
	return n;
}

/* Blocks that the end of one leads to. normal: without those that an exception leads to. */
static unsigned nsuccessors(LLVMValueRef end, bool normal)
{
	return normal && LLVMIsAInvokeInst(end) ? 1 : LLVMGetNumSuccessors(end);
}

/* ---- graphs ---- */

/* With one block more, which all that return lead to. */
static void graph_init(struct tr *t, struct graph *g, bool normal)
{
	size_t edges = 0;
	g->n = t->fn.nblocks + 1;
	g->first = xcalloc(g->n + 1, sizeof *g->first);
	for (uint32_t b = 0; b < t->fn.nblocks; b++)
		edges += nsuccessors(LLVMGetBasicBlockTerminator(t->fn.blocks[b]), normal) + 1;
	g->to = xcalloc(edges + 1, sizeof *g->to);
	uint32_t at = 0;
	for (uint32_t b = 0; b < t->fn.nblocks; b++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(t->fn.blocks[b]);
		g->first[b] = at;
		for (unsigned k = 0; k < nsuccessors(end, normal); k++)
			g->to[at++] = number_of(t, LLVMGetSuccessor(end, k));
		if (LLVMIsAReturnInst(end))
			g->to[at++] = t->fn.nblocks;
	}
	g->first[g->n - 1] = g->first[g->n] = at;
}

static void graph_turn(const struct graph *g, struct graph *out)
{
	out->n = g->n;
	out->first = xcalloc(g->n + 1, sizeof *out->first);
	out->to = xcalloc(g->first[g->n] + 1, sizeof *out->to);
	for (uint32_t i = 0; i < g->first[g->n]; i++)
		out->first[g->to[i] + 1]++;
	for (uint32_t b = 0; b < g->n; b++)
		out->first[b + 1] += out->first[b];
	uint32_t *next = xmalloc((g->n + 1) * sizeof *next);
	memcpy(next, out->first, (g->n + 1) * sizeof *next);
	for (uint32_t b = 0; b < g->n; b++)
		for (uint32_t i = g->first[b]; i < g->first[b + 1]; i++)
			out->to[next[g->to[i]]++] = b;
	free(next);
}

static void graph_release(struct graph *g)
{
	free(g->first);
	free(g->to);
}

/* Blocks in postorder from the root on; place: by block, NONE where it cannot be reached. */
static uint32_t postorder(const struct graph *g, uint32_t root, uint32_t *order, uint32_t *place)
{
	uint32_t *stack = xmalloc((g->n + 1) * sizeof *stack), *next = xmalloc((g->n + 1) * sizeof *next), depth = 0, n = 0;
	bool *seen = xcalloc(g->n, sizeof *seen);
	memset(place, 0xff, g->n * sizeof *place);
	stack[depth++] = root;
	next[root] = g->first[root];
	seen[root] = true;
	while (depth) {
		uint32_t b = stack[depth - 1];
		if (next[b] == g->first[b + 1]) {
			place[b] = n;
			order[n++] = b;
			depth--;
			continue;
		}
		uint32_t to = g->to[next[b]++];
		if (seen[to])
			continue;
		seen[to] = true;
		next[to] = g->first[to];
		stack[depth++] = to;
	}
	free(stack);
	free(next);
	free(seen);
	return n;
}

/* Who dominates each block, seen from the root (Cooper, Harvey, Kennedy); NONE: it is the root, or cannot be reached. */
static uint32_t *dominators(const struct graph *g, const struct graph *turned, uint32_t root)
{
	uint32_t *idom = xmalloc(g->n * sizeof *idom), *order = xmalloc(g->n * sizeof *order), *place = xmalloc(g->n * sizeof *place);
	uint32_t n = postorder(g, root, order, place);
	memset(idom, 0xff, g->n * sizeof *idom);
	idom[root] = root;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t k = n - 1; k-- > 0;) {
			uint32_t b = order[k], is = NONE;
			for (uint32_t i = turned->first[b]; i < turned->first[b + 1]; i++) {
				uint32_t p = turned->to[i];
				if (place[p] == NONE || idom[p] == NONE)
					continue;
				while (is != NONE && p != is)
					if (place[p] < place[is])
						p = idom[p];
					else
						is = idom[is];
				is = p;
			}
			changed |= idom[b] != is;
			idom[b] = is;
		}
	}
	idom[root] = NONE;
	free(order);
	free(place);
	return idom;
}

/* ---- loops ---- */

static bool dominates(const struct choices *c, uint32_t a, uint32_t b)
{
	while (b != NONE && b != a)
		b = c->idom[b];
	return b == a;
}

static bool is_within(const struct choices *c, uint32_t loop, uint32_t block)
{
	uint32_t at = c->loop[block];
	while (at != NONE && at != loop)
		at = c->loops.at[at].parent;
	return at == loop;
}

/* The block is of the loop, whose header is h; so are the loops that it is in already. Who comes before it may be, too: they go on the stack. */
static uint32_t put_into(struct choices *c, uint32_t loop, uint32_t block)
{
	uint32_t at = c->loop[block];
	if (at == NONE) {
		c->loop[block] = loop;
		return block;
	}
	while (at != loop && c->loops.at[at].parent != NONE)
		at = c->loops.at[at].parent;
	if (at == loop)
		return NONE;
	c->loops.at[at].parent = loop;
	return c->loops.at[at].header;
}

static void find_loops(struct choices *c, const struct graph *turned)
{
	uint32_t *stack = xmalloc((turned->first[turned->n] + c->n + 1) * sizeof *stack);
	memset(c->loop, 0xff, c->n * sizeof *c->loop);
	for (uint32_t h = c->n; h-- > 0;) { /* inner headers come later in reverse postorder */
		uint32_t depth = 0, latches = 0;
		for (uint32_t i = turned->first[h]; i < turned->first[h + 1]; i++)
			if (dominates(c, h, turned->to[i])) {
				stack[depth++] = turned->to[i];
				latches++;
			}
		if (!latches)
			continue;
		uint32_t loop = (uint32_t)c->loops.n;
		*vec_push(&c->loops) = (struct choice_loop){.header = h, .parent = NONE, .latches = latches, .entered = NO_REG, .round = NO_REG};
		c->loop[h] = loop;
		while (depth) {
			uint32_t b = stack[--depth];
			uint32_t from = b == h ? NONE : put_into(c, loop, b);
			for (uint32_t i = from == NONE || from == h ? 0 : turned->first[from]; from != NONE && from != h && i < turned->first[from + 1]; i++)
				if (turned->to[i] < c->n)
					stack[depth++] = turned->to[i];
		}
	}
	free(stack);
}

/* ---- the plan ---- */

static bool has_choices(LLVMValueRef phi)
{
	for (unsigned k = 1; k < LLVMCountIncoming(phi); k++)
		if (LLVMGetIncomingValue(phi, k) != LLVMGetIncomingValue(phi, 0))
			return true;
	return false;
}

static reg new_mark(struct tr *t)
{
	return REG(PART_GLOBAL, t->fn.nglobal++);
}

static bool is_used_outside(struct tr *t, const struct choices *c, uint32_t loop, LLVMValueRef v)
{
	for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		uint32_t b;
		if (LLVMIsAInstruction(user) && map_get(&t->fn.block_number, LLVMGetInstructionParent(user), &b) && !is_within(c, loop, b))
			return true;
	}
	return false;
}

static void plan_loops(struct tr *t, struct choices *c)
{
	for (uint32_t b = 0; b < c->n; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(t->fn.blocks[b]); i; i = LLVMGetNextInstruction(i))
			for (uint32_t l = c->loop[b]; l != NONE && is_used_outside(t, c, l, i); l = c->loops.at[l].parent)
				*vec_push(&c->loops.at[l].leave) = i;
	for (size_t l = 0; l < c->loops.n; l++) {
		if (c->loops.at[l].leave.n)
			c->loops.at[l].entered = new_mark(t);
		if (c->loops.at[l].latches > 1)
			c->loops.at[l].round = new_mark(t);
	}
}

void plan_choices(struct tr *t)
{
	if (!t->with_choices)
		return;
	struct choices *c = t->fn.choices = xcalloc(1, sizeof *c);
	struct graph g, turned, normal, back;
	c->n = t->fn.nblocks;
	c->loop = xmalloc((c->n + 1) * sizeof *c->loop);
	c->mark = xmalloc((c->n + 1) * sizeof *c->mark);
	c->joins = xcalloc(c->n + 1, sizeof *c->joins);
	memset(c->mark, 0xff, (c->n + 1) * sizeof *c->mark); /* NO_REG */
	graph_init(t, &g, false);
	graph_turn(&g, &turned);
	graph_init(t, &normal, true);
	graph_turn(&normal, &back);
	c->idom = dominators(&g, &turned, 0);
	c->meets = dominators(&back, &normal, c->n);
	find_loops(c, &turned);
	graph_release(&g);
	graph_release(&turned);
	graph_release(&normal);
	graph_release(&back);
	for (uint32_t b = 0; b < c->n; b++) {
		LLVMValueRef first = LLVMGetFirstInstruction(t->fn.blocks[b]), end = LLVMGetBasicBlockTerminator(t->fn.blocks[b]);
		bool chooses = false;
		for (; first && LLVMIsAPHINode(first) && !chooses; first = LLVMGetNextInstruction(first))
			chooses = has_choices(first);
		if (chooses && c->idom[b] != NONE && c->mark[c->idom[b]] == NO_REG)
			c->mark[c->idom[b]] = new_mark(t);
		if (nsuccessors(end, true) > 1 && c->meets[b] != NONE && c->meets[b] < c->n)
			c->joins[c->meets[b]] = true;
		c->returns += LLVMIsAReturnInst(end) != NULL;
	}
	plan_loops(t, c);
	c->began = c->returns > 1 ? new_mark(t) : NO_REG;
}

void release_choices(struct tr *t)
{
	struct choices *c = t->fn.choices;
	if (!c)
		return;
	for (size_t i = 0; i < c->loops.n; i++)
		vec_free(&c->loops.at[i].leave);
	vec_free(&c->loops);
	free(c->idom);
	free(c->meets);
	free(c->loop);
	free(c->mark);
	free(c->joins);
	free(c);
}

/* ---- what is emitted ---- */

static void emit_mark(struct tr *t, reg mark)
{
	if (mark != NO_REG)
		emit(t, OP_MARK, 0, mark, 0, 0);
}

static void emit_chosen(struct tr *t, LLVMValueRef v, reg mark)
{
	unsigned n = mark == NO_REG ? 0 : slots_of(t, LLVMTypeOf(v));
	uint32_t known;
	if (!n || (LLVMIsAInstruction(v) && !map_get(&t->fn.value_index, v, &known)))
		return;
	const reg *regs = value_regs(t, v);
	for (unsigned k = 0; k < n; k++)
		if (REG_PART(regs[k]) == PART_GLOBAL)
			emit(t, OP_CHOSEN, 0, regs[k], mark, 0);
}

void choices_at_block(struct tr *t, uint32_t block)
{
	const struct choices *c = t->fn.choices;
	if (!c)
		return;
	uint32_t l = c->loop[block];
	if (!block)
		emit_mark(t, c->began);
	if (c->joins[block])
		emit(t, OP_JOIN, 0, block, 0, 0);
	if (l != NONE && c->loops.at[l].header == block)
		emit_mark(t, c->loops.at[l].round);
}

void choices_at_end(struct tr *t, LLVMValueRef end)
{
	const struct choices *c = t->fn.choices;
	if (!c)
		return;
	emit_mark(t, c->mark[t->fn.block]);
	if (LLVMIsAReturnInst(end)) {
		LLVMValueRef v = LLVMGetNumOperands(end) ? LLVMGetOperand(end, 0) : NULL;
		if (v && !LLVMIsConstant(v))
			emit_chosen(t, v, c->began);
		emit(t, OP_JOIN, 0, NONE, 0, 0);
	} else if (nsuccessors(end, true) > 1) {
		emit(t, OP_SPLIT, 0, c->meets[t->fn.block], 0, 0);
	}
}

/* A function of anchors.c (PASS_ANCHOR) returns what it is given, though branches on that choose it; where what it is given is a wrong guess, the right one. */
void choices_behind_call(struct tr *t, LLVMValueRef call)
{
	static const char anchor[] = "rethread.anchor";
	size_t length;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (!LLVMIsAFunction(callee) || LLVMGetNumArgOperands(call) != 1 || strncmp(LLVMGetValueName2(callee, &length), anchor, sizeof anchor - 1))
		return;
	if (t->fn.choices)
		emit(t, OP_AS, 0, value_reg(t, call), value_reg(t, LLVMGetOperand(call, 0)), 0);
	else if (!LLVMIsConstant(LLVMGetOperand(call, 0)))
		emit(t, OP_TOLD, 0, 0, value_reg(t, call), value_reg(t, LLVMGetOperand(call, 0)));
}

bool choices_on_edge(struct tr *t, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	const struct choices *c = t->fn.choices;
	if (!c)
		return false;
	uint32_t a = number_of(t, from), b = number_of(t, to);
	uint32_t l = c->loop[b];
	bool enters = l != NONE && c->loops.at[l].header == b && !is_within(c, l, a) && c->loops.at[l].entered != NO_REG;
	bool chooses = false, leaves = false;
	for (LLVMValueRef i = LLVMGetFirstInstruction(to); i && LLVMIsAPHINode(i) && !chooses; i = LLVMGetNextInstruction(i))
		chooses = has_choices(i);
	for (uint32_t k = c->loop[a]; k != NONE && !is_within(c, k, b); k = c->loops.at[k].parent)
		leaves |= c->loops.at[k].leave.n > 0;
	return enters || chooses || leaves;
}

void choices_before_moves(struct tr *t, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	const struct choices *c = t->fn.choices;
	uint32_t b = c ? number_of(t, to) : 0;
	for (uint32_t k = c ? c->loop[number_of(t, from)] : NONE; k != NONE && !is_within(c, k, b); k = c->loops.at[k].parent)
		for (size_t i = 0; i < c->loops.at[k].leave.n; i++)
			emit_chosen(t, c->loops.at[k].leave.at[i], c->loops.at[k].entered);
}

void choices_behind_moves(struct tr *t, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	const struct choices *c = t->fn.choices;
	if (!c)
		return;
	uint32_t a = number_of(t, from), b = number_of(t, to), l = c->loop[b];
	bool header = l != NONE && c->loops.at[l].header == b, round = header && is_within(c, l, a);
	reg mark = round ? c->loops.at[l].round : c->idom[b] == NONE ? NO_REG : c->mark[c->idom[b]];
	unsigned entries = 0;
	LLVMValueRef first = LLVMGetFirstInstruction(to);
	for (unsigned k = 0; header && first && LLVMIsAPHINode(first) && k < LLVMCountIncoming(first); k++)
		entries += !is_within(c, l, number_of(t, LLVMGetIncomingBlock(first, k)));
	for (LLVMValueRef i = first; i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
		if (has_choices(i) && (!header || round || entries > 1))
			emit_chosen(t, i, mark);
	if (header && !round)
		emit_mark(t, c->loops.at[l].entered);
}
