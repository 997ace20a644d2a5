/*
 * Where blocks of memory lay in the recorded run, and where they lie here: allocations, and local variables that threads
 * share. Of a recorded address the log has the low 32 bits.
 *
 * The recorded run reuses memory of the heap, this one never does; both reuse the stack, each in its own way. So one
 * recorded address can stand for several blocks, and a place on the stack here for another one at each moment.
 */
#include "sym/engine.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_SHIFT = 12, PAGES = 1 << (32 - PAGE_SHIFT), BIG = 1 << 20, OLDEST = 1024 };

struct block {
	uint32_t recorded;
	uint64_t own, size;
};
typedef vec(uint32_t) block_list;

static struct {
	vec(struct block) blocks;
	uint32_t *by_start; /* open addressing: block + 1, by both addresses where the block is on the stack, else by its own */
	size_t slots;
	block_list *by_page; /* of the recorded address: blocks in it, the newest last */
	block_list big;      /* blocks of many pages */
	struct stack_page {
		uint64_t page; /* of the own address, 0: free */
		block_list live;
	} *stack; /* open addressing: what lies there now */
	size_t stack_pages, stack_slots;
} known;

/* ---- by own address ---- */

static size_t start_slot(uint64_t own, uint32_t recorded, bool on_stack)
{
	uint64_t key = (own ^ (on_stack ? (uint64_t)recorded << 32 : 0)) * 0x9e3779b97f4a7c15ull;
	size_t i = (size_t)(key >> 24) & (known.slots - 1);
	for (; known.by_start[i]; i = (i + 1) & (known.slots - 1)) {
		const struct block *b = &known.blocks.at[known.by_start[i] - 1];
		if (b->own == own && (!on_stack || b->recorded == recorded))
			break;
	}
	return i;
}

static bool is_on_stack(uint64_t own)
{
	uint64_t start, size;
	bool freed;
	return !engine.config->heap_block(own, &start, &size, &freed);
}

static void make_slots(void)
{
	if (2 * (known.blocks.n + 1) <= known.slots)
		return;
	known.slots = known.slots ? 2 * known.slots : 1024;
	free(known.by_start);
	known.by_start = xcalloc(known.slots, sizeof *known.by_start);
	for (size_t i = 0; i < known.blocks.n; i++) {
		const struct block *b = &known.blocks.at[i];
		known.by_start[start_slot(b->own, b->recorded, is_on_stack(b->own))] = (uint32_t)i + 1;
	}
}

/* ---- by recorded address ---- */

static void add_to_page(block_list *page, uint32_t block)
{
	if (page->n == OLDEST)
		memmove(page->at, page->at + 1, --page->n * sizeof *page->at);
	*vec_push(page) = block;
}

static void add_by_recorded(uint32_t number)
{
	if (!known.by_page)
		known.by_page = xcalloc(PAGES, sizeof *known.by_page);
	const struct block *b = &known.blocks.at[number];
	if (b->size > BIG) {
		add_to_page(&known.big, number);
		return;
	}
	uint64_t last = ((uint64_t)b->recorded + (b->size ? b->size - 1 : 0)) >> PAGE_SHIFT;
	for (uint64_t page = b->recorded >> PAGE_SHIFT; page <= last; page++)
		add_to_page(&known.by_page[page % PAGES], number);
}

static bool is_among(const uint64_t *own, size_t n, uint64_t what)
{
	while (n--)
		if (own[n] == what)
			return true;
	return false;
}

/* Own addresses that the list's blocks give, the newest first. */
static size_t from_list(const block_list *list, uint32_t recorded, uint64_t *own, size_t n, size_t most)
{
	for (size_t i = list->n; i-- && n < most;) {
		const struct block *b = &known.blocks.at[list->at[i]];
		uint32_t offset = recorded - b->recorded;
		if ((offset < b->size || (!b->size && !offset)) && !is_among(own, n, b->own + offset))
			own[n++] = b->own + offset;
	}
	return n;
}

size_t blocks_at(uint32_t recorded, uint64_t *own, size_t most)
{
	if (!known.by_page)
		return 0;
	size_t n = from_list(&known.by_page[recorded >> PAGE_SHIFT], recorded, own, 0, most);
	return from_list(&known.big, recorded, own, n, most);
}

/* The block with these addresses, made if there is none. */
static uint32_t block_number(uint32_t recorded, uint64_t own, uint64_t size, bool on_stack)
{
	make_slots();
	uint32_t *slot = &known.by_start[start_slot(own, recorded, on_stack)];
	if (*slot && known.blocks.at[*slot - 1].size >= size)
		return *slot - 1;
	*vec_push(&known.blocks) = (struct block){ recorded, own, size };
	*slot = (uint32_t)known.blocks.n;
	add_by_recorded(*slot - 1);
	return *slot - 1;
}

void block_on_heap(uint32_t recorded, uint64_t own, uint64_t size)
{
	block_number(recorded, own, size, false);
}

/* ---- the stack here ---- */

static struct stack_page *stack_page(uint64_t page)
{
	size_t i = (size_t)(page * 0x9e3779b97f4a7c15ull >> 32) & (known.stack_slots - 1);
	while (known.stack[i].page && known.stack[i].page != page)
		i = (i + 1) & (known.stack_slots - 1);
	return &known.stack[i];
}

static struct stack_page *stack_page_make(uint64_t page)
{
	if (2 * (known.stack_pages + 1) > known.stack_slots) {
		struct stack_page *old = known.stack;
		size_t n = known.stack_slots;
		known.stack_slots = n ? 2 * n : 256;
		known.stack = xcalloc(known.stack_slots, sizeof *known.stack);
		for (size_t i = 0; i < n; i++)
			if (old[i].page)
				*stack_page(old[i].page) = old[i];
		free(old);
	}
	struct stack_page *p = stack_page(page);
	known.stack_pages += !p->page;
	p->page = page;
	return p;
}

/* What lay there before is gone. */
static void set_live(block_list *live, uint32_t number)
{
	const struct block *b = &known.blocks.at[number];
	size_t kept = 0;
	for (size_t i = 0; i < live->n; i++) {
		const struct block *other = &known.blocks.at[live->at[i]];
		if (other->own + other->size <= b->own || b->own + b->size <= other->own)
			live->at[kept++] = live->at[i];
	}
	live->n = kept;
	*vec_push(live) = number;
}

void block_on_stack(uint32_t recorded, uint64_t own, uint64_t size)
{
	uint32_t number = block_number(recorded, own, size, true);
	for (uint64_t page = own >> PAGE_SHIFT; page <= (own + size - 1) >> PAGE_SHIFT; page++)
		set_live(&stack_page_make(page)->live, number);
}

bool block_recorded(uint64_t own, uint32_t *recorded)
{
	uint64_t start, size;
	bool freed;
	if (!known.slots)
		return false;
	if (engine.config->heap_block(own, &start, &size, &freed)) {
		uint32_t block = known.by_start[start_slot(start, 0, false)];
		*recorded = block ? known.blocks.at[block - 1].recorded + (uint32_t)(own - start) : 0;
		return block;
	}
	const struct stack_page *p = known.stack_slots ? stack_page(own >> PAGE_SHIFT) : NULL;
	for (size_t i = 0; p && i < p->live.n; i++) {
		const struct block *b = &known.blocks.at[p->live.at[i]];
		*recorded = b->recorded + (uint32_t)(own - b->own);
		if (own - b->own < b->size)
			return true;
	}
	return false;
}
