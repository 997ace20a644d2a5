/*
 * What the C library left in the first word of a block that it got back: the number of the block's page, exclusive or the address of another block that it had got back
 * before, or of the 16 bytes in front of that. Which block that was, the log does not say, so free leaves the page number here (RT_FREED_LINK). But a thread
 * that goes on using the block may read a part of the word as a number that decides an address, and then the log has that part: the next run of the executor
 * leaves it, and so does a replay (a line `left`), so that what is computed of it is the same in all three.
 *
 * So it is where the path tells such a number (an anchor, src/instrument/anchors.c).
 *
 * The word may have been added to before it was read (a count, a reference), which is why the difference is what counts: between what was read there and what
 * memory holds here. What comes out has to be made of some block's address, else the number was read at another time.
 */
#include "sym/engine.h"
#include "sym/ties.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = sizeof(uint64_t), MOST_TIMES = 4 };
/* Bits of the word that the lower halves of addresses tell. */
#define TOLD ((1ull << (32 - 12)) - 1)

struct left {
	struct allocation name; /* of the block */
	uint64_t word, mask;
	uint64_t times;         /* a part was learnt again; what comes out differently each time is not known */
};

static struct {
	vec(struct left) all;
	size_t learnt; /* by this run */
} lefts;

static char *state_file(void)
{
	return xasprintf("%s/left", engine.config->state);
}

void left_load(void)
{
	char *data, *path = state_file();
	size_t size;
	if (read_file(path, &data, &size, NULL)) {
		lefts.all.at = (struct left *)data;
		lefts.all.n = lefts.all.cap = size / sizeof *lefts.all.at;
	}
	free(path);
}

size_t left_finish(void)
{
	struct error err;
	char *path = state_file();
	if (lefts.learnt && !write_file(path, lefts.all.at, lefts.all.n * sizeof *lefts.all.at, &err))
		engine_fatal("%s", err.text);
	free(path);
	return lefts.learnt;
}

static struct left *find(struct allocation name)
{
	for (size_t i = 0; i < lefts.all.n; i++)
		if (lefts.all.at[i].name.thread == name.thread && lefts.all.at[i].name.value == name.value)
			return &lefts.all.at[i];
	return NULL;
}

bool left_known(uint64_t start, uint64_t *word)
{
	struct allocation name;
	const struct left *l = lefts.all.n && mirror_name(start, &name) ? find(name) : NULL;
	*word = RT_FREED_LINK(start);
	if (l)
		*word = (*word & ~l->mask) | l->word;
	return l != NULL;
}

/* Can the C library have left that there? */
static bool is_plausible(uint64_t start, uint64_t word, uint64_t mask)
{
	uint32_t recorded;
	if (!block_recorded(start, &recorded))
		return false;
	mask &= TOLD;
	uint64_t other = (word ^ RT_FREED_LINK((uint64_t)recorded)) & mask;
	return !other || blocks_end_in((uint32_t)other, (uint32_t)mask) || blocks_end_in((uint32_t)(other + 16) & (uint32_t)mask, (uint32_t)mask);
}

bool left_may_be(uint64_t start, uint32_t recorded)
{
	return is_plausible(start, recorded, UINT32_MAX);
}

/* The block that has the address, or whose room behind its end does: one that is smaller than what is left in it. */
static bool find_block(uint64_t address, uint64_t *start, bool *freed)
{
	uint64_t size, begin = address & ~(uint64_t)(RT_FREED_SIZE - 1);
	return engine.config->heap_block(address, start, &size, freed) || (engine.config->heap_block(begin, start, &size, freed) && *start == begin);
}

void left_read(uint64_t address, uint64_t recorded, unsigned size)
{
	uint64_t start, in_memory = 0, word;
	struct allocation name;
	bool freed;
	if (!mirror_has(address) || !find_block(address, &start, &freed) || !freed || address - start + size > WORD ||
	    !mirror_name(start, &name))
		return;
	unsigned shift = (unsigned)(address - start) * 8;
	uint64_t bits = UINT64_MAX >> (64 - size * 8), mask = bits << shift;
	memcpy(&in_memory, (const void *)(uintptr_t)address, size);
	left_known(start, &word);
	uint64_t part = ((word >> shift) + recorded - in_memory) & bits;
	if (((recorded ^ in_memory) & bits) == 0 || !is_plausible(start, part << shift, mask))
		return;
	struct left *l = find(name);
	if (!l) {
		l = vec_push(&lefts.all);
		*l = (struct left){ .name = name };
	}
	if (l->mask & mask && l->times++ >= MOST_TIMES)
		return;
	l->word = (l->word & ~mask) | part << shift;
	l->mask |= mask;
	lefts.learnt++;
}

void host_told(struct ithread *t, struct slot given, uint64_t told)
{
	(void)t;
	if (!given.e || given.v == told || ties_on())
		return;
	const struct expr_node *n = expr_node(engine.exprs, given.e);
	while (n->op == EXPR_ZEXT || n->op == EXPR_SEXT)
		n = expr_node(engine.exprs, n->a);
	if (n->op == EXPR_SYM && n->value < engine.symbols.n && n->width % 8 == 0 && engine.symbols.at[n->value].address)
		left_read(engine.symbols.at[n->value].address, told, n->width / 8);
}
