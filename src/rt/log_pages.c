/*
 * Pages of the log for threads and their streams to begin with, several at a time where there are many threads: growing the file, mapping it, and above
 * all unmapping, for which all processors that run the program have to be interrupted, took longer than creating a thread.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/clock.h"
#include "rt/log.h"

#include <string.h>

/* A quarter as many as there are threads, up to so many: a short log stays short. */
enum { MOST = 32, SHARE = 4 };

/* Pages that were mapped together, and are unmapped when all of them were given out and given back. */
struct rt_batch {
	char *at;
	uint32_t pages, given, over;
	struct rt_batch *next; /* of those that are not in use */
};

static struct {
	struct rt_batch *current; /* has pages to give, or NULL */
	struct rt_batch *unused;
} batches;

void rt_log_forget_pages(void)
{
	rt_log.lock = 0;
	batches.current = NULL;
}

static struct rt_batch *new_batch(void)
{
	struct rt_batch *b = batches.unused;

	if (!b) {
		b = rt_pages(RT_PAGE);
		for (size_t i = 0; b && i + 1 < RT_PAGE / sizeof *b; i++)
			b[i].next = &b[i + 1];
	}
	if (b)
		batches.unused = b->next;
	return b;
}

static void free_batch(struct rt_batch *b)
{
	if (b == batches.current)
		batches.current = NULL;
	b->next = batches.unused;
	batches.unused = b;
}

/* Until they are given to a thread, pages are chunks that say nothing. */
static char *map_pages(uint32_t pages)
{
	struct rt_chunk parts[MOST];

	for (uint32_t i = 0; i < pages; i++)
		parts[i] = (struct rt_chunk){.size = RT_PAGE, .stream = RT_STREAM_SPARE};
	return rt_log_extend(parts, pages, NULL);
}

static uint32_t least(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

static struct rt_batch *make_batch(void)
{
	const struct rt_log_header *h = rt_log.header;
	uint64_t left = h->size < rt_log.max ? (rt_log.max - h->size) / RT_PAGE : 0;
	uint32_t pages = least(least(h->nthreads / SHARE, left), MOST);
	struct rt_batch *b = new_batch();

	if (!b)
		return NULL;
	*b = (struct rt_batch){.pages = pages ? pages : 1};
	b->at = map_pages(b->pages);
	if (b->at)
		return b;
	free_batch(b);
	return NULL;
}

/*
 * The page, which is one chunk that says nothing, becomes several. A process that dies meanwhile leaves that chunk, or a first one that is as
 * long as all of them, or all of them.
 */
static void divide(char *page, struct rt_chunk *parts, unsigned count)
{
	struct rt_chunk *first = (struct rt_chunk *)page;
	char *at = page + parts[0].size;

	for (unsigned i = 0; i < count; i++) {
		parts[i].magic = RT_CHUNK_MAGIC;
		parts[i].time = rt_log.time ? rt_clock() : 0;
	}
	for (unsigned i = 1; i < count; at += parts[i++].size)
		memcpy(at, &parts[i], sizeof parts[i]);
	first->time = parts[0].time;
	first->thread = parts[0].thread;
	__atomic_store_n(&first->stream, parts[0].stream, __ATOMIC_RELEASE);
	__atomic_store_n(&first->size, parts[0].size, __ATOMIC_RELEASE);
	if (parts[0].thread >= rt_log.header->nthreads)
		rt_log.header->nthreads = parts[0].thread + 1;
}

void *rt_log_page(struct rt_chunk *parts, unsigned count, struct rt_batch **batch)
{
	struct rt_guard saved;
	struct rt_batch *b;
	char *page = NULL;

	*batch = NULL;
	if (rt_log.sealed)
		return NULL;
	rt_guard_lock(&rt_log.lock, &saved);
	b = batches.current ? batches.current : make_batch();
	if (b) {
		page = b->at + b->given++ * (size_t)RT_PAGE;
		batches.current = b->given < b->pages ? b : NULL;
		divide(page, parts, count);
	}
	rt_guard_unlock(&rt_log.lock, &saved);
	*batch = b;
	return page;
}

void rt_log_page_over(struct rt_batch *b)
{
	struct rt_guard saved;
	char *at = NULL;
	size_t size = 0;

	if (rt_log.sealed)
		return;
	rt_guard_lock(&rt_log.lock, &saved);
	if (++b->over == b->pages) {
		at = b->at;
		size = b->pages * (size_t)RT_PAGE;
		free_batch(b);
	}
	rt_guard_unlock(&rt_log.lock, &saved);
	rt_log_unmap(at, size); /* others need not wait for that */
}
