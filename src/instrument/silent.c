/*
 * Ways of branches that append nothing (include/rethread/instrument.h): the pointer into the tray goes on, and the byte stays RT_TRAY_NONE, which
 * counts as a 1. The likelier way of a branch is chosen, which then costs no store, and no block of its own where other ways meet.
 *
 * What is not written tells nobody how far a thread came that dies there. So from such a way on every path appends something
 *   - before anything that other threads may wait for, and before control leaves the function: calls, atomic operations. Plain writes of shared memory may
 *     have been done or not, like those behind the last branch of a thread that dies;
 *   - before the path comes round again: of all ways around a loop none is silent;
 *   - after RT_SILENT_MOST silent ways at the most: where a thread is can then be found in its tray (rt_tray_here).
 */
#include "instrument/silent.h"

#include <stdlib.h>

/* How many blocks are looked at behind a way; more, and it is not silent. */
enum { MOST_BLOCKS = 64, NEVER = RT_SILENT_MOST + 1 };

struct way {
	LLVMValueRef branch;
	bool silent;
	unsigned likely; /* which way */
	unsigned percent;
};

struct chooser {
	struct map recorded; /* branch: 1, or 2 + the place of its way */
	struct map sites;    /* instruction: its kind + 1 */
	struct map hidden;   /* block: 1, nothing in it has to be written before; 2, it has; 3, it appends by itself */
	struct way *ways;    /* of the function at hand */
	size_t n, cap;
	LLVMValueRef anchor, byte;
};

/* ---------------------------------------------------------------- what others wait for -------- */

static bool shows(const struct chooser *c, LLVMValueRef i)
{
	uint32_t kind = map_get(&c->sites, i);
	if (kind)
		return kind - 1 != SITE_LOAD && kind - 1 != SITE_STORE && kind - 1 != SITE_COPY && kind - 1 != SITE_FILL;
	if (is_call(i) && LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
		return false; /* it touches no memory, or it would be a site */
	if (is_call(i))
		return !direct_callee(i) || !is_intrinsic(direct_callee(i));
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	return op == LLVMFence || op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg;
}

enum { HIDDEN = 1, SHOWS, APPENDS };

static unsigned look_at(struct chooser *c, LLVMBasicBlockRef b)
{
	unsigned known = map_get(&c->hidden, b);
	if (known)
		return known;
	known = HIDDEN;
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && known == HIDDEN; i = LLVMGetNextInstruction(i)) {
		LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
		if (callee && (callee == c->anchor || callee == c->byte))
			known = APPENDS;
		else if (shows(c, i))
			known = SHOWS;
	}
	map_set(&c->hidden, b, known);
	return known;
}

/* ---------------------------------------------------------------- what comes next ------------- */

struct search {
	LLVMValueRef from; /* the branch in question */
	unsigned left;     /* blocks */
};

static struct way *way_of(const struct chooser *c, LLVMValueRef branch)
{
	uint32_t number = map_get(&c->recorded, branch);
	return number >= 2 ? &c->ways[number - 2] : NULL;
}

/* The most silent ways on a path from the block's begin to an append; NEVER: too many, or there need not be one in time. */
static unsigned silence(struct chooser *c, struct search *s, LLVMBasicBlockRef b)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
	if (!s->left || look_at(c, b) == SHOWS)
		return NEVER;
	s->left--;
	if (look_at(c, b) == APPENDS)
		return 0;
	LLVMOpcode op = LLVMGetInstructionOpcode(end);
	if (end == s->from || (op != LLVMBr && op != LLVMSwitch))
		return NEVER;
	if (map_get(&c->recorded, end)) {
		struct way *w = way_of(c, end);
		if (!w || !w->silent)
			return 0;
		unsigned n = silence(c, s, LLVMGetSuccessor(end, w->likely));
		return n < NEVER ? n + 1 : NEVER;
	}
	unsigned most = 0;
	for (unsigned i = 0; i < LLVMGetNumSuccessors(end) && most < NEVER; i++) {
		unsigned n = silence(c, s, LLVMGetSuccessor(end, i));
		most = n > most ? n : most;
	}
	return most;
}

static bool may_be_silent(struct chooser *c, const struct way *w)
{
	struct search s = {.from = w->branch, .left = MOST_BLOCKS};
	return silence(c, &s, LLVMGetSuccessor(w->branch, w->likely)) < RT_SILENT_MOST;
}

/* ---------------------------------------------------------------- one function ---------------- */

static bool has_others(LLVMBasicBlockRef b)
{
	LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(b));
	return use && LLVMGetNextUse(use);
}

/* Where neither way is likelier: the one that would need a block of its own to append. */
static unsigned choose_way(LLVMValueRef br, unsigned percent)
{
	if (percent >= 45 && percent <= 55)
		return !has_others(LLVMGetSuccessor(br, 0)) && has_others(LLVMGetSuccessor(br, 1));
	return percent < 50;
}

static void add_way(void *chooser, LLVMValueRef br, unsigned percent)
{
	struct chooser *c = chooser;
	if (!map_get(&c->recorded, br) || LLVMGetSuccessor(br, 0) == LLVMGetSuccessor(br, 1))
		return;
	if (c->n == c->cap)
		c->ways = pass_grow(c->ways, &c->cap, sizeof *c->ways);
	c->ways[c->n++] = (struct way){.branch = br, .likely = choose_way(br, percent), .percent = percent < 50 ? 100 - percent : percent};
	map_set(&c->recorded, br, (uint32_t)c->n + 1);
}

/* The branches that are easiest to guess come first: around a loop, one has to append. */
static int by_likelihood(const void *a, const void *b)
{
	const struct way *x = *(struct way *const *)a, *y = *(struct way *const *)b;
	if (x->percent != y->percent)
		return x->percent < y->percent ? 1 : -1;
	return x < y ? -1 : x > y;
}

static void choose(struct chooser *c)
{
	struct way **order = pass_alloc(c->n + 1, sizeof *order);
	for (size_t i = 0; i < c->n; i++)
		order[i] = &c->ways[i];
	qsort(order, c->n, sizeof *order, by_likelihood);
	for (size_t i = 0; i < c->n; i++)
		order[i]->silent = may_be_silent(c, order[i]);
	/* What was chosen later may have made others' silence too long. */
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < c->n; i++)
			if (order[i]->silent && !may_be_silent(c, order[i]))
				order[i]->silent = false, again = true;
	}
	free(order);
}

void silent_choose(LLVMModuleRef m, const struct numbering *n)
{
	LLVMContextRef context = LLVMGetModuleContext(m);
	unsigned kind = LLVMGetMDKindIDInContext(context, PASS_SILENT_METADATA, sizeof PASS_SILENT_METADATA - 1);
	LLVMValueRef node = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0));
	struct chooser c = {.anchor = LLVMGetNamedFunction(m, PASS_ANCHOR), .byte = LLVMGetNamedFunction(m, PASS_ANCHOR_BYTE)};
	for (size_t i = 0; i < n->branches.n; i++)
		map_set(&c.recorded, n->branches.at[i], 1);
	for (size_t i = 0; i < n->sites.n; i++)
		map_set(&c.sites, n->sites.at[i], n->kinds[i] + 1u);
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (!is_instrumented(f) || f == c.anchor || f == c.byte)
			continue;
		c.n = 0;
		llvm_likelihoods(f, add_way, &c);
		choose(&c);
		for (size_t i = 0; i < c.n; i++) {
			if (c.ways[i].silent && c.ways[i].likely)
				llvm_swap_ways(c.ways[i].branch);
			if (c.ways[i].silent)
				LLVMSetMetadata(c.ways[i].branch, kind, node);
		}
	}
	map_free(&c.recorded);
	map_free(&c.sites);
	map_free(&c.hidden);
	free(c.ways);
}
