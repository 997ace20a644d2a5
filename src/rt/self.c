#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/self.h"

#include "rt/clock.h"
#include "rt/log.h"
#include "rt/path.h"
#include "rt/peers.h"
#include "rt/tags.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How often the time of entries about locks is noted: each so many; the more, the faster they come. */
enum { LOCK_STAMP_LEAST = 1, LOCK_STAMP_MOST = 16 };

__thread struct rt_self rt_self;

/* ------------------------------------------------------------------ chunks ------------------ */

/* Each chunk is four times the one before it, so that short threads stay small and long ones seldom
 * ask. */
static uint32_t chunk_size(unsigned i)
{
	return RT_PAGE << 2 * i;
}

static struct rt_chunk *make_chunk(struct rt_self *self, uint32_t stream, struct rt_pieces *p)
{
	unsigned i = (unsigned)(p->seq + 1);
	struct rt_chunk part = {
		.size = chunk_size(i),
		.thread = self->number,
		.stream = stream,
		.seq = i,
		.window = i + 1 == RT_CHUNK_SIZES,
	};

	return p->chunk[i] = i ? rt_log_reserve(&part, 1, NULL) : rt_log_page(&part, 1, &p->first);
}


struct rt_chunk *rt_self_chunk(struct rt_self *self, uint32_t stream, struct rt_pieces *p)
{
	struct rt_chunk *chunk = p->chunk[RT_CHUNK_SIZES - 1];
	bool was_logging = self->logging;

	/* A handler that came in the middle would append to what is neither the old chunk nor the new one. */
	self->logging = true;
	if (!chunk)
		chunk = make_chunk(self, stream, p);
	else if (!rt_log_turn(chunk, chunk->size))
		chunk = NULL;
	if (chunk)
		p->seq++;
	else
		rt_log_drop();
	self->logging = was_logging;
	return chunk;
}

static void unmap_chunks(struct rt_pieces *p)
{
	for (unsigned i = 1; i < RT_CHUNK_SIZES; i++)
		if (p->chunk[i])
			rt_log_unmap(p->chunk[i], chunk_size(i));
	if (p->first)
		rt_log_page_over(p->first);
}

/* ------------------------------------------------------------------ synchronization --------- */

static void sync_to_chunk(struct rt_self *self, struct rt_chunk *chunk)
{
	self->sync = (uint8_t *)(chunk + 1);
	self->sync_end = (uint8_t *)chunk + chunk->size;
	memset(&self->sync_state, 0, sizeof self->sync_state);
}

/*
 * When a step was done whose place in the order is known: reading the clock takes as long as the rest of what is done then, while others may
 * wait for a lock.
 */
static uint64_t lock_time(struct rt_self *self)
{
	uint64_t now;

	if (!rt_log.time)
		return 0;
	if (self->sync_left) {
		self->sync_left--;
		return 0;
	}
	now = rt_clock();
	self->sync_interval =
		rt_stamp_interval(self->sync_interval, LOCK_STAMP_LEAST, LOCK_STAMP_MOST, now - self->sync_stamped);
	self->sync_left = self->sync_interval - 1;
	self->sync_stamped = now;
	return now;
}

static void write_entry(struct rt_self *self, uint32_t object, uint64_t order, uint32_t result, uint64_t time)
{
	struct rt_sync entry = {
		.op = self->thread->sync_done + 1,
		.order = order,
		.object = object,
		.result = result,
		.time = time,
	};
	uint8_t head, *at = self->sync;

	self->sync += rt_sync_pack(&self->sync_state, &entry, rt_log.time, at, &head);
	/* Last: without it the entry is not there yet. */
	__atomic_store_n(at, head, __ATOMIC_RELEASE);
	if (self->sync_end - self->sync >= (ptrdiff_t)RT_SYNC_ROOM)
		return;
	struct rt_chunk *chunk = rt_self_chunk(self, RT_STREAM_SYNC, &self->sync_pieces);
	if (chunk)
		sync_to_chunk(self, chunk);
	else
		self->sync = self->sync_end = NULL;
}

/* Scheme path has no order of synchronization, only what steps returned and when some happened: its stream begins with the first of those. */
static bool has_results(struct rt_self *self)
{
	if (self->sync || self->sync_pieces.chunk[0])
		return true;
	struct rt_chunk *chunk = rt_self_chunk(self, RT_STREAM_SYNC, &self->sync_pieces);
	if (chunk)
		sync_to_chunk(self, chunk);
	return chunk != NULL;
}

static inline void add_entry(struct rt_self *self, uint32_t object, uint64_t order, uint32_t result, bool ordered)
{
	if (!self->sync || self->logging) {
		rt_log_drop();
		return;
	}
	self->logging = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	write_entry(self, object, order, result, ordered ? lock_time(self) : rt_log.time ? rt_clock() : 0);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	self->logging = false;
}

__attribute__((noinline, cold)) void rt_self_sync(struct rt_self *self, uint32_t object,
						  uint64_t order, uint32_t result)
{
	if (rt_log.scheme < RT_SCHEME_PATH_SYNC) {
		if (rt_log.scheme < RT_SCHEME_PATH || !result || self->logging || !has_results(self))
			return;
		object = 0;
		order = 1;
	}
	add_entry(self, object, order, result, rt_log.scheme == RT_SCHEME_PATH_SYNC);
}

__attribute__((noinline)) void rt_self_acquired(struct rt_self *self, uint32_t object, uint64_t order)
{
	if (rt_log.scheme == RT_SCHEME_PATH_SYNC)
		add_entry(self, object, order, 0, true);
}

__attribute__((noinline, cold)) void rt_self_stamp(struct rt_self *self)
{
	self->sync_left = 0;
	if (rt_log.scheme == RT_SCHEME_PATH && rt_log.time && !self->logging && has_results(self))
		add_entry(self, 0, 1, 0, false);
}

/* ------------------------------------------------------------------ outputs ----------------- */

/* Entries do not straddle chunks. A chunk stays mapped: see struct rt_pieces. */
void *rt_self_shown_room(struct rt_self *self, size_t size)
{
	if (rt_unlikely(size > (size_t)(self->shown_end - self->shown))) {
		struct rt_chunk *chunk =
			self->thread == &self->spare ? NULL : rt_self_chunk(self, RT_STREAM_SHOWN, &self->shown_pieces);

		if (!chunk)
			return NULL;
		self->shown = (char *)(chunk + 1);
		self->shown_end = (char *)chunk + chunk->size;
	}
	self->shown += size;
	return self->shown - size;
}

/* ------------------------------------------------------------------ life of a thread -------- */

/*
 * Thread record, path and tray, synchronization: as many as the scheme has, on one page, which is what most of a thread's
 * set-up costs. The tray's bytes begin in the middle of the page (instrument.h).
 */
enum {
	THREAD_SIZE = 192,
	FIRST_PATH = RT_PAGE / 2 - THREAD_SIZE - sizeof(struct rt_chunk),
	TRAY_SIZE = sizeof(struct rt_chunk) + RT_TRAY + RT_TRAY_SPARE,
	FIRST_SYNC = RT_PAGE - THREAD_SIZE - FIRST_PATH - TRAY_SIZE,
};
_Static_assert(THREAD_SIZE >= sizeof(struct rt_chunk) + sizeof(struct rt_thread) && FIRST_SYNC % 64 == 0, "chunks of 64");
_Static_assert(RT_PAGE % (4 * RT_TRAY) == 0, "the middle of a page is a place for a tray");

struct rt_thread *rt_self_prepare(uint32_t number, uint32_t parent, uint32_t child, struct rt_batch **batch)
{
	struct rt_chunk parts[] = {
		{.size = THREAD_SIZE, .thread = number, .stream = RT_STREAM_THREAD},
		{.size = FIRST_PATH, .thread = number, .stream = RT_STREAM_PATH},
		{.size = TRAY_SIZE, .thread = number, .stream = RT_STREAM_TRAY},
		{.size = FIRST_SYNC, .thread = number, .stream = RT_STREAM_SYNC},
	};
	unsigned count = rt_log.scheme >= RT_SCHEME_PATH_SYNC ? 4 : rt_log.scheme >= RT_SCHEME_PATH ? 3 : 1;
	struct rt_chunk *chunk;
	struct rt_thread *t;

	for (unsigned i = count; i < 4; i++)
		parts[count - 1].size += parts[i].size;
	chunk = rt_log_page(parts, count, batch);
	if (!chunk) {
		rt_log_drop();
		return NULL;
	}
	t = (struct rt_thread *)(chunk + 1);
	t->number = number;
	t->parent = parent;
	t->child = child;
	if (rt_log.scheme >= RT_SCHEME_PATH) {
		rt_tray_clear((uint8_t *)chunk + RT_PAGE / 2);
		__atomic_store_n(&t->path_state, RT_PATH_STATE(0ull, 0), __ATOMIC_RELEASE);
	}
	return t;
}

static void begin_streams(struct rt_self *self, struct rt_thread *t)
{
	char *page = (char *)((struct rt_chunk *)t - 1);

	if (rt_log.scheme >= RT_SCHEME_PATH)
		rt_path_begin(self, (struct rt_chunk *)(page + THREAD_SIZE), (uint8_t *)page + RT_PAGE / 2);
	if (rt_log.scheme >= RT_SCHEME_PATH_SYNC) {
		self->sync_pieces.chunk[0] = (struct rt_chunk *)(page + RT_PAGE - FIRST_SYNC);
		sync_to_chunk(self, self->sync_pieces.chunk[0]);
	}
}

void rt_self_begin(struct rt_peer *peer)
{
	struct rt_self *self = &rt_self;

	rt_path_forget(self);
	memset(self, 0, sizeof *self);
	self->peer = peer;
	self->number = peer->number;
	self->holdings = rt_no_holdings;
	self->thread = peer->thread ? peer->thread : &self->spare;
	peer->tid = rt_log.sealed ? 0 : (uint32_t)syscall(SYS_gettid);
	rt_path_end(self);
	self->time_pieces.seq = self->shown_pieces.seq = UINT64_MAX; /* before the first */
	rt_values_begin(self);
	self->sync_interval = LOCK_STAMP_LEAST;
	if (rt_log.scheme == RT_SCHEME_PATH)
		self->sync_pieces.seq = UINT64_MAX;
	self->tid = self->thread->tid = peer->tid;
	self->thread->start_time = rt_clock();
	if (peer->thread)
		begin_streams(self, peer->thread);
	self->active = true;
}

void rt_self_ended(void)
{
	struct rt_self *self = &rt_self;

	if (!self->active || self->thread->ended)
		return;
	if (rt_unlikely(rt_caught_waiting))
		rt_caught_run(RT_SIGNAL_END);
	self->thread->end_time = rt_clock();
	__atomic_store_n(&self->thread->ended, 1, __ATOMIC_RELEASE);
}

void rt_self_leave(void)
{
	struct rt_self *self = &rt_self;
	bool is_mapped = self->thread != &self->spare;

	if (!self->active)
		return;
	self->active = false;
	rt_tags_leave(self);
	__atomic_store_n(&self->peer->over, true, __ATOMIC_RELEASE);
	rt_path_end(self);
	self->sync = self->sync_end = NULL;
	self->time = self->time_end = NULL;
	unmap_chunks(&self->path_pieces);
	unmap_chunks(&self->sync_pieces);
	unmap_chunks(&self->time_pieces);
	rt_values_end(self);
	unmap_chunks(&self->value_pieces);
	self->shown = self->shown_end = NULL;
	unmap_chunks(&self->shown_pieces);
	rt_inputs_leave(self);
	self->thread = &self->spare;
	if (is_mapped)
		rt_log_page_over(self->peer->batch);
}
