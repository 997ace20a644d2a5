/*
 * What is written before or behind a block destroys what the C library keeps there, which it notices later, in some other call, or not at all: that depends on
 * where blocks lie, and they lie elsewhere in a replay. So where the schedule has the failure in such a call (a line `disorder`), the twin knows
 * all blocks and looks there itself: before each block is the size of its chunk, which stays as it was, and behind it that of the next
 * chunk, which may become another one, but must be one. Where one of them is not, the run ends as it was recorded to.
 */
#include "replay/twin.h"

#include <stdatomic.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FLAGS = 7, IN_USE = 1, MAPPED = 2, UNIT = 16, MOST_BLOCKS = 1 << 24 };
#define LARGEST_CHUNK (1ull << 36)
#define GONE ((void *)1)

struct kept {
	void *block;   /* NULL: none, GONE: none any more */
	uint64_t head; /* of its chunk */
};

static struct kept *blocks; /* open addressing */
static uint32_t nblocks;
static bool was_found; /* beside a block that was given back since */
static atomic_flag busy = ATOMIC_FLAG_INIT;
static __thread int expected; /* the signal by which the run ends in the call at hand; 0: it does not */

void disorder_watch(void)
{
	if (!blocks)
		blocks = twin_pages((uint64_t)MOST_BLOCKS * sizeof *blocks);
}

void disorder_expect(int signal)
{
	expected = signal;
}

static uint64_t head_of(const void *block)
{
	uint64_t head;
	memcpy(&head, (const char *)block - sizeof head, sizeof head);
	return head;
}

static struct kept *find(const void *block, bool is_new)
{
	uint64_t i = ((uint64_t)(uintptr_t)block / UNIT * 0x9e3779b97f4a7c15ull >> 20) % MOST_BLOCKS;
	while (blocks[i].block && blocks[i].block != block && !(is_new && blocks[i].block == GONE))
		i = (i + 1) % MOST_BLOCKS;
	return &blocks[i];
}

static void lock(void)
{
	while (atomic_flag_test_and_set(&busy))
		__builtin_ia32_pause();
}

void disorder_allocated(void *block)
{
	if (!blocks || !block || nblocks > MOST_BLOCKS / 2 || (head_of(block) & MAPPED))
		return;
	lock();
	struct kept *k = find(block, true);
	nblocks += !k->block;
	*k = (struct kept){ block, head_of(block) };
	atomic_flag_clear(&busy);
}

static bool is_chunk(uint64_t head)
{
	uint64_t size = head & ~(uint64_t)FLAGS;
	return size && size % UNIT == 0 && size < LARGEST_CHUNK;
}

static bool is_in_order(const struct kept *k)
{
	uint64_t size = k->head & ~(uint64_t)FLAGS;
	return (head_of(k->block) | IN_USE) == (k->head | IN_USE) && is_chunk(head_of((const char *)k->block + size));
}

void disorder_freed(void *block)
{
	if (!blocks || !block)
		return;
	lock();
	struct kept *k = find(block, false);
	was_found |= k->block && !is_in_order(k);
	if (k->block)
		k->block = GONE;
	atomic_flag_clear(&busy);
}

static bool find_disorder(void)
{
	bool found = was_found || placed_overwritten();
	lock();
	for (uint32_t i = 0; i < MOST_BLOCKS && !found; i++)
		found = blocks[i].block && blocks[i].block != GONE && !is_in_order(&blocks[i]);
	atomic_flag_clear(&busy);
	return found;
}

void disorder_ends(int signal)
{
	static const char text[] = "what the C library keeps beside its blocks, or in free ones, was overwritten\n";
	syscall(SYS_write, 2, text, sizeof text - 1);
	if (signal != SIGABRT)
		*(volatile char *)(1ull << 62) = 0;
	abort();
}

void disorder_look(void)
{
	int signal = expected;
	expected = 0;
	if (signal && blocks && find_disorder())
		disorder_ends(signal);
}
