/*
 * Blocks of memory whose place somebody else decides, so that memory is reused as it was in the recorded run: in infer mode
 * the engine (src/sym/mirror.c), in a replay the schedule. A block that lay at an address there lies at RT_MIRROR
 * plus the lower half of that address here. What is known of a block is kept beside it, not in front of it: what is in front
 * of it belongs to others.
 *
 * In a replay the first words are left as the C library leaves them, more or less: a block that is given back has a link
 * and mostly a mark in them, and loses the mark when it is given out again. The smallest of its blocks has room for both.
 */
#include "replay/twin.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPAN (1ull << 32)
enum { UNIT = 16 };
#define MOST_BLOCKS (1ull << 27)
#define FEWER_BLOCKS (1ull << 22) /* where address space is limited */
#define STEP (1ull << 20) /* it is opened so much at a time, as the heap is (heap.c) */

uint64_t placed_mark = RT_FREED_MARK;

enum { KEEPERS = 4 };
struct placed {
	uint64_t start, size;
	uint64_t left; /* in the first word, when it was given back */
	uint32_t owner; /* the thread that allocated memory there first: its arena's */
	uint32_t others; /* given out before at the same start, and not given back: a block that was freed twice */
	bool freed;
	bool over; /* a thread that kept it is over */
	uint32_t keepers[KEEPERS]; /* threads for which the C library keeps it since they gave it back; 0: none */
};

static struct placed *blocks; /* [0] unused */
static uint32_t nblocks, most_blocks;
static uint32_t *by_unit; /* the newest block there, or 0 */
static bool ready;
static __thread uint64_t leaves; /* the schedule's word for the next block that is given back; 0: none */
static bool opened[2 * SPAN / STEP];
static atomic_flag busy = ATOMIC_FLAG_INIT;

bool placed_is(const void *p)
{
	return (uint64_t)(uintptr_t)p - RT_MIRROR < SPAN;
}

/* A little more than the 4 GiB, for a block that begins near their end. */
static bool make_ready(void)
{
	if (ready)
		return true;
	/* Not the function of that name, which counts as the program's. */
	if (syscall(SYS_mmap, RT_MIRROR, 2 * SPAN, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != (long)RT_MIRROR)
		return false;
	by_unit = twin_pages(2 * SPAN / UNIT * sizeof *by_unit);
	most_blocks = twin_address_space() == RLIM_INFINITY ? MOST_BLOCKS : FEWER_BLOCKS;
	blocks = twin_pages(most_blocks * sizeof *blocks);
	return ready = by_unit && blocks;
}

/* With room for the words that the allocator leaves. */
static bool open_block(uint64_t recorded, uint64_t size)
{
	uint64_t last = (recorded + size + RT_FREED_SIZE) / STEP;
	for (uint64_t i = recorded / STEP; i <= last && i < sizeof opened; i++) {
		if (!opened[i] && !twin_open_pages((void *)(uintptr_t)(RT_MIRROR + i * STEP), STEP))
			return false;
		opened[i] = true;
	}
	return true;
}

static struct placed *block_at(uint64_t address)
{
	uint32_t i = ready ? by_unit[(address - RT_MIRROR) / UNIT] : 0;
	return i && address - blocks[i].start <= blocks[i].size ? &blocks[i] : NULL;
}

static void lock(void)
{
	while (atomic_flag_test_and_set(&busy))
		__builtin_ia32_pause();
}

static void unlock(void)
{
	atomic_flag_clear(&busy);
}

uint32_t placed_own_number(void)
{
	static _Atomic uint32_t threads;
	static __thread uint32_t number;
	if (!number)
		number = ++threads;
	return number;
}

/* The entry in which one number, or none, stands; NULL: there is none. */
static uint32_t *keeper(struct placed *b, uint32_t number)
{
	for (unsigned i = 0; i < KEEPERS; i++)
		if (b->keepers[i] == number)
			return &b->keepers[i];
	return NULL;
}

/* Another thread may keep a block that is given out: it was freed twice. */
static void still_kept(struct placed *b, const struct placed *before)
{
	memcpy(b->keepers, before->keepers, sizeof b->keepers);
	uint32_t *own = keeper(b, placed_own_number());
	if (own)
		*own = 0;
}

void *placed_take(uint32_t recorded, size_t size)
{
	void *p = NULL;
	if (size > SPAN)
		return NULL;
	lock();
	if (make_ready() && nblocks + 1 < most_blocks && open_block(recorded, size)) {
		uint64_t start = RT_MIRROR + recorded;
		const struct placed *before = block_at(start);
		bool same = before && before->start == start, again = same && before->freed;
		uint32_t others = same && !before->freed ? before->others + 1 : 0;
		blocks[++nblocks] = (struct placed){ .start = start, .size = size, .owner = same ? before->owner : placed_own_number(), .others = others };
		if (same)
			still_kept(&blocks[nblocks], before);
		for (uint64_t at = 0; at < size || !at; at += UNIT)
			by_unit[(recorded + at) / UNIT] = nblocks;
		p = (void *)(uintptr_t)start;
		if (again && twin_mode != TWIN_INFER && size <= RT_FREED_MOST)
			((uint64_t *)p)[1] = 0;
	}
	unlock();
	return p;
}

bool placed_block(uint64_t address, uint64_t *start, uint64_t *size, bool *freed)
{
	const struct placed *b = placed_is((void *)(uintptr_t)address) ? block_at(address) : NULL;
	if (!b || address - b->start >= b->size)
		return false;
	*start = b->start;
	*size = b->size;
	*freed = b->freed;
	return true;
}

uint64_t placed_size(const void *p)
{
	const struct placed *b = block_at((uint64_t)(uintptr_t)p);
	return b ? b->start + b->size - (uint64_t)(uintptr_t)p : 0;
}

uint32_t placed_owner(const void *p)
{
	const struct placed *b = block_at((uint64_t)(uintptr_t)p);
	return b ? b->owner : 0;
}

_Noreturn static void double_free(bool marked)
{
	const char *text = marked ? "free(): double free detected in tcache 2\n" : "double free or corruption (fasttop)\n";
	syscall(SYS_write, 2, text, strlen(text));
	abort();
}

void placed_leave(uint64_t word)
{
	leaves = word;
}

/* What the C library leaves in a block that it gets back. */
static void leave_words(struct placed *b, bool marked)
{
	uint64_t *words = (uint64_t *)(uintptr_t)b->start;
	words[0] = b->left = leaves ? leaves : RT_FREED_LINK(b->start);
	leaves = 0;
	if (marked)
		words[1] = placed_mark;
}

/*
 * Does the C library notice by its mark that the block is given back again? It looks among what it keeps for the thread: small blocks that another
 * one gave back are then kept for both.
 */
static bool is_noticed(struct placed *b)
{
	bool marked = ((const uint64_t *)(uintptr_t)b->start)[1] == placed_mark;
	return b->freed && marked && (b->size > RT_FREED_MOST || keeper(b, placed_own_number()));
}

void placed_free(void *p, bool marked, bool again)
{
	lock();
	struct placed *b = block_at((uint64_t)(uintptr_t)p);
	bool writes = b && twin_mode != TWIN_INFER && b->start == (uint64_t)(uintptr_t)p;
	bool noticed = writes && is_noticed(b), was_freed = b && b->freed;
	if (b && b->others)
		b->others--;
	else if (b)
		b->freed = true;
	uint32_t *free_entry = b && marked && !keeper(b, placed_own_number()) ? keeper(b, 0) : NULL;
	if (free_entry)
		*free_entry = placed_own_number();
	if (writes && !noticed)
		leave_words(b, marked);
	unlock();
	if (noticed || (was_freed && again && twin_mode != TWIN_INFER))
		double_free(noticed);
}

/* Was what the C library left in a block that it got back overwritten? It goes by that when it gives the block out again, or back for good. */
static bool is_overwritten(const struct placed *b)
{
	const uint64_t *words = (const uint64_t *)(uintptr_t)b->start;
	return b->size <= RT_FREED_MOST && words[0] != b->left;
}

bool placed_overwritten(void)
{
	bool any = false;
	lock();
	for (uint32_t i = 1; ready && i <= nblocks && !any; i++)
		any = blocks[i].freed && block_at(blocks[i].start) == &blocks[i] && is_overwritten(&blocks[i]);
	unlock();
	return any;
}

static bool is_kept_by_another(const struct placed *b)
{
	for (unsigned i = 0; i < KEEPERS; i++)
		if (b->keepers[i] && b->keepers[i] != placed_own_number())
			return true;
	return false;
}

/* The threads that gave it back, too, end before the one that fails. */
static void await_over(const struct placed *b)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	for (unsigned i = 0; i < 1000 && !b->over && is_kept_by_another(b); i++) {
		unlock();
		syscall(SYS_nanosleep, &moment, NULL);
		lock();
	}
}

void placed_over(int fails)
{
	bool twice = false, overwritten = false;
	if (!ready)
		return;
	lock();
	for (uint32_t i = 1; i <= nblocks; i++) {
		struct placed *b = &blocks[i];
		uint32_t *own = b->freed ? keeper(b, placed_own_number()) : NULL;
		if (!own || block_at(b->start) != b)
			continue;
		if (fails)
			await_over(b);
		twice |= b->over;
		overwritten |= is_overwritten(b);
		b->over = true;
		*own = 0;
	}
	unlock();
	if (twice && fails)
		double_free(false);
	if (overwritten && fails)
		disorder_ends(fails);
}
