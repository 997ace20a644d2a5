/* Sets of objects that grow along inclusions, against a naive fixpoint over the same constraints; and the sets themselves. */
#include "instrument/inclusion.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 24, OBJECTS = 10, CONSTRAINTS = 40, KINDS = 6 };
enum kind { COPY, LOAD, STORE, MOVE, OPEN, ESCAPE };

struct constraint {
	enum kind kind;
	unsigned a, b, member;
	bool pointer;
};

/*
 * The naive one: sets as masks, bit 0 the world. Members are 0 (anything) and two that differ from one another. holds[o][m] is what was
 * stored there. Objects that are known outside (or open) hold something of the world's, and what they hold is known there.
 */
struct naive {
	uint32_t node[NODES];
	uint32_t holds[OBJECTS + 1][3];
	uint32_t outside, open, world;
};

static bool alias(unsigned a, unsigned b)
{
	return !a || !b || a == b;
}

static uint32_t loaded(const struct naive *n, unsigned object, unsigned member, bool pointer)
{
	uint32_t set = 0;
	for (unsigned m = 0; m < 3; m++)
		set |= alias(m, member) ? n->holds[object][m] : 0;
	if ((n->outside | n->open) >> object & 1)
		set |= 1;
	return pointer ? set : set & ~1u;
}

static void apply(struct naive *n, const struct constraint *c)
{
	uint32_t a = n->node[c->a];
	if (c->kind == LOAD && !c->pointer)
		n->node[c->b] |= 1;
	for (unsigned o = 0; o <= OBJECTS; o++) {
		if (!(a >> o & 1))
			continue;
		switch (c->kind) {
		case LOAD:
			n->node[c->b] |= o ? loaded(n, o, c->member, c->pointer) : c->pointer;
			break;
		case STORE:
			if (o)
				n->holds[o][c->member] |= n->node[c->b];
			else
				n->world |= n->node[c->b];
			break;
		case MOVE: /* to a, from b */
			for (unsigned from = 0; from <= OBJECTS; from++) {
				if (!(n->node[c->b] >> from & 1))
					continue;
				for (unsigned m = 0; m < 3; m++) {
					uint32_t what = from ? n->holds[from][m] : m == 0;
					if (o)
						n->holds[o][m] |= what;
					else
						n->world |= what;
				}
			}
			break;
		case OPEN:
			n->open |= o ? 1u << o : 0;
			break;
		default:
			break;
		}
	}
	if (c->kind == COPY)
		n->node[c->b] |= a;
	if (c->kind == ESCAPE)
		n->world |= a;
	n->outside |= n->world & ~1u;
	for (unsigned o = 1; o <= OBJECTS; o++) {
		if (!((n->outside | n->open) >> o & 1))
			continue;
		n->holds[o][0] |= 1;
		for (unsigned m = 0; m < 3; m++)
			n->world |= n->holds[o][m];
	}
}

static void solve_naively(struct naive *n, const struct constraint *c)
{
	struct naive before;
	do {
		before = *n;
		for (unsigned i = 0; i < CONSTRAINTS; i++)
			apply(n, &c[i]);
	} while (memcmp(&before, n, sizeof before));
}

static void called(void *data, uint32_t call, uint32_t object)
{
	(void)data, (void)call, (void)object;
}

static void outside(void *data, uint32_t object)
{
	(void)data, (void)object;
}

/* Two members that strict aliasing tells apart: two types. */
static void two_members(struct members *m, LLVMContextRef context)
{
	m->n = MEMBERS + 2;
	m->at = calloc(m->n, sizeof *m->at);
	for (unsigned i = 0; i < 2; i++) {
		m->at[MEMBERS + i].type = LLVMConstInt(LLVMInt32TypeInContext(context), i, false);
		m->at[MEMBERS + i].root = m->at[MEMBERS].type;
	}
}

/* A number that is used as an address may be one of the world's. */
static void add_load(struct inclusion *in, uint32_t address, uint32_t to, uint32_t member, bool pointer)
{
	uint32_t number = pointer ? to : inclusion_node(in);
	inclusion_load(in, address, number, member, pointer);
	if (pointer)
		return;
	inclusion_copy(in, number, to);
	inclusion_add(in, to, OBJECT_WORLD);
}

static void add(struct inclusion *in, const uint32_t *node, const struct constraint *c)
{
	uint32_t member = c->member ? MEMBERS + c->member - 1 : MEMBER_ANY;
	switch (c->kind) {
	case COPY: inclusion_copy(in, node[c->a], node[c->b]); break;
	case LOAD: add_load(in, node[c->a], node[c->b], member, c->pointer); break;
	case STORE: inclusion_store(in, node[c->a], node[c->b], member); break;
	case MOVE: inclusion_move(in, node[c->a], node[c->b]); break;
	case OPEN: inclusion_open(in, node[c->a]); break;
	case ESCAPE: inclusion_copy(in, node[c->a], inclusion_world(in)); break;
	}
}

/*
 * What is known outside need not be told from the world: it may be missing where the world is there. Else all has to be found, and where
 * no numbers are loaded nothing more.
 */
static void check_node(const struct inclusion *in, const struct bits *found, const uint32_t *object, uint32_t wanted, bool numbers)
{
	for (unsigned o = 0; o <= OBJECTS; o++) {
		bool outside = o && inclusion_flags(in, object[o]) & OBJECT_OUTSIDE;
		bool is_there = bits_has(found, object[o]) || (outside && bits_has(found, OBJECT_WORLD));
		assert_true(is_there || !(wanted >> o & 1));
		assert_true(numbers || !bits_has(found, object[o]) || wanted >> o & 1);
	}
}

/* numbers: loads may be of numbers, which bring nothing of the world's; where that goes in circles more may be found than there is. */
static void one_system(const struct members *members, bool numbers)
{
	struct constraint c[CONSTRAINTS];
	struct naive n = {0};
	struct inclusion *in = inclusion_new(members, &(struct inclusion_calls){called, outside, NULL});
	uint32_t node[NODES], object[OBJECTS + 1] = {OBJECT_WORLD};
	for (unsigned i = 0; i < NODES; i++)
		node[i] = inclusion_node(in);
	for (unsigned i = 1; i <= OBJECTS; i++)
		object[i] = inclusion_object(in);
	for (unsigned i = 0; i < OBJECTS + 2; i++) { /* who knows what at first; now and then the world */
		unsigned at = (unsigned)pick(NODES), o = (unsigned)pick(OBJECTS * 4) % (OBJECTS + 1);
		n.node[at] |= 1u << o;
		inclusion_add(in, node[at], object[o]);
	}
	for (unsigned i = 0; i < CONSTRAINTS; i++) {
		/* Escaping is rare, or all of it would be outside. */
		c[i] = (struct constraint){.kind = pick(30) ? (enum kind)pick(OPEN) : (enum kind)(OPEN + pick(2)), .a = (unsigned)pick(NODES),
					   .b = (unsigned)pick(NODES), .member = (unsigned)pick(3), .pointer = !numbers || pick(4)};
		add(in, node, &c[i]);
	}
	solve_naively(&n, c);
	assert_true(inclusion_solve(in, UINT64_MAX));
	for (unsigned i = 0; i < NODES; i++)
		check_node(in, inclusion_set(in, node[i]), object, n.node[i], numbers);
	for (unsigned o = 1; o <= OBJECTS; o++) {
		bool outside = inclusion_flags(in, object[o]) & OBJECT_OUTSIDE, wanted = n.outside >> o & 1;
		assert_true(outside || !wanted);
		assert_true(numbers || outside == wanted);
	}
	inclusion_free(in);
}

static void solver_agrees_with_fixpoint(void **state)
{
	(void)state;
	LLVMContextRef context = LLVMContextCreate();
	struct members members = {0};
	two_members(&members, context);
	for (int i = 0; i < 5000; i++)
		one_system(&members, i % 2);
	members_free(&members);
	LLVMContextDispose(context);
}

/* Sets against an array of flags. */
static void sets_are_sets(void **state)
{
	(void)state;
	enum { SIZE = 700 };
	for (int i = 0; i < 300; i++) {
		bool has[2][SIZE] = {0};
		struct bits b[2] = {0}, rest = {0};
		for (int k = 0; k < 40; k++) {
			unsigned which = (unsigned)pick(2), at = (unsigned)pick(SIZE);
			assert_int_equal(bits_add(&b[which], at), !has[which][at]);
			has[which][at] = true;
			if (pick(4))
				continue;
			at = (unsigned)pick(SIZE);
			bits_remove(&b[which], at);
			has[which][at] = false;
		}
		bits_minus(&b[0], &b[1], &rest);
		bool common = false, news = false;
		size_t n = 0;
		for (unsigned k = 0; k < SIZE; k++) {
			assert_int_equal(bits_has(&rest, k), has[0][k] && !has[1][k]);
			common |= has[0][k] && has[1][k];
			news |= has[1][k] && !has[0][k];
			n += has[0][k];
		}
		assert_int_equal(bits_intersect(&b[0], &b[1]), common);
		assert_int_equal(bits_count(&b[0]), n);
		assert_int_equal(bits_unite(&b[0], &b[1]), news);
		unsigned last = 0;
		for (uint32_t k = 0; bits_next(&b[0], &k); k++)
			for (assert_true(has[0][k] || has[1][k]); last <= k; last++)
				assert_int_equal(bits_has(&b[0], last), has[0][last] || has[1][last]);
		for (; last < SIZE; last++)
			assert_false(has[0][last] || has[1][last]);
		bits_assign(&rest, &b[0]);
		assert_true(bits_equal(&rest, &b[0]));
		for (unsigned k = 0; k < 2; k++)
			bits_free(&b[k]);
		bits_free(&rest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(solver_agrees_with_fixpoint),
		cmocka_unit_test(sets_are_sets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
