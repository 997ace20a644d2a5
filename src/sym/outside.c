/*
 * What lies outside of all blocks: before the first element of a vector, behind the last one. The recorded run found there what the allocator keeps
 * beside its blocks, or a neighbour's, which the executor does not have. So what is read there, unless somebody has written it, may be anything: a
 * symbol that no read gives a value. What depends on one goes as the log has it, and is no condition on anything: whether that
 * was right, the replay says. And what is written there, or into a block that was given back, does harm that
 * shows later, inside of the allocator (outside_fails_in). Nothing is proven where either has happened.
 */
#include "sym/engine.h"
#include "sym/ties.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { NEAR = 4096 }; /* bytes from the next block: what lies further away is nobody's */

static struct {
	size_t reads, harms;
	vec(uint64_t) harmed; /* blocks that were given back and have a place, each once */
	char wrote[200]; /* who first wrote there */
	vec(bool) depends; /* by expression, from `first` on: those before are older than the first such symbol */
	expr first;
} outside;

bool outside_is(uint64_t address)
{
	uint64_t start, size;
	bool freed;
	if (address < RT_HEAP || address >= RT_MIRROR + RT_MIRROR_SIZE)
		return false;
	return !engine.config->heap_block(address, &start, &size, &freed);
}

/* The block that is nearest, on either side: how far from its begin or its end, and its size. */
static bool nearest(uint64_t address, uint64_t *distance, bool *behind, uint64_t *size)
{
	uint64_t start;
	bool freed;
	for (*distance = 1; *distance < NEAR; ++*distance) {
		*behind = engine.config->heap_block(address - *distance, &start, size, &freed);
		if (*behind || engine.config->heap_block(address + *distance, &start, size, &freed))
			return true;
	}
	return false;
}

static void describe(struct ethread *t, uint64_t address, bool write, char *text, size_t room)
{
	uint64_t distance, size;
	bool behind;
	struct position p;
	if (*text || ties_on() || !nearest(address, &distance, &behind, &size))
		return;
	interp_place(engine.interp, ithread_own_place(t->interp, 0), &p);
	const char *slash = p.file ? strrchr(p.file, '/') : NULL;
	char where[40] = "behind the end of";
	if (!behind)
		snprintf(where, sizeof where, "%llu byte%s before", (unsigned long long)distance, distance == 1 ? "" : "s");
	snprintf(text, room, "thread %s %s %s a block of %llu byte%s (%.60s:%u)", t->name, write ? "wrote" : "read", where, (unsigned long long)size,
		 size == 1 ? "" : "s", slash ? slash + 1 : p.file ? p.file : "?", p.line);
}

const char *outside_text(void)
{
	for (size_t i = 0; i < engine.threads.n && !*outside.wrote; i++)
		if (engine.threads.at[i]->failed && *engine.threads.at[i]->looked)
			return engine.threads.at[i]->looked;
	return outside.wrote;
}

/* Expressions are made after those that they are made of. */
static void look_up_to(expr e)
{
	const struct expr_node *nodes = expr_nodes(engine.exprs);
	for (expr at = outside.first + (expr)outside.depends.n; at <= e; at++) {
		expr below[3] = { nodes[at].a, nodes[at].b, nodes[at].c };
		bool depends = false;
		for (unsigned i = 0; i < 3; i++)
			depends |= below[i] >= outside.first && outside.depends.at[below[i] - outside.first];
		*vec_push(&outside.depends) = depends;
	}
}

void outside_mark(expr e)
{
	if (!e)
		return;
	if (!outside.first)
		outside.first = e;
	look_up_to(e);
	outside.depends.at[e - outside.first] = true;
}

struct slot outside_read(struct ethread *t, uint64_t address, uint64_t found, unsigned size)
{
	outside.reads++;
	describe(t, address, false, t->looked, sizeof t->looked);
	t->looks_outside = true;
	t->effects++; /* no lap is like another in which it may be something else */
	if (ties_on())
		return (struct slot){ found, EXPR_NONE };
	expr e = expr_sym(engine.exprs, size * 8, engine.symbols.n);
	*vec_push(&engine.symbols) = (struct symbol_info){ { UINT32_MAX, 0, 0, 0 }, t, e, 0 };
	outside_mark(e);
	return (struct slot){ found, e };
}

static void note_harmed(uint64_t address)
{
	uint64_t start, size;
	bool freed;
	if (!mirror_has(address) || !engine.config->heap_block(address, &start, &size, &freed) || size > RT_FREED_MOST)
		return;
	for (size_t i = 0; i < outside.harmed.n; i++)
		if (outside.harmed.at[i] == start)
			return;
	*vec_push(&outside.harmed) = start;
}

/* Behind the end of a block so small that the allocator's own words (RT_FREED_SIZE) do not fit into it? It has room there, and writes there itself. */
static bool is_room(uint64_t address)
{
	uint64_t start, size, begin = address & ~(uint64_t)(RT_FREED_SIZE - 1);
	bool freed;
	return outside_is(address) && engine.config->heap_block(begin, &start, &size, &freed) && start == begin;
}

void outside_harmed(struct ethread *t, uint64_t address)
{
	bool room = is_room(address);
	if (room && !races_hit_freed(engine.races))
		return;
	outside.harms++;
	note_harmed(address);
	if (outside_is(address) && !room)
		describe(t, address, true, outside.wrote, sizeof outside.wrote);
}

size_t outside_doubtful(void)
{
	return outside.reads + outside.harms;
}

bool outside_decides(expr e)
{
	if (!outside.first || e < outside.first)
		return false;
	look_up_to(e);
	return outside.depends.at[e - outside.first];
}

/* Did the run end inside of a library, by what the allocator does when it finds its own in disorder? */
static bool ends_in_disorder(void)
{
	const struct rt_failure *f = &engine.trace->failure;
	return f->nframes && !f->frames[0] && (f->signal == SIGABRT || f->signal == SIGSEGV || f->signal == SIGBUS);
}

bool outside_fails_by(struct ethread *t, expr e, bool address)
{
	const struct rt_failure *f = &engine.trace->failure;
	if (!outside_decides(e) || !guess_is_where_it_failed(t))
		return false;
	/* An address may have been used right here, a parameter only by who is called. */
	return address ? f->signal == SIGSEGV || f->signal == SIGBUS : ends_in_disorder();
}

/* The replay is told by which signal the thread ends at its next SAP: which one it is, where blocks lie elsewhere, is chance. */
static void force_disorder(struct ethread *t)
{
	*vec_push(&engine.results) = (struct forced_result){
		.thread = t->number, .sap = t->saps, .kind = FORCED_DISORDER, .result = (int32_t)engine.trace->failure.signal };
}

/* What the C library left in the block, as the thread finds it, is something else; EXPR_NONE: that is known, or known not to be. */
static expr is_overwritten(struct ethread *t, uint64_t start)
{
	struct access link = { .address = start, .size = sizeof(uint64_t) };
	uint64_t left;
	engine_load_as(t, 0, &link, "free"); /* the allocator's looking at what it keeps is no use of it */
	if (!link.value.e)
		return EXPR_NONE;
	left_known(start, &left);
	return expr_not(engine.exprs, expr_equals(engine.exprs, link.value.e, left));
}

/*
 * It ends in this call since a block that was given back was written to: in a replay, too, where that comes first. Of several it is one or the other. Where
 * only something beside blocks was overwritten, there is no such condition.
 */
static void condition_harm(struct ethread *t)
{
	uint64_t start, size;
	bool freed;
	expr any = EXPR_NONE;
	for (size_t i = 0; i < outside.harmed.n; i++) {
		if (!engine.config->heap_block(outside.harmed.at[i], &start, &size, &freed) || !freed)
			continue;
		expr other = is_overwritten(t, start);
		if (other)
			mirror_order_freed(t, start);
		any = any && other ? expr_binary(engine.exprs, EXPR_OR, any, other) : other ? other : any;
	}
	if (any)
		condition_add(t, any, 1, CONDITION_BUG);
}

bool outside_fails_in(struct ethread *t)
{
	if (!outside.harms || !ends_in_disorder() || !engine_fails_in_call(t) || !guess_is_where_it_failed(t))
		return false;
	if (t->read_fault) /* it hands that on, and needs no disorder to fail */
		return true;
	condition_harm(t);
	force_disorder(t);
	return true;
}

void outside_fails_as_it_ends(struct ethread *t)
{
	enum { MOST = 1024 };
	uint64_t starts[MOST];
	expr any = EXPR_NONE;
	size_t n = mirror_kept(t, starts, MOST);
	t->saps++; /* a schedule can name it: behind all that the thread itself did */
	for (size_t i = 0; i < n; i++) {
		expr other = is_overwritten(t, starts[i]);
		any = any && other ? expr_binary(engine.exprs, EXPR_OR, any, other) : other ? other : any;
	}
	if (any) {
		force_disorder(t);
		condition_add(t, any, 1, CONDITION_BUG);
	}
}
