#include "instrument/inclusion.h"

#include <stdlib.h>
#include <string.h>

enum constraint_kind { LOAD, LOAD_NUMBER, STORE, MOVE_FROM, MOVE_TO /* accesses: up to here */, CALL, OPEN, LEAK, ESCAPE };

/* On the objects in a node's set. */
struct constraint {
	enum constraint_kind kind;
	uint32_t other; /* a node; the object between the two sides of a move; the call */
	uint32_t member;
	uint32_t next; /* of the same node, + 1 */
};

struct list {
	uint32_t *at;
	size_t n, cap;
};

/* Numbers by two numbers, open addressing; a key of 0 is none. Of edges there are no values. */
struct pairs {
	uint64_t *keys;
	uint32_t *values;
	size_t n, cap;
};

/*
 * set is what the node holds; passed on is what all its edges have been given, seen what its constraints have. Of a node that was
 * collapsed into another only `parent` is valid.
 */
struct node {
	uint32_t parent;
	struct bits set, passed, seen;
	struct list to;
	uint32_t constraints; /* + 1 */
	bool no_world;	/* a number that was loaded */
	bool waits;	/* its set may have grown since it was looked at */
};

struct cell {
	uint32_t member;
	uint32_t stored;    /* a node */
	uint32_t loaded[2]; /* a node for numbers and one for pointers, or 0 */
	uint32_t next;	/* of the same object, + 1 */
};

/* A flag beside those of inclusion.h: what it holds is known outside. */
enum { LEAKS = 4 };
/* Of an object: further members are not told apart. Only what is copied from very many others has as many. */
enum { MOST_CELLS = 64 };
/* What an edge takes, in words of sets: room, and a look into a table that is in no cache. */
enum { EDGE = 8 };

struct object {
	unsigned flags;
	uint32_t cells;   /* + 1 */
	uint32_t ncells;
	struct list heirs; /* objects that hold all that this one does */
	bool sealed;
};

struct inclusion {
	const struct members *members;
	struct inclusion_calls calls;
	struct node *nodes;
	size_t nnodes, nodes_cap;
	struct object *objects;
	size_t nobjects, objects_cap;
	struct cell *cells;
	size_t ncells, cells_cap;
	struct constraint *constraints;
	size_t nconstraints, constraints_cap;
	struct pairs edges;    /* that there are: from, to */
	struct pairs cells_of; /* object, member + 1: the cell */
	uint32_t world;
	struct list waiting; /* nodes that wait, and some that do not any more */
	size_t first;        /* of them */
	size_t nedges;
	uint64_t most; /* steps */
	uint64_t steps; /* words of sets that were united, and the like */
};

static void push(struct list *l, uint32_t v)
{
	if (l->n == l->cap)
		l->at = pass_grow(l->at, &l->cap, sizeof *l->at);
	l->at[l->n++] = v;
}

static size_t slot_of(const struct pairs *p, uint64_t key)
{
	size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (p->cap - 1);
	while (p->keys[i] && p->keys[i] != key)
		i = (i + 1) & (p->cap - 1);
	return i;
}

static void pairs_grow(struct pairs *p)
{
	struct pairs old = *p;
	p->cap = old.cap ? 2 * old.cap : 4096;
	p->keys = pass_alloc(p->cap, sizeof *p->keys);
	p->values = pass_alloc(p->cap, sizeof *p->values);
	for (size_t i = 0; i < old.cap; i++)
		if (old.keys[i]) {
			size_t slot = slot_of(p, old.keys[i]);
			p->keys[slot] = old.keys[i];
			p->values[slot] = old.values[i];
		}
	free(old.keys);
	free(old.values);
}

/* b is not 0. False: it was there. */
static bool pairs_add(struct pairs *p, uint32_t a, uint32_t b, uint32_t value)
{
	if (2 * p->n >= p->cap)
		pairs_grow(p);
	size_t slot = slot_of(p, (uint64_t)a << 32 | b);
	if (p->keys[slot])
		return false;
	p->keys[slot] = (uint64_t)a << 32 | b;
	p->values[slot] = value;
	p->n++;
	return true;
}

/* NULL: it is not there. */
static const uint32_t *pairs_get(const struct pairs *p, uint32_t a, uint32_t b)
{
	size_t slot = p->cap ? slot_of(p, (uint64_t)a << 32 | b) : 0;
	return p->cap && p->keys[slot] ? &p->values[slot] : NULL;
}

static uint32_t find(const struct inclusion *in, uint32_t n)
{
	while (in->nodes[n].parent != n) {
		in->nodes[n].parent = in->nodes[in->nodes[n].parent].parent;
		n = in->nodes[n].parent;
	}
	return n;
}

/* ---------------------------------------------------------------- nodes and edges ------------- */

static bool is_asked_for(const struct inclusion *in, uint64_t edge)
{
	uint32_t from = (uint32_t)(edge >> 32), to = (uint32_t)edge;
	return edge && in->nodes[from].parent == from && in->nodes[to].parent == to;
}

/* Large programs have tens of millions of edges. Those of nodes that were collapsed are left out. */
static void edges_grow(struct inclusion *in)
{
	struct pairs old = in->edges;
	size_t n = 0;
	for (size_t i = 0; i < old.cap; i++)
		n += is_asked_for(in, old.keys[i]);
	size_t cap = !old.cap ? 4096 : 2 * n < old.cap ? old.cap : 2 * old.cap;
	in->edges = (struct pairs){.keys = pass_alloc(cap, sizeof *old.keys), .n = n, .cap = cap};
	for (size_t i = 0; i < old.cap; i++)
		if (is_asked_for(in, old.keys[i]))
			in->edges.keys[slot_of(&in->edges, old.keys[i])] = old.keys[i];
	free(old.keys);
}

/* False: it was there. */
static bool edge_add(struct inclusion *in, uint32_t from, uint32_t to)
{
	if (4 * in->edges.n >= 3 * in->edges.cap)
		edges_grow(in);
	size_t slot = slot_of(&in->edges, (uint64_t)from << 32 | to);
	if (in->edges.keys[slot])
		return false;
	in->edges.keys[slot] = (uint64_t)from << 32 | to;
	in->edges.n++;
	return true;
}

uint32_t inclusion_node(struct inclusion *in)
{
	if (in->nnodes == in->nodes_cap)
		in->nodes = pass_grow(in->nodes, &in->nodes_cap, sizeof *in->nodes);
	uint32_t n = (uint32_t)in->nnodes++;
	in->nodes[n] = (struct node){.parent = n};
	return n;
}

static void look_again(struct inclusion *in, uint32_t node)
{
	if (in->nodes[node].waits)
		return;
	in->nodes[node].waits = true;
	push(&in->waiting, node);
}

uint32_t inclusion_object(struct inclusion *in)
{
	if (in->nobjects == in->objects_cap)
		in->objects = pass_grow(in->objects, &in->objects_cap, sizeof *in->objects);
	in->objects[in->nobjects] = (struct object){0};
	return (uint32_t)in->nobjects++;
}

uint32_t inclusion_world(const struct inclusion *in)
{
	return in->world;
}

void inclusion_add(struct inclusion *in, uint32_t node, uint32_t object)
{
	node = find(in, node);
	if (!node || (object == OBJECT_WORLD && in->nodes[node].no_world))
		return;
	if (bits_add(&in->nodes[node].set, object))
		look_again(in, node);
}

static void give(struct inclusion *in, const struct bits *what, uint32_t to)
{
	struct node *n = &in->nodes[to];
	in->steps += what->n + 1;
	struct bits rest = {0};
	if (n->no_world && bits_has(what, OBJECT_WORLD)) {
		bits_assign(&rest, what);
		bits_remove(&rest, OBJECT_WORLD);
		what = &rest;
	}
	if (bits_unite(&n->set, what))
		look_again(in, to);
	bits_free(&rest);
}

void inclusion_copy(struct inclusion *in, uint32_t from, uint32_t to)
{
	from = find(in, from);
	to = find(in, to);
	if (!from || !to || from == to || !edge_add(in, from, to))
		return;
	push(&in->nodes[from].to, to);
	in->nedges++;
	in->steps += EDGE;
	give(in, &in->nodes[from].passed, to);
}

static void constrain(struct inclusion *in, uint32_t node, struct constraint c)
{
	node = find(in, node);
	if (!node)
		return;
	if (in->nconstraints == in->constraints_cap)
		in->constraints = pass_grow(in->constraints, &in->constraints_cap, sizeof *in->constraints);
	c.next = in->nodes[node].constraints;
	in->constraints[in->nconstraints++] = c;
	in->nodes[node].constraints = (uint32_t)in->nconstraints;
	/* All that it holds is new to this one. */
	bits_free(&in->nodes[node].seen);
	look_again(in, node);
}

void inclusion_load(struct inclusion *in, uint32_t address, uint32_t to, uint32_t member, bool is_pointer)
{
	if (to)
		constrain(in, address, (struct constraint){.kind = is_pointer ? LOAD : LOAD_NUMBER, .other = to, .member = member});
}

void inclusion_store(struct inclusion *in, uint32_t address, uint32_t from, uint32_t member)
{
	if (from)
		constrain(in, address, (struct constraint){.kind = STORE, .other = from, .member = member});
}

void inclusion_move(struct inclusion *in, uint32_t to, uint32_t from)
{
	uint32_t between = inclusion_object(in);
	constrain(in, from, (struct constraint){.kind = MOVE_FROM, .other = between});
	constrain(in, to, (struct constraint){.kind = MOVE_TO, .other = between});
}

void inclusion_open(struct inclusion *in, uint32_t address)
{
	constrain(in, address, (struct constraint){.kind = OPEN});
}

void inclusion_leak(struct inclusion *in, uint32_t address)
{
	constrain(in, address, (struct constraint){.kind = LEAK});
}

void inclusion_seal(struct inclusion *in, uint32_t object)
{
	in->objects[object].sealed = true;
}

void inclusion_call(struct inclusion *in, uint32_t callee, uint32_t call)
{
	constrain(in, callee, (struct constraint){.kind = CALL, .other = call});
}

/* ---------------------------------------------------------------- cells ----------------------- */

static uint32_t cell_of(struct inclusion *in, uint32_t object, uint32_t member)
{
	const uint32_t *known = pairs_get(&in->cells_of, object, member + 1);
	if (!known && in->objects[object].ncells >= MOST_CELLS) {
		member = MEMBER_ANY;
		known = pairs_get(&in->cells_of, object, member + 1);
	}
	if (known)
		return *known;
	in->objects[object].ncells++;
	pairs_add(&in->cells_of, object, member + 1, (uint32_t)in->ncells);
	if (in->ncells == in->cells_cap)
		in->cells = pass_grow(in->cells, &in->cells_cap, sizeof *in->cells);
	in->cells[in->ncells] = (struct cell){.member = member, .next = in->objects[object].cells};
	in->objects[object].cells = (uint32_t)++in->ncells;
	return (uint32_t)in->ncells - 1;
}

uint32_t inclusion_cell(struct inclusion *in, uint32_t object, uint32_t member)
{
	uint32_t cell = cell_of(in, object, member);
	if (in->cells[cell].stored)
		return in->cells[cell].stored;
	uint32_t node = inclusion_node(in);
	in->cells[cell].stored = node;
	for (uint32_t c = in->objects[object].cells; c; c = in->cells[c - 1].next, in->steps++)
		for (int k = 0; k < 2; k++)
			if (in->cells[c - 1].loaded[k] && members_alias(in->members, member, in->cells[c - 1].member))
				inclusion_copy(in, node, in->cells[c - 1].loaded[k]);
	if (in->objects[object].flags)
		inclusion_copy(in, node, in->world);
	for (size_t i = 0; i < in->objects[object].heirs.n; i++)
		inclusion_copy(in, node, inclusion_cell(in, in->objects[object].heirs.at[i], member));
	return node;
}

static uint32_t loaded_from(struct inclusion *in, uint32_t object, uint32_t member, bool is_pointer)
{
	uint32_t cell = cell_of(in, object, member);
	if (in->cells[cell].loaded[is_pointer])
		return in->cells[cell].loaded[is_pointer];
	uint32_t node = inclusion_node(in);
	in->cells[cell].loaded[is_pointer] = node;
	in->nodes[node].no_world = !is_pointer;
	for (uint32_t c = in->objects[object].cells; c; c = in->cells[c - 1].next)
		if (in->cells[c - 1].stored && members_alias(in->members, member, in->cells[c - 1].member))
			inclusion_copy(in, in->cells[c - 1].stored, node);
	if (in->objects[object].flags & ~LEAKS)
		inclusion_add(in, node, OBJECT_WORLD);
	return node;
}

void inclusion_inherit(struct inclusion *in, uint32_t object, uint32_t other)
{
	if (object == other)
		return;
	for (size_t i = 0; i < in->objects[object].heirs.n; i++)
		if (in->objects[object].heirs.at[i] == other)
			return;
	push(&in->objects[object].heirs, other);
	for (uint32_t c = in->objects[object].cells; c; c = in->cells[c - 1].next)
		if (in->cells[c - 1].stored)
			inclusion_copy(in, in->cells[c - 1].stored, inclusion_cell(in, other, in->cells[c - 1].member));
}

/* What is in it is known outside, and what is outside may be in it. */
static void open_object(struct inclusion *in, uint32_t object, unsigned flag)
{
	unsigned had = in->objects[object].flags;
	in->objects[object].flags |= flag;
	if (had & ~LEAKS)
		return;
	for (uint32_t c = in->objects[object].cells; c; c = in->cells[c - 1].next) {
		if (in->cells[c - 1].stored)
			inclusion_copy(in, in->cells[c - 1].stored, in->world);
		for (int k = 0; k < 2; k++)
			if (in->cells[c - 1].loaded[k])
				inclusion_add(in, in->cells[c - 1].loaded[k], OBJECT_WORLD);
	}
	/* Who copies it gets that, too. */
	inclusion_add(in, inclusion_cell(in, object, MEMBER_ANY), OBJECT_WORLD);
}

/* The same, one way. */
static void leak(struct inclusion *in, uint32_t object)
{
	if (in->objects[object].flags)
		return;
	in->objects[object].flags |= LEAKS;
	for (uint32_t c = in->objects[object].cells; c; c = in->cells[c - 1].next)
		if (in->cells[c - 1].stored)
			inclusion_copy(in, in->cells[c - 1].stored, in->world);
}

/* ---------------------------------------------------------------- constraints ----------------- */

static void apply_to_world(struct inclusion *in, const struct constraint *c)
{
	switch (c->kind) {
	case LOAD:
		inclusion_add(in, c->other, OBJECT_WORLD);
		break;
	case STORE:
		inclusion_copy(in, c->other, in->world);
		break;
	case MOVE_FROM:
		inclusion_add(in, inclusion_cell(in, c->other, MEMBER_ANY), OBJECT_WORLD);
		break;
	case MOVE_TO:
		leak(in, c->other);
		break;
	case CALL:
		in->calls.called(in->calls.data, c->other, OBJECT_WORLD);
		break;
	default:
		break;
	}
}

static void apply(struct inclusion *in, struct constraint c, uint32_t object)
{
	in->steps += 4;
	if (in->objects[object].sealed && (c.kind == STORE || c.kind == MOVE_TO))
		return;
	/* All that is in what is known outside is known outside: no need to tell it from the world. */
	bool is_outside = in->objects[object].flags & OBJECT_OUTSIDE && c.kind <= MOVE_TO;
	if (object == OBJECT_WORLD || is_outside) {
		apply_to_world(in, &c);
		return;
	}
	switch (c.kind) {
	case LOAD:
	case LOAD_NUMBER:
		inclusion_copy(in, loaded_from(in, object, c.member, c.kind == LOAD), c.other);
		break;
	case STORE:
		inclusion_copy(in, c.other, inclusion_cell(in, object, c.member));
		break;
	case MOVE_FROM:
		inclusion_inherit(in, object, c.other);
		break;
	case MOVE_TO:
		inclusion_inherit(in, c.other, object);
		break;
	case CALL:
		in->calls.called(in->calls.data, c.other, object);
		break;
	case OPEN:
	case LEAK: /* what reads a function calls it */
		in->calls.outside(in->calls.data, object);
		if (c.kind == OPEN)
			open_object(in, object, OBJECT_OPEN);
		else
			leak(in, object);
		break;
	case ESCAPE:
		if (in->objects[object].flags & OBJECT_OUTSIDE)
			break;
		open_object(in, object, OBJECT_OUTSIDE);
		in->calls.outside(in->calls.data, object);
		break;
	}
}

static void apply_constraints(struct inclusion *in, uint32_t node)
{
	struct bits news = {0};
	bits_minus(&in->nodes[node].set, &in->nodes[node].seen, &news);
	if (news.n) {
		bits_assign(&in->nodes[node].seen, &in->nodes[node].set);
		for (uint32_t c = in->nodes[node].constraints; c; c = in->constraints[c - 1].next)
			for (uint32_t i = 0; bits_next(&news, &i) && in->steps <= in->most; i++)
				apply(in, in->constraints[c - 1], i);
	}
	bits_free(&news);
}

/* ---------------------------------------------------------------- waves ----------------------- */

/* Tarjan's algorithm without recursion. order: nodes, those that edges lead to first. */
struct tarjan {
	struct inclusion *in;
	uint32_t *index, *low; /* by node; 0: not visited */
	bool *on_stack;
	struct list stack, order;
	struct frame {
		uint32_t node;
		size_t edge;
	} *frames;
	size_t nframes, frames_cap;
	uint32_t next;
};

/* b becomes a. */
static void collapse(struct inclusion *in, uint32_t a, uint32_t b)
{
	struct node *x = &in->nodes[a], *y = &in->nodes[b];
	y->parent = a;
	bits_unite(&x->set, &y->set);
	/* Given and seen is what both had. */
	bits_free(&x->passed);
	bits_free(&x->seen);
	look_again(in, a);
	for (size_t i = 0; i < y->to.n; i++) {
		uint32_t to = find(in, y->to.at[i]);
		if (to != a && edge_add(in, a, to))
			push(&x->to, to);
	}
	if (y->constraints) {
		uint32_t last = y->constraints;
		while (in->constraints[last - 1].next)
			last = in->constraints[last - 1].next;
		in->constraints[last - 1].next = x->constraints;
		x->constraints = y->constraints;
	}
	x->no_world &= y->no_world;
	bits_free(&y->set);
	bits_free(&y->passed);
	bits_free(&y->seen);
	free(y->to.at);
	y->to = (struct list){0};
}

static void enter(struct tarjan *t, uint32_t n)
{
	t->index[n] = t->low[n] = ++t->next;
	t->on_stack[n] = true;
	push(&t->stack, n);
	if (t->nframes == t->frames_cap)
		t->frames = pass_grow(t->frames, &t->frames_cap, sizeof *t->frames);
	t->frames[t->nframes++] = (struct frame){n, 0};
}

static void leave(struct tarjan *t, uint32_t n)
{
	if (t->low[n] == t->index[n]) {
		uint32_t m;
		do {
			m = t->stack.at[--t->stack.n];
			t->on_stack[m] = false;
			if (m != n)
				collapse(t->in, n, m);
		} while (m != n);
		push(&t->order, n);
	}
	t->nframes--;
	if (t->nframes) {
		uint32_t above = t->frames[t->nframes - 1].node;
		if (t->low[n] < t->low[above])
			t->low[above] = t->low[n];
	}
}

static void visit(struct tarjan *t, uint32_t root)
{
	enter(t, root);
	while (t->nframes) {
		struct frame *f = &t->frames[t->nframes - 1];
		struct node *n = &t->in->nodes[f->node];
		if (f->edge == n->to.n) {
			leave(t, f->node);
			continue;
		}
		uint32_t to = find(t->in, n->to.at[f->edge++]);
		if (!t->index[to])
			enter(t, to);
		else if (t->on_stack[to] && t->index[to] < t->low[f->node])
			t->low[f->node] = t->index[to];
	}
}

static struct list collapse_cycles(struct inclusion *in)
{
	struct tarjan t = {
		.in = in,
		.index = pass_alloc(in->nnodes, sizeof *t.index),
		.low = pass_alloc(in->nnodes, sizeof *t.low),
		.on_stack = pass_alloc(in->nnodes, sizeof *t.on_stack),
	};
	for (uint32_t n = 1; n < in->nnodes; n++)
		if (in->nodes[n].parent == n && !t.index[n])
			visit(&t, n);
	free(t.index);
	free(t.low);
	free(t.on_stack);
	free(t.stack.at);
	free(t.frames);
	return t.order;
}

static void pass_on(struct inclusion *in, uint32_t node)
{
	struct bits news = {0};
	bits_minus(&in->nodes[node].set, &in->nodes[node].passed, &news);
	if (news.n) {
		bits_assign(&in->nodes[node].passed, &in->nodes[node].set);
		for (size_t i = 0; i < in->nodes[node].to.n; i++) {
			uint32_t to = find(in, in->nodes[node].to.at[i]);
			if (to != node)
				give(in, &news, to);
		}
	}
	bits_free(&news);
}

/* All nodes, in the order of the edges: who gives comes before who is given. */
static void wave(struct inclusion *in)
{
	struct list order = collapse_cycles(in);
	in->waiting.n = in->first = 0;
	for (size_t i = order.n; i--;)
		if (in->nodes[order.at[i]].waits) {
			in->nodes[order.at[i]].waits = false;
			pass_on(in, order.at[i]);
		}
	for (size_t i = order.n; i-- && in->steps <= in->most;)
		if (in->nodes[order.at[i]].constraints)
			apply_constraints(in, order.at[i]);
	in->steps += order.n;
	free(order.at);
}

/*
 * Nodes as they come, until that has taken `most` steps. What goes from call to call, or from one element of a list to the next, moves on
 * by one constraint in each wave: in waves alone a program of twice as many functions would take four times as long.
 */
static void follow(struct inclusion *in, uint64_t most)
{
	while (in->first < in->waiting.n && in->steps <= most) {
		uint32_t node = in->waiting.at[in->first++];
		if (!in->nodes[node].waits)
			continue;
		in->nodes[node].waits = false;
		in->steps++;
		pass_on(in, node);
		apply_constraints(in, node);
	}
}

bool inclusion_solve(struct inclusion *in, uint64_t most)
{
	in->most = most;
	do {
		wave(in);
		/* As long as a wave takes, about: cycles that there are by then are worth being collapsed. */
		uint64_t until = in->steps + in->nnodes + in->nedges;
		follow(in, until < most ? until : most);
	} while (in->first < in->waiting.n && in->steps <= most);
	return in->steps <= most;
}

/* ---------------------------------------------------------------- start, end, answers --------- */

struct inclusion *inclusion_new(const struct members *members, const struct inclusion_calls *calls)
{
	struct inclusion *in = pass_alloc(1, sizeof *in);
	in->members = members;
	in->calls = *calls;
	inclusion_node(in);   /* nothing */
	inclusion_object(in); /* OBJECT_WORLD */
	in->world = inclusion_node(in);
	constrain(in, in->world, (struct constraint){.kind = ESCAPE});
	return in;
}

void inclusion_free(struct inclusion *in)
{
	for (size_t i = 0; i < in->nnodes; i++) {
		struct node *n = &in->nodes[i];
		bits_free(&n->set);
		bits_free(&n->passed);
		bits_free(&n->seen);
		free(n->to.at);
	}
	for (size_t i = 0; i < in->nobjects; i++)
		free(in->objects[i].heirs.at);
	free(in->waiting.at);
	free(in->nodes);
	free(in->objects);
	free(in->cells);
	free(in->constraints);
	free(in->edges.keys);
	free(in->cells_of.keys);
	free(in->cells_of.values);
	free(in);
}

const struct bits *inclusion_set(const struct inclusion *in, uint32_t node)
{
	return &in->nodes[find(in, node)].set;
}

unsigned inclusion_flags(const struct inclusion *in, uint32_t object)
{
	return in->objects[object].flags;
}

uint32_t inclusion_objects(const struct inclusion *in)
{
	return (uint32_t)in->nobjects;
}

void inclusion_each_held(const struct inclusion *in, uint32_t object, void (*found)(void *data, uint32_t held), void *data)
{
	for (uint32_t c = in->objects[object].cells; c; c = in->cells[c - 1].next) {
		if (!in->cells[c - 1].stored)
			continue;
		const struct bits *set = inclusion_set(in, in->cells[c - 1].stored);
		for (uint32_t i = 0; bits_next(set, &i); i++)
			found(data, i);
	}
}
