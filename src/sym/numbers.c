/*
 * Numbers that are made of addresses. An address is another one in each run, so what a program computes from its bits is, too,
 * and that nothing explains the log is then no proof. Code that was translated for it (translate_numbers.c) tells of each
 * such use; a read that races may have found an address although the guess at hand is none.
 */
#include "sym/engine.h"

#include "sym/code.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SMALL = 1 << 16, NEAR = 1 << 20, PLACE = 200 };

static struct {
	vec(struct use {
		expr e;
		struct position at;
	}) uses;               /* of what is not known, as numbers */
	uint8_t *is_used;      /* by expression */
	size_t nis_used;
	char made[PLACE];      /* where the first use was of what is an address */
	char possible[PLACE];  /* ... of what was guessed */
} numbers;

static bool is_mapped(uint64_t v)
{
	static uint64_t last; /* a page that is, + 1 */
	unsigned char there;
	uint64_t start, size;
	bool freed;
	if (v >= RT_HEAP && v < RT_MIRROR) /* hashes look like what is only reserved */
		return engine.config->heap_block(v, &start, &size, &freed) || engine.config->heap_block(v - 1, &start, &size, &freed);
	uint64_t page = v & ~(uint64_t)(RT_PAGE - 1);
	if (v < SMALL || v >= 1ull << 47)
		return false;
	if (page + 1 != last && mincore((void *)(uintptr_t)page, 1, &there))
		return false;
	last = page + 1;
	return true;
}

/* The end of an object is one of its addresses. */
static bool is_one_object(uint64_t a, uint64_t b)
{
	uint64_t low = a < b ? a : b, high = a < b ? b : a, start, size;
	bool freed;
	if (engine.config->heap_block(low, &start, &size, &freed))
		return high - start <= size;
	return !engine.config->heap_block(high - 1, &start, &size, &freed) && high - low < NEAR;
}

/* Of two, which are compared or whose distance is taken: what comes out is the same in each run. */
static bool is_harmless(uint64_t a, uint64_t b)
{
	if (is_mapped(a) && is_mapped(b))
		return is_one_object(a, b);
	return a < SMALL || b < SMALL || -a < SMALL || -b < SMALL;
}

static void note_first(char place[PLACE], const struct position *p)
{
	if (!place[0])
		snprintf(place, PLACE, "%s:%u (%s)", p->file, p->line, p->function);
}

static void note_use(expr e, const struct position *at)
{
	if (!e)
		return;
	if (e >= numbers.nis_used) {
		size_t n = 2 * (size_t)e + 1024;
		numbers.is_used = xrealloc(numbers.is_used, n);
		memset(numbers.is_used + numbers.nis_used, 0, n - numbers.nis_used);
		numbers.nis_used = n;
	}
	if (!numbers.is_used[e])
		*vec_push(&numbers.uses) = (struct use){ e, *at };
	numbers.is_used[e] = true;
}

/* Is one of the words there an address? */
static bool has_address(uint64_t from, uint64_t size)
{
	uint64_t word;
	for (uint64_t at = from & ~(uint64_t)7; at < from + size && is_mapped(at); at += 8) {
		memcpy(&word, (const void *)(uintptr_t)at, sizeof word);
		if (is_mapped(word))
			return true;
	}
	return false;
}

/* Of a block that was given back, or that realloc may have moved: whether another one lies there is the allocator's affair. */
static bool is_stale(uint64_t address)
{
	uint64_t start, size;
	bool freed;
	return engine.config->heap_block(address, &start, &size, &freed) && freed;
}

static bool is_made_of_address(unsigned use, uint64_t a, uint64_t b)
{
	switch (use) {
	case NUMBER_BYTES:
		return has_address(a, b);
	case NUMBER_SAME:
		return is_stale(a) || is_stale(b);
	case NUMBER_PAIR:
		return (is_mapped(a) || is_mapped(b)) && !is_harmless(a, b);
	default:
		return is_mapped(a) || is_mapped(b);
	}
}

void host_number(struct ithread *t, unsigned use, struct slot a, struct slot b)
{
	struct position at;
	ithread_position(t, &at);
	a.e = counting_clean(ithread_data(t), a.e);
	b.e = counting_clean(ithread_data(t), b.e);
	if (is_made_of_address(use, a.v, b.v))
		note_first(a.e || b.e ? numbers.possible : numbers.made, &at);
	if (use == NUMBER_BYTES || use == NUMBER_SAME)
		return;
	note_use(a.e, &at);
	note_use(b.e, &at);
}

/* ---- at the end ---- */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

typedef vec(uint64_t) places;

static bool is_among(const places *holders, uint64_t object)
{
	return holders->n && bsearch(&object, holders->at, holders->n, sizeof *holders->at, by_value);
}

/* By symbol: the racy word that it was read from; 0: none of eight bytes. */
static uint64_t *objects_read(void)
{
	uint64_t *objects = xcalloc(engine.symbols.n + 1, sizeof *objects);
	for (size_t i = 0; i < engine.threads.n; i++)
		for (size_t k = 0; k < engine.threads.at[i]->events.n; k++) {
			const struct event *e = &engine.threads.at[i]->events.at[k];
			if ((e->kind != EVENT_READ && e->kind != EVENT_UPDATE) || !e->read || e->size != 8)
				continue;
			const struct expr_node *n = expr_node(engine.exprs, e->read);
			if (n->op == EXPR_SYM)
				objects[n->value] = e->object;
		}
	return objects;
}

/* By expression: may an address be in it, if the holders hold one? Operands have smaller numbers. */
static void mark_addresses(bool *may, const uint64_t *objects, const places *holders)
{
	for (expr e = 1; e <= expr_count(engine.exprs); e++) {
		const struct expr_node *n = expr_node(engine.exprs, e);
		if (n->op == EXPR_CONST)
			may[e] = n->width == 64 && is_mapped(n->value);
		else if (n->op == EXPR_SYM)
			may[e] = objects[n->value] && is_among(holders, objects[n->value]);
		else
			may[e] = may[n->a] || may[n->b] || may[n->c]; /* [0] is false */
	}
}

/* Adds the words to which something is written that may be an address; says whether there are more now. */
static bool add_holders(const bool *may, places *holders)
{
	size_t before = holders->n;
	places sorted = *holders;
	for (size_t i = 0; i < engine.threads.n; i++)
		for (size_t k = 0; k < engine.threads.at[i]->events.n; k++) {
			const struct event *e = &engine.threads.at[i]->events.at[k];
			if ((e->kind == EVENT_WRITE || e->kind == EVENT_UPDATE) && may[e->written] &&
			    !(before && bsearch(&e->object, sorted.at, before, sizeof *sorted.at, by_value))) {
				*vec_push(holders) = e->object;
				sorted.at = holders->at;
			}
		}
	qsort(holders->at, holders->n, sizeof *holders->at, by_value);
	return holders->n != before;
}

const char *numbers_made(void)
{
	return numbers.made;
}

const char *numbers_possible(void)
{
	if (numbers.possible[0] || !numbers.uses.n)
		return numbers.possible;
	uint64_t *objects = objects_read();
	bool *may = xcalloc(expr_count(engine.exprs) + 1, sizeof *may);
	places holders = { 0 };
	for (size_t i = 0; i < engine.initials.n; i++)
		if (engine.initials.at[i].size == 8 && is_mapped(engine.initials.at[i].value))
			*vec_push(&holders) = engine.initials.at[i].address;
	qsort(holders.at, holders.n, sizeof *holders.at, by_value);
	do
		mark_addresses(may, objects, &holders);
	while (add_holders(may, &holders));
	for (size_t i = 0; i < numbers.uses.n; i++)
		if (may[numbers.uses.at[i].e])
			note_first(numbers.possible, &numbers.uses.at[i].at);
	vec_free(&holders);
	free(may);
	free(objects);
	return numbers.possible;
}
