/*
 * malloc and its family in the twin. Outside infer mode they are the C library's own. In infer mode memory is
 * handed out upwards from one large reservation and never reused: an address then names one object for the
 * whole run, so two accesses of one address are accesses of one object, and a use after free is seen. In both, blocks
 * for which reuse matters are given a place (placed.c), by the engine or by the schedule.
 *
 * Blocks are aligned to 16 bytes or as asked for, with room around them that is nobody's: what is read or written there, before or behind a block,
 * is no other block's (src/sym/outside.c). So what is known of a block is kept elsewhere, in a list by address, in which
 * a directory entry per KiB says where to begin.
 */
#include "replay/conductor.h"
#include "replay/recorder.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <gnu/libc-version.h>
#include <sys/mman.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

#define MOST_RESERVED (1ull << 40)
#define STEP (1ull << 20) /* it is opened so much at a time: who strays far from all blocks must fail, as elsewhere */
#define DIRECTORY_SHIFT 10
/*
 * The same in every run, clear of what the kernel picks. Above the program and below libraries and stacks, as the C library's heaps are: programs
 * compare addresses, std::string whether a text lies within its own.
 */
#define BASE ((void *)RT_HEAP)

struct block {
	uint64_t start, size; /* from `base` on */
	bool freed;
};

/* Room before a block, and behind the one before it: an element of the larger of the two fits in. Not for ever: memory is limited. */
enum { LEAST_ROOM = 64, MOST_ROOM = 1024, NO_ROOM = 16 };
#define ROOM_UP_TO (1ull << 28)
#define BLOCKS_PER_PIECE (1u << 16)
enum { MOST_PIECES = 1 << 15 };

static char *base;
static uint64_t reserved, used, opened;
static struct block *pieces[MOST_PIECES]; /* of the list of blocks */
static uint64_t nblocks;
static uint32_t *directory; /* per KiB: number of the block that its first byte is in or before, from 1 on */
static atomic_flag busy = ATOMIC_FLAG_INIT;

static __thread int engine_heap; /* engine.h */
static __thread uint64_t next_place; /* in a replay: where the schedule has the next block, plus 1; 0: anywhere */

int *heap_engine(void)
{
	return &engine_heap;
}

static bool serves_program(void)
{
	return base && !engine_heap;
}

/* Where address space is limited (ulimit -v), a quarter of it at most: the engine needs some, and what is shared in placed.c. */
static uint64_t how_much(void)
{
	uint64_t size = MOST_RESERVED;
	while (size > twin_address_space() / 4)
		size /= 2;
	return size;
}

void heap_start(void)
{
	uint64_t size = how_much();
	void *p = mmap(BASE, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	uint32_t *d = twin_pages((size >> DIRECTORY_SHIFT) * sizeof *d);
	if (p == MAP_FAILED || !d)
		return;
	base = p;
	reserved = size;
	directory = d;
}

static bool is_ours(const void *p)
{
	return base && (const char *)p >= base && (const char *)p < base + reserved;
}

/* By number, from 1 on. */
static struct block *block_number(uint64_t n)
{
	return &pieces[(n - 1) / BLOCKS_PER_PIECE][(n - 1) % BLOCKS_PER_PIECE];
}

/* The block that an address is in; NULL: none. */
static struct block *block_with(const void *p)
{
	uint64_t offset = (uint64_t)((const char *)p - base);
	for (uint64_t i = directory[offset >> DIRECTORY_SHIFT]; i && i <= nblocks; i++) {
		struct block *b = block_number(i);
		if (offset < b->start)
			return NULL;
		if (offset < b->start + b->size || offset == b->start)
			return b;
	}
	return NULL;
}

/* The block that begins there; NULL: none. */
static struct block *block_of(const void *p)
{
	struct block *b = block_with(p);
	return b && base + b->start == (const char *)p ? b : NULL;
}

void heap_place_next(uint64_t recorded)
{
	next_place = recorded + 1;
}

void heap_place_none(void)
{
	next_place = 0;
}

/* The size of the chunk that a block of that size is in. */
static size_t chunk_of(size_t size)
{
	return size < 24 ? 32 : (size + 8 + 15) & ~(size_t)15;
}

/*
 * What a program hears from malloc_usable_size comes from the log, and it may use all of that: blocks are as large as the C library's can have
 * been, which adds up to a chunk's rest and end, or to a page where it maps them. Not where nobody asks, since then what is
 * written behind a block must do the harm that it did.
 */
static size_t with_room(size_t size)
{
	enum { REST = 48, MAPPED = 64 << 10, PAGE = 4096 };
	if (!__rethread_twin_module.measures || size > SIZE_MAX / 2)
		return size;
	return size + REST + (size >= MAPPED ? PAGE : 0);
}

/* Where a block has the place that it had in the recorded run, others lie behind it: it has what the C library's have, to the chunk's end. */
static size_t with_rest(size_t size)
{
	return __rethread_twin_module.measures && size <= SIZE_MAX / 2 ? chunk_of(size) - sizeof(size_t) : size;
}

/* The place that the schedule has for the block; NULL: none. */
static void *scheduled(size_t size)
{
	uint64_t place = next_place;
	next_place = 0;
	return place ? placed_take((uint32_t)(place - 1), with_rest(size)) : NULL;
}

/* Up to there, and a little further: copies are made in words. */
static bool open_to(uint64_t end)
{
	uint64_t to = (end + STEP / 2 + STEP - 1) & ~(STEP - 1);
	if (to <= opened)
		return true;
	if (to > reserved || !twin_open_pages(base + opened, to - opened))
		return false;
	opened = to;
	return true;
}

/* An entry at the end of the list; NULL: there is no memory for it. */
static struct block *add_block(void)
{
	struct block **piece = &pieces[nblocks / BLOCKS_PER_PIECE];
	if (nblocks / BLOCKS_PER_PIECE >= MOST_PIECES)
		return NULL;
	if (!*piece)
		*piece = twin_pages(BLOCKS_PER_PIECE * sizeof **piece);
	return *piece ? block_number(++nblocks) : NULL;
}

static uint64_t room_before(uint64_t size)
{
	uint64_t last = nblocks ? block_number(nblocks)->size : 0, room = size > last ? size : last;
	if (used > ROOM_UP_TO)
		return NO_ROOM;
	return room < LEAST_ROOM ? LEAST_ROOM : room > MOST_ROOM ? MOST_ROOM : room;
}

static void *take_fresh(size_t size, size_t align)
{
	if (align < 16)
		align = 16;
	while (atomic_flag_test_and_set(&busy))
		__builtin_ia32_pause();
	uint64_t at = (used + room_before(size) + align - 1) & ~(uint64_t)(align - 1);
	uint64_t end = at + ((size + 15) & ~(uint64_t)15);
	void *p = NULL;
	struct block *b = end < reserved && end >= at && open_to(end) ? add_block() : NULL;
	if (b) {
		p = base + at;
		*b = (struct block){ .start = at, .size = size };
		for (uint64_t k = (used + (1 << DIRECTORY_SHIFT) - 1) >> DIRECTORY_SHIFT; k << DIRECTORY_SHIFT < end; k++)
			directory[k] = (uint32_t)nblocks;
		used = end;
	}
	atomic_flag_clear(&busy);
	if (!p)
		errno = ENOMEM;
	return p;
}

/* In infer mode. A fresh block is taken in any case, so that others do not lie elsewhere once this one has a place. */
static void *take(size_t size, size_t align)
{
	void *p = take_fresh(with_room(size), align);
	uint64_t place = p && twin_engine ? twin_engine->place(with_rest(size), align) : 0;
	void *placed = place ? placed_take((uint32_t)(place - RT_MIRROR), with_rest(size)) : NULL;
	if (!placed)
		return p;
	block_of(p)->freed = true;
	return placed;
}

bool heap_block(uint64_t address, uint64_t *start, uint64_t *size, bool *freed)
{
	if (placed_block(address, start, size, freed))
		return true;
	if (!is_ours((void *)address))
		return false;
	const struct block *b = block_with((void *)address);
	if (!b || !b->size)
		return false;
	*start = (uint64_t)base + b->start;
	*size = b->size;
	*freed = b->freed;
	return true;
}

static size_t usable_size(void *p)
{
	if (!p)
		return 0;
	if (is_ours(p)) {
		const struct block *b = block_of(p);
		return b ? b->size : 0;
	}
	if (placed_is(p))
		return placed_size(p);
	return (((size_t *)p)[-1] & ~(size_t)7) - sizeof(size_t); /* the C library's chunk header */
}

/* A block of the C library's. */
static void *theirs(void *p, size_t size, const void *caller)
{
	disorder_allocated(p);
	if (p && twin_mode == TWIN_RECORD) {
		recorder_allocated(p);
		conductor_allocated(p, size, caller);
	}
	return p;
}

/*
 * How many blocks of each size the C library keeps for the thread, as if it had all of them: it marks what it gets back while there is room
 * for it (placed.c).
 */
enum { LARGEST_KEPT = 1040, MOST_KEPT = 7 };
static __thread uint8_t kept[LARGEST_KEPT / 16 + 1];

/* NULL: none are kept. */
static uint8_t *kept_of(size_t size)
{
	size_t chunk = chunk_of(size);
	return size < LARGEST_KEPT && chunk <= LARGEST_KEPT ? &kept[chunk / 16] : NULL;
}

/*
 * Small blocks that it does not keep for a thread have no mark; of these it notices only that the last one of its size is given back
 * again. By the size of the chunk, and for the thread that allocated the block, since threads have arenas of their own; of a block that
 * has no place this is taken to be the one that gives it back.
 */
enum { LARGEST_FAST = 128, ARENAS = 64 };
static _Atomic(void *) last_fast[ARENAS][LARGEST_FAST / 16 + 1];

static _Atomic(void *) *last_fast_of(uint32_t thread, size_t size)
{
	size_t chunk = chunk_of(size);
	return chunk <= LARGEST_FAST ? &last_fast[thread % ARENAS][chunk / 16] : NULL;
}

/* A block is allocated, which the C library may have kept for the thread. */
static void take_kept(size_t size, bool may_be_kept)
{
	if (engine_heap) /* the engine's own, which the recorded run did not have */
		return;
	uint8_t *n = may_be_kept ? kept_of(size) : NULL;
	if (n && *n) {
		--*n;
		return;
	}
	_Atomic(void *) *last = last_fast_of(placed_own_number(), size);
	if (last)
		*last = NULL;
}

/* Before version 2.41, calloc leaves alone what is kept for threads: once their lists are full, nothing that they give back is marked. */
static bool calloc_takes_kept(void)
{
	return strverscmp(gnu_get_libc_version(), "2.41") >= 0;
}

/* An unmarked block is given back: is it the one that was given back last? */
static bool is_fast_again(void *p, size_t size)
{
	_Atomic(void *) *last = last_fast_of(placed_is(p) ? placed_owner(p) : placed_own_number(), size);
	return last && atomic_exchange(last, p) == p;
}

/* Something is written there in large ones, too. */
bool heap_marks(uint64_t size)
{
	const uint8_t *n = kept_of(size);
	return !n || *n < MOST_KEPT;
}

/* Is the block marked? */
static bool keep(size_t size)
{
	uint8_t *n = kept_of(size);
	if (!heap_marks(size))
		return false;
	if (n && !engine_heap) /* as in take_kept: also what the dynamic linker gives back as the engine is loaded */
		++*n;
	return true;
}

void *malloc(size_t size)
{
	disorder_look();
	take_kept(size, true);
	void *p = next_place ? scheduled(size) : NULL;
	if (p)
		return p;
	return serves_program() ? take(size, 16) : theirs(__libc_malloc(with_room(size)), size + !size, __builtin_return_address(0));
}

void free(void *p)
{
	disorder_look();
	if (!p)
		return;
	uint64_t size = usable_size(p);
	if (is_ours(p)) {
		struct block *b = block_of(p);
		if (b && !b->freed)
			keep(size);
		if (b)
			b->freed = true;
		return;
	}
	if (base && !placed_is(p)) { /* infer mode: not the program's */
		__libc_free(p);
		return;
	}
	bool marked = keep(size), again = !marked && is_fast_again(p, size);
	if (placed_is(p)) {
		placed_free(p, marked, again);
		return;
	}
	bool recorded = twin_mode == TWIN_RECORD && recorder_frees(p, size);
	if (twin_mode == TWIN_RECORD)
		conductor_allocated(p, 0, __builtin_return_address(0));
	disorder_freed(p);
	__libc_free(p);
	if (recorded)
		recorder_freed();
}

void *calloc(size_t count, size_t size)
{
	size_t total;
	disorder_look();
	if (__builtin_mul_overflow(count, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	take_kept(total, calloc_takes_kept());
	if (!serves_program() && !next_place)
		return theirs(__libc_calloc(1, with_room(total)), total + !total, __builtin_return_address(0));
	void *p = next_place ? scheduled(total) : take(total, 16);
	/* Fresh pages are zero. */
	return p && placed_is(p) ? memset(p, 0, with_rest(total)) : p;
}

static void *move_placed(void *p, size_t size)
{
	uint64_t old = usable_size(p);
	void *q = malloc(size);
	if (!q)
		return NULL;
	if (q != p) {
		memmove(q, p, old < size ? old : size);
		free(p);
	}
	return q;
}

void *realloc(void *p, size_t size)
{
	disorder_look();
	if (p && (next_place || placed_is(p)))
		return move_placed(p, size);
	if (!p && next_place)
		return malloc(size);
	if (p ? !is_ours(p) : !serves_program()) {
		bool recorded = p && twin_mode == TWIN_RECORD && recorder_frees(p, size);
		disorder_freed(p);
		void *moved = __libc_realloc(p, size ? with_room(size) : 0);
		disorder_allocated(moved);
		if (recorded)
			recorder_freed();
		if (moved && twin_mode == TWIN_RECORD)
			conductor_allocated(moved, size + !size, __builtin_return_address(0));
		return moved;
	}
	void *q = take(size, 16);
	struct block *b = p && q ? block_of(p) : NULL;
	if (b) {
		memcpy(q, p, b->size < size ? b->size : size);
		b->freed = true;
	}
	return q;
}

void *memalign(size_t align, size_t size)
{
	disorder_look();
	void *p = next_place ? scheduled(size) : NULL;
	if (p)
		return p;
	if (serves_program())
		return take(size, align);
	p = __libc_memalign(align, with_room(size));
	disorder_allocated(p);
	if (twin_mode == TWIN_RECORD)
		conductor_allocated(p, size + !size, __builtin_return_address(0));
	return p;
}

void *aligned_alloc(size_t align, size_t size)
{
	return memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size)
{
	if (align < sizeof(void *) || (align & (align - 1)))
		return EINVAL;
	int saved = errno;
	void *p = memalign(align, size);
	errno = saved;
	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}
