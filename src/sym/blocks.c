/*
 * Where blocks of memory lay in the recorded run, and where they lie here: allocations, mappings, and local variables that
 * threads share. Of a recorded address the log has the low 32 bits.
 *
 * The recorded run reuses memory of the heap, this one never does; both reuse the stack and mappings, each in its own way. So
 * one recorded address can stand for several blocks, and a place outside of the heap here for another one at each moment.
 */
#include "sym/engine.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_SHIFT = 12, PAGES = 1 << (32 - PAGE_SHIFT), LINE_SHIFT = 6, LINES = 1 << (PAGE_SHIFT - LINE_SHIFT) };
enum { SMALL = 512, BIG = 1 << 20, OLDEST = 1024 };

struct block {
	uint32_t recorded;
	uint64_t own, size;
};
typedef vec(uint32_t) block_list;

static struct {
	vec(struct block) blocks;
	uint32_t *by_start; /* open addressing: block + 1, by its own address on the heap, else by both */
	size_t slots;
	struct recorded_page {
		block_list blocks; /* the newest last */
		block_list *lines; /* those of them that are small, by 64 bytes: memory that is reused a lot has very many */
	} *by_page;             /* of the recorded address */
	block_list big;         /* blocks of many pages */
	struct place_page {
		uint64_t page; /* of the own address, 0: free */
		block_list live;
	} *places; /* outside of the heap, open addressing: what lies there now */
	size_t place_pages, place_slots;
	block_list large; /* the same of blocks of many pages */
} known;

/* ---- by own address ---- */

static size_t start_slot(uint64_t own, uint32_t recorded, bool elsewhere)
{
	uint64_t key = (own ^ (elsewhere ? (uint64_t)recorded << 32 : 0)) * 0x9e3779b97f4a7c15ull;
	size_t i = (size_t)(key >> 24) & (known.slots - 1);
	for (; known.by_start[i]; i = (i + 1) & (known.slots - 1)) {
		const struct block *b = &known.blocks.at[known.by_start[i] - 1];
		if (b->own == own && (!elsewhere || b->recorded == recorded))
			break;
	}
	return i;
}

static bool is_elsewhere(uint64_t own)
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
		known.by_start[start_slot(b->own, b->recorded, is_elsewhere(b->own))] = (uint32_t)i + 1;
	}
}

/* ---- by recorded address ---- */

static void add_to_page(block_list *page, uint32_t block)
{
	if (page->n == OLDEST)
		memmove(page->at, page->at + 1, --page->n * sizeof *page->at);
	*vec_push(page) = block;
}

static void add_to_line(uint64_t line, uint32_t block)
{
	struct recorded_page *page = &known.by_page[line / LINES % PAGES];
	if (!page->lines)
		page->lines = xcalloc(LINES, sizeof *page->lines);
	add_to_page(&page->lines[line % LINES], block);
}

static void add_by_recorded(uint32_t number)
{
	if (!known.by_page)
		known.by_page = xcalloc(PAGES, sizeof *known.by_page);
	const struct block *b = &known.blocks.at[number];
	uint64_t first = b->recorded, last = first + b->size; /* the block's end is an address, too */
	if (b->size > BIG)
		add_to_page(&known.big, number);
	else if (b->size > SMALL)
		for (uint64_t page = first >> PAGE_SHIFT; page <= last >> PAGE_SHIFT; page++)
			add_to_page(&known.by_page[page % PAGES].blocks, number);
	else
		for (uint64_t line = first >> LINE_SHIFT; line <= last >> LINE_SHIFT; line++)
			add_to_line(line, number);
}

static bool is_among(const uint64_t *own, size_t n, uint64_t what)
{
	while (n--)
		if (own[n] == what)
			return true;
	return false;
}

/* The own address that the block gives, if the recorded one is inside of it, or is its end. */
static bool gives(const struct block *b, uint32_t recorded, bool ends, uint64_t *own)
{
	uint32_t offset = recorded - b->recorded;
	bool inside = offset < b->size || (!b->size && !offset);
	*own = b->own + offset;
	return ends ? offset && offset == b->size : inside;
}

/* Own addresses that the blocks of both lists give, the newest first. */
static size_t from_lists(const block_list *a, const block_list *b, uint32_t recorded, bool ends, uint64_t *own, size_t n, size_t most)
{
	uint64_t at;
	for (size_t i = a->n, k = b->n; (i || k) && n < most;) {
		bool first = !k || (i && a->at[i - 1] > b->at[k - 1]);
		uint32_t newest = first ? a->at[--i] : b->at[--k];
		if (gives(&known.blocks.at[newest], recorded, ends, &at) && !is_among(own, n, at))
			own[n++] = at;
	}
	return n;
}

size_t blocks_at(uint32_t recorded, uint64_t *own, size_t most)
{
	static const block_list none;
	if (!known.by_page)
		return 0;
	const struct recorded_page *page = &known.by_page[recorded >> PAGE_SHIFT];
	const block_list *line = page->lines ? &page->lines[recorded >> LINE_SHIFT & (LINES - 1)] : &none;
	size_t n = from_lists(line, &page->blocks, recorded, false, own, 0, most);
	n = from_lists(&known.big, &none, recorded, false, own, n, most);
	/* Where one variable ends another one may begin. */
	n = from_lists(line, &page->blocks, recorded, true, own, n, most);
	return from_lists(&known.big, &none, recorded, true, own, n, most);
}

bool blocks_end_in(uint32_t bits, uint32_t mask)
{
	for (size_t i = 0; i < known.blocks.n; i++)
		if ((known.blocks.at[i].recorded & mask) == bits)
			return true;
	return false;
}

/* The block with these addresses, made if there is none. */
static uint32_t block_number(uint32_t recorded, uint64_t own, uint64_t size, bool elsewhere)
{
	make_slots();
	uint32_t *slot = &known.by_start[start_slot(own, recorded, elsewhere)];
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

/* ---- outside of the heap ---- */

static struct place_page *page_of(uint64_t page)
{
	size_t i = (size_t)(page * 0x9e3779b97f4a7c15ull >> 32) & (known.place_slots - 1);
	while (known.places[i].page && known.places[i].page != page)
		i = (i + 1) & (known.place_slots - 1);
	return &known.places[i];
}

static struct place_page *page_make(uint64_t page)
{
	if (2 * (known.place_pages + 1) > known.place_slots) {
		struct place_page *old = known.places;
		size_t n = known.place_slots;
		known.place_slots = n ? 2 * n : 256;
		known.places = xcalloc(known.place_slots, sizeof *known.places);
		for (size_t i = 0; i < n; i++)
			if (old[i].page)
				*page_of(old[i].page) = old[i];
		free(old);
	}
	struct place_page *p = page_of(page);
	known.place_pages += !p->page;
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

void block_at_place(uint32_t recorded, uint64_t own, uint64_t size)
{
	uint32_t number = block_number(recorded, own, size, true);
	if (size > BIG) {
		set_live(&known.large, number);
		return;
	}
	for (uint64_t page = own >> PAGE_SHIFT; page <= (own + size - 1) >> PAGE_SHIFT; page++)
		set_live(&page_make(page)->live, number);
}

static bool is_live_at(const block_list *live, uint64_t own, uint32_t *recorded)
{
	for (size_t i = live->n; i--;) {
		const struct block *b = &known.blocks.at[live->at[i]];
		*recorded = b->recorded + (uint32_t)(own - b->own);
		if (own - b->own < b->size)
			return true;
	}
	return false;
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
	const struct place_page *p = known.place_slots ? page_of(own >> PAGE_SHIFT) : NULL;
	return (p && is_live_at(&p->live, own, recorded)) || is_live_at(&known.large, own, recorded);
}
