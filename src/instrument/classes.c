/* See classes.h. */
#include "instrument/classes.h"

#include "instrument/pass.h"

#include <stdlib.h>

/* parent[a] == a for a root. next, flags and signature are those of the root. */
struct class_node {
	uint32_t parent;
	uint32_t next; /* 0: not asked for yet */
	uint32_t rank;
	uint32_t flags;
	uint32_t *params; /* 0: not asked for yet */
	uint32_t nparams;
	uint32_t result;
	bool function;
};

struct pair {
	uint32_t a, b;
};

struct pairs {
	struct pair *at;
	size_t n, cap;
};

struct classes {
	struct class_node *at;
	size_t n, cap;
	struct pairs pending; /* still to be unified */
	struct pairs numbers; /* class_link_number */
	struct pairs called;  /* class_may_be_called; b unused */
};

static void push(struct pairs *p, uint32_t a, uint32_t b)
{
	if (p->n == p->cap)
		p->at = pass_grow(p->at, &p->cap, sizeof *p->at);
	p->at[p->n++] = (struct pair){a, b};
}

struct classes *classes_new(void)
{
	struct classes *c = pass_alloc(1, sizeof *c);
	class_new(c); /* CLASS_NONE */
	uint32_t world = class_new(c);
	c->at[world].next = world;
	c->at[world].flags = CLASS_OBJECT | CLASS_SHARED | CLASS_WRITTEN;
	return c;
}

void classes_free(struct classes *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->at[i].params);
	free(c->at);
	free(c->pending.at);
	free(c->numbers.at);
	free(c->called.at);
	free(c);
}

uint32_t class_new(struct classes *c)
{
	if (c->n == c->cap)
		c->at = pass_grow(c->at, &c->cap, sizeof *c->at);
	uint32_t a = (uint32_t)c->n++;
	c->at[a] = (struct class_node){.parent = a};
	return a;
}

uint32_t class_find(const struct classes *c, uint32_t a)
{
	while (c->at[a].parent != a) {
		/* Path halving: a cache, so that a const structure may do it. */
		c->at[a].parent = c->at[c->at[a].parent].parent;
		a = c->at[a].parent;
	}
	return a;
}

unsigned class_flags(const struct classes *c, uint32_t a)
{
	return c->at[class_find(c, a)].flags;
}

void class_flag(struct classes *c, uint32_t a, unsigned flags)
{
	if (a)
		c->at[class_find(c, a)].flags |= flags;
}

void classes_clear(struct classes *c, unsigned flags)
{
	for (size_t i = 0; i < c->n; i++)
		c->at[i].flags &= ~flags;
}

static bool is_world(const struct classes *c, uint32_t a)
{
	return class_find(c, a) == class_find(c, CLASS_WORLD);
}

/* Room for parameters 0 .. n-1. */
static void widen(struct class_node *node, uint32_t n)
{
	if (n <= node->nparams)
		return;
	node->params = realloc(node->params, n * sizeof *node->params);
	if (!node->params)
		pass_die("out of memory");
	for (uint32_t i = node->nparams; i < n; i++)
		node->params[i] = 0;
	node->nparams = n;
}

/* The parts of a class that became one with the world. */
static void join_world(struct classes *c, const struct class_node *node)
{
	if (node->next)
		push(&c->pending, node->next, CLASS_WORLD);
	for (uint32_t i = 0; i < node->nparams; i++)
		if (node->params[i])
			push(&c->pending, node->params[i], CLASS_WORLD);
	if (node->result)
		push(&c->pending, node->result, CLASS_WORLD);
}

static void join_parts(struct classes *c, struct class_node *to, struct class_node *from)
{
	if (to->next && from->next)
		push(&c->pending, to->next, from->next);
	else if (from->next)
		to->next = from->next;

	widen(to, from->nparams);
	for (uint32_t i = 0; i < from->nparams; i++) {
		if (to->params[i] && from->params[i])
			push(&c->pending, to->params[i], from->params[i]);
		else if (from->params[i])
			to->params[i] = from->params[i];
	}
	if (to->result && from->result)
		push(&c->pending, to->result, from->result);
	else if (from->result)
		to->result = from->result;
}

static void unify_one(struct classes *c, uint32_t a, uint32_t b)
{
	a = class_find(c, a);
	b = class_find(c, b);
	if (a == b || !a || !b)
		return;
	uint32_t world = class_find(c, CLASS_WORLD);
	if (b == world || (a != world && c->at[a].rank < c->at[b].rank)) {
		uint32_t t = a;
		a = b;
		b = t;
	}
	struct class_node *to = &c->at[a], *from = &c->at[b];
	from->parent = a;
	if (to->rank <= from->rank)
		to->rank = from->rank + 1;
	to->flags |= from->flags;
	to->function |= from->function;
	if (a == world)
		join_world(c, from);
	else
		join_parts(c, to, from);
	free(from->params);
	from->params = NULL;
	from->nparams = 0;
}

void class_unify(struct classes *c, uint32_t a, uint32_t b)
{
	if (!a || !b)
		return;
	push(&c->pending, a, b);
	while (c->pending.n) {
		struct pair p = c->pending.at[--c->pending.n];
		unify_one(c, p.a, p.b);
	}
}

uint32_t class_next(struct classes *c, uint32_t a)
{
	a = class_find(c, a);
	if (a && !c->at[a].next) {
		uint32_t next = class_new(c);
		c->at[a].next = next;
	}
	return c->at[a].next;
}

uint32_t class_param(struct classes *c, uint32_t a, uint32_t i)
{
	a = class_find(c, a);
	if (!a || is_world(c, a))
		return a;
	c->at[a].function = true;
	widen(&c->at[a], i + 1);
	if (!c->at[a].params[i]) {
		uint32_t param = class_new(c);
		c->at[a].params[i] = param;
	}
	return c->at[a].params[i];
}

uint32_t class_result(struct classes *c, uint32_t a)
{
	a = class_find(c, a);
	if (!a || is_world(c, a))
		return a;
	c->at[a].function = true;
	if (!c->at[a].result) {
		uint32_t result = class_new(c);
		c->at[a].result = result;
	}
	return c->at[a].result;
}

void class_link_number(struct classes *c, uint32_t a, uint32_t b)
{
	if (a && b)
		push(&c->numbers, a, b);
}

void class_may_be_called(struct classes *c, uint32_t a)
{
	if (a)
		push(&c->called, a, 0);
}

/*
 * The world holds pointers as integers in any program, which says nothing about the numbers read
 * from it: a link to the world counts only if the other side holds them in its own right.
 */
static bool number_is_pointer(const struct classes *c, struct pair p)
{
	bool a = class_flags(c, p.a) & CLASS_INTEGER, b = class_flags(c, p.b) & CLASS_INTEGER;
	return (a && !is_world(c, p.a)) || (b && !is_world(c, p.b));
}

/* Unify the links that turned out to matter and forget them; true if there were any. */
static bool settle_numbers(struct classes *c)
{
	size_t kept = 0, n = c->numbers.n;
	for (size_t i = 0; i < n; i++) {
		struct pair p = c->numbers.at[i];
		if (number_is_pointer(c, p))
			class_unify(c, p.a, p.b);
		else if (class_find(c, p.a) != class_find(c, p.b))
			c->numbers.at[kept++] = p;
	}
	bool changed = kept < n;
	c->numbers.n = kept;
	return changed;
}

static bool settle_called(struct classes *c)
{
	bool changed = false;
	for (size_t i = 0; i < c->called.n; i++) {
		uint32_t a = class_find(c, c->called.at[i].a);
		if (c->at[a].function && !is_world(c, a)) {
			class_unify(c, a, CLASS_WORLD);
			changed = true;
		}
	}
	return changed;
}

static void spread_shared(struct classes *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t a = class_find(c, i);
		if (!(c->at[a].flags & CLASS_SHARED))
			continue;
		/* Stops at what is shared already: that class spreads, or has spread, itself. */
		for (uint32_t next = c->at[a].next; next; next = c->at[next].next) {
			next = class_find(c, next);
			if (c->at[next].flags & CLASS_SHARED)
				break;
			c->at[next].flags |= CLASS_SHARED;
		}
	}
}

void classes_solve(struct classes *c)
{
	bool changed;
	do {
		changed = settle_numbers(c);
		changed |= settle_called(c);
	} while (changed);
	spread_shared(c);
}
