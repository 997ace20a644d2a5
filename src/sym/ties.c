/*
 * What a thread did something for: which of its reads its failure rests on, or what it wrote somewhere. One more run of the executor, on values that are known to lead to the
 * failure, so that nothing needs a guess. Every read of one thread, from a SAP on, has a symbol; what is computed of these is an expression, as ever. A read rests on
 * what its address and what it finds were made of, a value that branches chose on these (translate_choices.c), and what is done under branches on these. The file
 * "ties" of the state says what is asked for, "tied" is the answer; with that the run is over.
 */
#include "model/tied.h"
#include "sym/engine.h"
#include "sym/ties.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a symbol rests on besides. */
struct tie {
	struct tied read;          /* size 0: none, the value was chosen */
	expr on[2];                /* address and what was in memory; or the value, if it was chosen */
	size_t first, end;         /* branches */
	uint32_t depth;            /* ... of this frame */
	uint64_t value;
	expr led;                  /* the address of what was read, where that is no site */
	expr by;                   /* of what was chosen: the innermost branch that it was chosen under */
};

struct branch {
	expr e;
	uint32_t depth, meets;
	const void *at;            /* which one */
};

enum { ARRAY = 4, NEAR = 64, MOST_READ = 64 };

static struct {
	struct ties_asked asked;
	ties_values values;
	bool on;
	vec(struct tie) ties;      /* by symbol */
	vec(struct branch) branches;
	vec(struct branch) under;  /* those whose ways have not met again */
	uint32_t split;            /* of the branch that comes next */
	struct { expr e; uint64_t v, at; } addresses[ARRAY]; /* of accesses at hand, the last ones */
	unsigned naddresses;
	vec(expr) shown;           /* by the last calls that showed something, */
	vec(struct branch) shown_under; /* and what the last of them was under */
} all;

void ties_load(void)
{
	char *data;
	size_t size;
	if (!read_file(engine_state_file("ties"), &data, &size, NULL))
		return;
	if (size >= sizeof all.asked) {
		memcpy(&all.asked, data, sizeof all.asked);
		all.on = true;
	}
	for (size_t at = sizeof all.asked; at + sizeof *all.values.at <= size; at += sizeof *all.values.at)
		memcpy(vec_push(&all.values), data + at, sizeof *all.values.at);
	free(data);
}

bool ties_on(void)
{
	return all.on;
}

static bool is_followed(const struct ethread *t)
{
	return all.on && t->log && t->log->info.number == all.asked.thread && t->saps >= all.asked.from;
}

static expr add(struct tie tie)
{
	*vec_push(&all.ties) = tie;
	return expr_sym(engine.exprs, 64, all.ties.n - 1);
}

/* ---- as the thread runs ---- */

bool ties_address(struct ethread *t, const struct slot *s)
{
	if (!all.on)
		return false;
	unsigned i = all.naddresses++ % ARRAY;
	all.addresses[i].e = s->e;
	all.addresses[i].v = s->v;
	all.addresses[i].at = ithread_instructions(t->interp);
	return true;
}

/* Of the access at hand, if it is there; pieces of one are near. */
static expr address_of(const struct ethread *t, uint64_t at)
{
	for (unsigned i = 0; i < ARRAY; i++)
		if (all.addresses[i].at == ithread_instructions(t->interp) && at - all.addresses[i].v < NEAR)
			return all.addresses[i].e;
	return EXPR_NONE;
}

expr ties_read(struct ethread *t, const struct access *a)
{
	if (!is_followed(t))
		return EXPR_NONE;
	expr e = add((struct tie){{t->saps, a->address, a->size, 0}, {address_of(t, a->address), a->value.e}, 0, 0, 0, a->value.v, EXPR_NONE, EXPR_NONE});
	return a->size < 8 ? expr_extract(engine.exprs, e, 0, 8 * a->size) : e;
}

size_t ties_mark(void)
{
	return all.ties.n;
}

expr ties_made(struct ethread *t, size_t mark, const struct native_call *c, uint64_t value, unsigned size)
{
	expr of = EXPR_NONE;
	if (!is_followed(t))
		return EXPR_NONE;
	for (size_t i = mark, end = all.ties.n < mark + MOST_READ ? all.ties.n : mark + MOST_READ; i < end; i++) {
		expr one = expr_sym(engine.exprs, 64, i);
		of = of ? expr_binary(engine.exprs, EXPR_OR, of, one) : one;
	}
	for (size_t i = 0; i < c->nin; i++) {
		expr one = c->in[i].e ? expr_zext(engine.exprs, c->in[i].e, 64) : EXPR_NONE;
		of = of && one ? expr_binary(engine.exprs, EXPR_OR, of, one) : of ? of : one;
	}
	if (!of)
		return EXPR_NONE;
	expr e = add((struct tie){{0}, {of, EXPR_NONE}, 0, 0, 0, value, EXPR_NONE, EXPR_NONE});
	return size < 8 ? expr_extract(engine.exprs, e, 0, 8 * size) : e;
}

bool ties_branch(struct ethread *t, expr e)
{
	if (!all.on)
		return false;
	struct branch b = {e, ithread_depth(t->interp), all.split, ithread_pc(t->interp)};
	if (!is_followed(t))
		return true;
	*vec_push(&all.branches) = b;
	while (all.under.n && all.under.at[all.under.n - 1].depth > b.depth)
		all.under.n--;
	for (size_t i = all.under.n; i-- > 0 && all.under.at[i].depth == b.depth;)
		if (all.under.at[i].at == b.at)
			all.under.n = i; /* an earlier round */
	*vec_push(&all.under) = b;
	return true;
}

bool ties_strays(struct ethread *t)
{
	if (all.on && !t->unsure && !t->looks_outside)
		engine_fatal("thread %s left its path", t->name);
	return all.on;
}

uint64_t host_mark(struct ithread *t)
{
	(void)t;
	return all.branches.n;
}

struct slot host_chosen(struct ithread *t, struct slot value, uint64_t mark)
{
	uint32_t depth = ithread_depth(t);
	bool any = false;
	if (!is_followed(ithread_data(t)))
		return value;
	for (size_t i = all.branches.n; i-- > mark && !any;)
		any = all.branches.at[i].depth == depth;
	const struct branch *under = all.under.n ? &all.under.at[all.under.n - 1] : NULL;
	if (any)
		value.e = add((struct tie){.on = {value.e}, .first = mark, .end = all.branches.n, .depth = depth, .value = value.v, .by = under && under->depth == depth ? under->e : EXPR_NONE});
	return value;
}

expr host_led(struct ithread *t, struct slot found, expr address)
{
	return is_followed(ithread_data(t)) ? add((struct tie){{0}, {found.e, EXPR_NONE}, 0, 0, 0, found.v, address, EXPR_NONE}) : found.e;
}

void host_split(struct ithread *t, uint32_t block)
{
	(void)t;
	all.split = block;
}

void host_join(struct ithread *t, uint32_t block)
{
	if (!is_followed(ithread_data(t)))
		return;
	uint32_t depth = ithread_depth(t);
	while (all.under.n && all.under.at[all.under.n - 1].depth > depth)
		all.under.n--;
	while (all.under.n && all.under.at[all.under.n - 1].depth == depth && (block == UINT32_MAX || all.under.at[all.under.n - 1].meets == block))
		all.under.n--;
}

/* ---- the answer ---- */

/* Expressions to be followed, and how something rests on them. */
struct root {
	expr e;
	uint32_t how;
};
typedef vec(struct root) roots;

static void add_root(roots *r, expr e, uint32_t how)
{
	if (e)
		*vec_push(r) = (struct root){e, how};
}

/* What a symbol rests on. That it is a copy of what was stored makes no difference. */
static void follow_tie(const struct tie *tie, uint32_t how, roots *left)
{
	uint32_t led = how == TIED_BY_VALUE ? TIED_BY_WAY : how;
	add_root(left, tie->on[0], tie->read.size ? led : how);
	add_root(left, tie->on[1], how);
	add_root(left, tie->led, led);
	for (size_t i = tie->first; i < tie->end; i++)
		if (all.branches.at[i].depth == tie->depth)
			add_root(left, all.branches.at[i].e, led);
}

static void follow(roots *left)
{
	uint8_t *seen = xcalloc(expr_count(engine.exprs) + 1, sizeof *seen);
	while (left->n) {
		struct root r = left->at[--left->n];
		if (seen[r.e] & r.how)
			continue;
		seen[r.e] |= (uint8_t)r.how;
		const struct expr_node *n = expr_node(engine.exprs, r.e);
		if (n->op == EXPR_SYM && n->value < all.ties.n) {
			struct tie *tie = &all.ties.at[n->value];
			tie->read.how |= r.how;
			follow_tie(tie, r.how, left);
		}
		add_root(left, n->a, r.how);
		add_root(left, n->b, r.how);
		add_root(left, n->c, r.how);
	}
	free(seen);
}

/* All reads that these rest on, and what has to have been so for the thread to come there; and the run is over. */
static _Noreturn void answer(roots *left)
{
	tied_list out = {0};
	struct error err;
	for (size_t i = 0; i < all.under.n; i++)
		if (all.under.at[i].meets != UINT32_MAX)
			add_root(left, all.under.at[i].e, TIED_BY_BRANCH);
	follow(left);
	for (size_t i = 0; i < all.ties.n; i++)
		if (all.ties.at[i].read.size && all.ties.at[i].read.how)
			*vec_push(&out) = all.ties.at[i].read;
	if (!write_file(engine_state_file("tied"), out.at, out.n * sizeof *out.at, &err))
		engine_fatal("%s", err.text);
	_exit(0);
}

/* What each expression is, with the values that are asked for, or with those that were read; to be freed. */
static uint64_t *evaluate(bool other)
{
	uint64_t *symbols = xcalloc(all.ties.n + 1, sizeof *symbols), *values = xcalloc(expr_count(engine.exprs) + 1, sizeof *values);
	for (size_t i = 0; i < all.ties.n; i++)
		symbols[i] = all.ties.at[i].value;
	for (size_t i = 0; i < all.ties.n && other; i++)
		for (size_t k = 0; k < all.values.n; k++)
			if (all.ties.at[i].read.size && all.ties.at[i].read.sap == all.values.at[k].sap && all.ties.at[i].read.address == all.values.at[k].address)
				symbols[i] = all.values.at[k].value;
	expr_eval_all(engine.exprs, symbols, values);
	free(symbols);
	return values;
}

/* Is it one that the thread is under, in this round of a loop or an earlier one? */
static bool is_under(const struct branch *b)
{
	for (size_t i = 0; i < all.under.n; i++)
		if (all.under.at[i].at == b->at && all.under.at[i].depth == b->depth && b->meets != UINT32_MAX)
			return true;
	return false;
}

/* Would a branch that the thread is under have gone another way? */
static _Noreturn void answer_if(void)
{
	uint64_t *is = evaluate(false), *other = evaluate(true);
	struct tied yes = {.size = 1};
	struct error err;
	bool otherwise = false;
	for (size_t i = 0; i < all.branches.n && !otherwise; i++)
		otherwise = is[all.branches.at[i].e] != other[all.branches.at[i].e] && is_under(&all.branches.at[i]);
	if (!write_file(engine_state_file("tied"), &yes, otherwise ? sizeof yes : 0, &err))
		engine_fatal("%s", err.text);
	_exit(0);
}

void ties_wrote(struct ethread *t, const struct access *a)
{
	roots left = {0};
	guess_wrote(t, a->address);
	if (!is_followed(t) || !all.asked.sap || t->saps != all.asked.sap || a->address != all.asked.address)
		return;
	if (all.asked.what == TIES_IF)
		answer_if();
	add_root(&left, a->value.e, TIED_BY_VALUE);
	add_root(&left, address_of(t, a->address), TIED_BY_WAY);
	answer(&left);
}

/* What it failed by: the innermost branch that it is under (a message behind it may have branches of its own), else the last one. */
static void add_last_branch(roots *left)
{
	if (all.under.n)
		add_root(left, all.under.at[all.under.n - 1].e, TIED_BY_VALUE);
	else if (all.branches.n)
		add_root(left, all.branches.at[all.branches.n - 1].e, TIED_BY_VALUE);
}

void ties_shown(struct ethread *t, const struct native_call *c)
{
	if (!is_followed(t))
		return;
	for (size_t i = 0; i < c->nin; i++)
		if (c->in[i].e)
			*vec_push(&all.shown) = c->in[i].e;
	all.shown_under.n = 0;
	for (size_t i = 0; i < all.under.n; i++)
		*vec_push(&all.shown_under) = all.under.at[i];
}

/* The run was judged by what it showed: the last things that were computed, and what led there. */
static _Noreturn void answer_shown(void)
{
	enum { LAST = 8 };
	roots left = {0};
	for (size_t i = all.shown.n > LAST ? all.shown.n - LAST : 0; i < all.shown.n; i++)
		add_root(&left, all.shown.at[i], TIED_BY_VALUE);
	all.under.n = 0;
	for (size_t i = 0; i < all.shown_under.n; i++)
		*vec_push(&all.under) = all.shown_under.at[i];
	if (all.asked.what == TIES_IF)
		answer_if();
	if (!left.n && all.under.n) /* a message, or none */
		add_root(&left, all.under.at[all.under.n - 1].e, TIED_BY_VALUE);
	answer(&left);
}

/* A status that is a constant, chosen by branches (`if (lost) return 1;`), says no more than the branch that it was chosen under. EXPR_NONE: it is none, or that is not known. */
static expr chosen_by(expr e)
{
	while (e) {
		const struct expr_node *n = expr_node(engine.exprs, e);
		const struct tie *tie = n->op == EXPR_SYM && n->value < all.ties.n ? &all.ties.at[n->value] : NULL;
		bool wraps = n->op == EXPR_EXTRACT || n->op == EXPR_ZEXT || n->op == EXPR_SEXT;
		if (!wraps && (!tie || tie->read.size || !tie->end))
			return EXPR_NONE;
		if (!wraps && !tie->on[0])
			return tie->by;
		e = wraps ? n->a : tie->on[0];
	}
	return EXPR_NONE;
}

void ties_status(struct ethread *t, expr status)
{
	roots left = {0};
	if (is_followed(t) && !all.asked.sap && engine.trace->failure.kind == RT_FAIL_PREDICATE && (all.shown.n || all.shown_under.n))
		answer_shown();
	if (!is_followed(t) || all.asked.sap || (!status && engine.trace->failure.kind != RT_FAIL_EXIT))
		return;
	if (all.asked.what == TIES_IF)
		answer_if();
	expr by = status ? chosen_by(status) : EXPR_NONE;
	if (by)
		add_root(&left, by, TIED_BY_VALUE);
	if (status)
		add_root(&left, status, TIED_BY_VALUE);
	else
		add_last_branch(&left); /* exit(1): what is done behind it, by destructors, is beside the point */
	answer(&left);
}

void ties_failed(struct ethread *t)
{
	roots left = {0};
	if (!is_followed(t) || all.asked.sap)
		return;
	if (all.asked.what == TIES_IF)
		answer_if();
	/* A bad address, or the last branch. */
	unsigned last = (all.naddresses + ARRAY - 1) % ARRAY;
	if (engine.trace->failure.kind == RT_FAIL_SIGNAL && engine.trace->failure.signal != SIGABRT && all.addresses[last].at == ithread_instructions(t->interp))
		add_root(&left, all.addresses[last].e, TIED_BY_WAY);
	else
		add_last_branch(&left);
	answer(&left);
}
