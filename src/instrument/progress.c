/*
 * Which branches are recorded although inference could recompute them.
 *
 * The log also says how far a thread came. Where a thread was killed in the middle of a loop that appends
 * nothing, inference would go on to the loop's end, through accesses that never happened, or for ever. So
 * every cycle of control flow has to leave a mark in the log, a recorded branch or a synchronization operation,
 * unless it touches nothing shared: then others do not see how often it goes round, and the executor stops a thread that does so for very
 * long beyond its log. A function that calls itself, also by way of others, is a cycle as well.
 */
#include "instrument/recompute.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- graphs ---------------------- */

void graph_free(struct graph *g)
{
	free(g->first);
	free(g->to);
	*g = (struct graph){0};
}

/* Tarjan's algorithm without recursion: functions can have very many blocks. */
struct tarjan {
	uint32_t *index, *low, *next; /* of a node; index 0: not seen */
	uint32_t *path, npath;        /* depth-first path */
	uint32_t *stack, nstack;      /* nodes without a component yet */
	uint32_t count, components;
};

static void enter(struct tarjan *t, const struct graph *g, uint32_t v)
{
	t->index[v] = t->low[v] = ++t->count;
	t->next[v] = g->first[v];
	t->path[t->npath++] = v;
	t->stack[t->nstack++] = v;
}

static void leave(struct tarjan *t, uint32_t v, uint32_t *component)
{
	t->npath--;
	if (t->npath && t->low[v] < t->low[t->path[t->npath - 1]])
		t->low[t->path[t->npath - 1]] = t->low[v];
	if (t->low[v] != t->index[v])
		return;
	uint32_t w;
	do {
		w = t->stack[--t->nstack];
		component[w] = t->components;
	} while (w != v);
	t->components++;
}

static void search(struct tarjan *t, const struct graph *g, const bool *skip, uint32_t *component)
{
	while (t->npath) {
		uint32_t v = t->path[t->npath - 1];
		if (t->next[v] == g->first[v + 1]) {
			leave(t, v, component);
			continue;
		}
		uint32_t w = g->to[t->next[v]++];
		if (skip[w])
			continue;
		if (!t->index[w])
			enter(t, g, w);
		else if (component[w] == UINT32_MAX && t->index[w] < t->low[v])
			t->low[v] = t->index[w];
	}
}

uint32_t graph_components(const struct graph *g, const bool *skip, uint32_t *component)
{
	uint32_t *memory = pass_alloc((size_t)g->n * 5 + 1, sizeof *memory);
	struct tarjan t = {
		.index = memory,
		.low = memory + g->n,
		.next = memory + 2 * g->n,
		.path = memory + 3 * g->n,
		.stack = memory + 4 * g->n,
	};
	for (uint32_t v = 0; v < g->n; v++)
		component[v] = UINT32_MAX;
	for (uint32_t v = 0; v < g->n; v++) {
		if (skip[v] || t.index[v])
			continue;
		enter(&t, g, v);
		search(&t, g, skip, component);
	}
	free(memory);
	return t.components;
}

/* ---------------------------------------------------------------- one function ---------------- */

/*
 * Blocks by number. A block is `done` when no further look at it is needed: it leaves a mark, or is in a loop that need not.
 */
struct flow {
	const struct map *loud;   /* functions that touch shared memory or leave the module */
	const struct map *circle; /* functions: a number for those that call one another in a circle */
	uint32_t own;             /* that of this one, or 0 */
	const struct map *interposed, *sites;
	struct map *known;
	LLVMBasicBlockRef *blocks;
	struct map number; /* of a block, + 1 */
	struct graph graph;
	uint32_t *component;
	bool *done, *site;
};

static uint32_t number_of(const struct flow *w, LLVMBasicBlockRef b)
{
	return map_get(&w->number, b) - 1;
}

static LLVMValueRef end_of(const struct flow *w, uint32_t b)
{
	return LLVMGetBasicBlockTerminator(w->blocks[b]);
}

static bool is_recorded(const struct flow *w, LLVMValueRef end)
{
	if (!is_branch(end) || map_get(w->known, end))
		return false;
	return LLVMGetInstructionOpcode(end) == LLVMBr || rt_switch_bits(LLVMGetNumSuccessors(end)) > 0;
}

static void describe_block(struct flow *w, uint32_t b)
{
	w->done[b] = is_recorded(w, end_of(w, b));
	for (LLVMValueRef i = LLVMGetFirstInstruction(w->blocks[b]); i; i = LLVMGetNextInstruction(i)) {
		w->site[b] |= map_get(w->sites, i) != 0;
		LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
		if (!callee)
			continue;
		w->done[b] |= map_get(w->interposed, callee) != 0;
		w->site[b] |= map_get(w->loud, callee) != 0;
	}
}

/* May the block, before anything marks it, call a function by way of which this one is called again? */
static bool calls_again(const struct flow *w, LLVMBasicBlockRef b)
{
	for (LLVMValueRef i = w->own ? LLVMGetFirstInstruction(b) : NULL; i; i = LLVMGetNextInstruction(i)) {
		LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
		if (callee && map_get(w->interposed, callee))
			return false;
		if (callee && map_get(w->circle, callee) == w->own)
			return true;
	}
	return false;
}

/* To where control goes from block b: a block that calls this function again, before its own branch, is as good as the entry. */
static uint32_t add_successors(struct flow *w, uint32_t b, uint32_t edges)
{
	LLVMValueRef end = end_of(w, b);
	if (!b && calls_again(w, w->blocks[b]))
		w->graph.to[edges++] = 0;
	for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
		LLVMBasicBlockRef next = LLVMGetSuccessor(end, k);
		w->graph.to[edges++] = number_of(w, next);
		if (calls_again(w, next))
			w->graph.to[edges++] = 0;
	}
	return edges;
}

static void flow_init(struct flow *w, LLVMValueRef f)
{
	uint32_t n = 0, edges = 0;
	w->graph.n = LLVMCountBasicBlocks(f);
	w->blocks = pass_alloc(w->graph.n, sizeof *w->blocks);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) {
		w->blocks[n] = b;
		map_set(&w->number, b, ++n);
		edges += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b));
	}
	w->graph.first = pass_alloc(n + 1, sizeof *w->graph.first);
	w->graph.to = pass_alloc(2 * edges + 1, sizeof *w->graph.to);
	w->component = pass_alloc(n, sizeof *w->component);
	w->done = pass_alloc(n, sizeof *w->done);
	w->site = pass_alloc(n, sizeof *w->site);
	edges = 0;
	for (uint32_t b = 0; b < n; b++) {
		w->graph.first[b] = edges;
		edges = add_successors(w, b, edges);
		describe_block(w, b);
	}
	w->graph.first[n] = edges;
}

static void flow_release(struct flow *w)
{
	graph_free(&w->graph);
	map_free(&w->number);
	free(w->blocks);
	free(w->component);
	free(w->done);
	free(w->site);
}

/* ---------------------------------------------------------------- the loops of a function ----- */

/* A component of the blocks that are not done: a loop, or what is left of one. */
struct loop {
	uint32_t component;
	bool cycle, site;
	bool circle; /* the function may call itself there */
};

static bool is_in(const struct flow *w, const struct loop *l, uint32_t b)
{
	return w->component[b] == l->component;
}

static struct loop describe_loop(const struct flow *w, uint32_t component)
{
	struct loop l = {.component = component, .circle = w->own && w->component[0] == component};
	for (uint32_t b = 0; b < w->graph.n; b++) {
		if (w->component[b] != component)
			continue;
		l.site |= w->site[b];
		for (uint32_t e = w->graph.first[b]; e < w->graph.first[b + 1]; e++)
			l.cycle |= w->component[w->graph.to[e]] == component;
	}
	return l;
}

/* The block whose known branch had best be recorded: one that leaves the loop; of calls in a circle, the first. */
static uint32_t choose_mark(const struct flow *w, const struct loop *l)
{
	uint32_t any = UINT32_MAX;
	for (uint32_t b = 0; b < w->graph.n; b++) {
		LLVMValueRef end = end_of(w, b);
		if (!is_in(w, l, b) || !map_get(w->known, end))
			continue;
		any = b;
		if (l->circle)
			return b;
		for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
			if (!is_in(w, l, number_of(w, LLVMGetSuccessor(end, k))))
				return b;
	}
	return any;
}

static void finish_loop(struct flow *w, const struct loop *l)
{
	uint32_t exit = l->site || l->circle ? choose_mark(w, l) : UINT32_MAX;
	if (exit != UINT32_MAX)
		map_set(w->known, end_of(w, exit), 0);
	for (uint32_t b = 0; b < w->graph.n; b++)
		if (exit == UINT32_MAX ? is_in(w, l, b) : b == exit)
			w->done[b] = true;
}

/* True when there was a loop that was not done. */
static bool finish_loops(struct flow *w)
{
	bool any = false;
	uint32_t n = graph_components(&w->graph, w->done, w->component);
	for (uint32_t c = 0; c < n; c++) {
		struct loop l = describe_loop(w, c);
		if (!l.cycle)
			continue;
		finish_loop(w, &l);
		any = true;
	}
	return any;
}

/* ---------------------------------------------------------------- the module ------------------ */

struct callers {
	struct values functions;
	struct map number; /* of a function, + 1 */
	struct graph calls;
};

static uint32_t called_number(const struct callers *c, LLVMValueRef i)
{
	LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
	return callee ? map_get(&c->number, callee) : 0;
}

#define FOR_INSTRUCTIONS(f, i)                                                                        \
	for (LLVMBasicBlockRef b_ = LLVMGetFirstBasicBlock(f); b_; b_ = LLVMGetNextBasicBlock(b_))    \
		for (LLVMValueRef i = LLVMGetFirstInstruction(b_); i; i = LLVMGetNextInstruction(i))

static void find_calls(struct callers *c, LLVMModuleRef m)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m); f; f = LLVMGetNextFunction(f)) {
		if (!is_instrumented(f))
			continue;
		values_push(&c->functions, f);
		map_set(&c->number, f, (uint32_t)c->functions.n);
	}
	size_t edges = 0, cap = 0;
	c->calls.n = (uint32_t)c->functions.n;
	c->calls.first = pass_alloc(c->calls.n + 1, sizeof *c->calls.first);
	for (uint32_t k = 0; k < c->calls.n; k++) {
		c->calls.first[k] = (uint32_t)edges;
		FOR_INSTRUCTIONS (c->functions.at[k], i) {
			uint32_t callee = called_number(c, i);
			if (!callee)
				continue;
			if (edges == cap)
				c->calls.to = pass_grow(c->calls.to, &cap, sizeof *c->calls.to);
			c->calls.to[edges++] = callee - 1;
		}
	}
	c->calls.first[c->calls.n] = (uint32_t)edges;
}

/* Sites, interposed functions, and code outside of the module; then whoever calls such a function. */
static void find_loud(const struct callers *c, const struct map *interposed, const struct map *sites,
		      struct map *loud)
{
	for (uint32_t k = 0; k < c->calls.n; k++)
		FOR_INSTRUCTIONS (c->functions.at[k], i) {
			LLVMValueRef callee = is_call(i) ? direct_callee(i) : NULL;
			if (map_get(sites, i) || (callee && map_get(interposed, callee)))
				map_set(loud, c->functions.at[k], 1);
		}
	bool changed = true;
	while (changed) {
		changed = false;
		for (uint32_t k = 0; k < c->calls.n; k++)
			for (uint32_t e = c->calls.first[k]; e < c->calls.first[k + 1]; e++) {
				LLVMValueRef callee = c->functions.at[c->calls.to[e]];
				if (!map_get(loud, callee) || map_get(loud, c->functions.at[k]))
					continue;
				map_set(loud, c->functions.at[k], 1);
				changed = true;
			}
	}
}

/* Numbers, from 1, the circles of functions that call one another, or themselves. */
static void find_circles(const struct callers *c, struct map *circle)
{
	uint32_t *component = pass_alloc(c->calls.n, sizeof *component);
	uint32_t *members = pass_alloc(c->calls.n, sizeof *members);
	bool *skip = pass_alloc(c->calls.n, sizeof *skip);
	graph_components(&c->calls, skip, component);
	for (uint32_t k = 0; k < c->calls.n; k++)
		members[component[k]]++;
	for (uint32_t k = 0; k < c->calls.n; k++) {
		bool recursive = members[component[k]] > 1;
		for (uint32_t e = c->calls.first[k]; e < c->calls.first[k + 1]; e++)
			recursive |= c->calls.to[e] == k;
		if (recursive)
			map_set(circle, c->functions.at[k], component[k] + 1);
	}
	free(component);
	free(members);
	free(skip);
}

void progress_keep(LLVMModuleRef m, const struct map *interposed, const struct map *sites, struct map *known)
{
	struct callers c = {0};
	struct map loud = {0}, circle = {0};
	find_calls(&c, m);
	find_loud(&c, interposed, sites, &loud);
	find_circles(&c, &circle);
	for (uint32_t k = 0; k < c.calls.n; k++) {
		struct flow w = {
			.loud = &loud,
			.circle = &circle,
			.own = map_get(&circle, c.functions.at[k]),
			.interposed = interposed,
			.sites = sites,
			.known = known,
		};
		flow_init(&w, c.functions.at[k]);
		while (finish_loops(&w))
			;
		flow_release(&w);
	}
	values_free(&c.functions);
	map_free(&c.number);
	graph_free(&c.calls);
	map_free(&loud);
	map_free(&circle);
}
