#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/self.h"

#include "rt/clock.h"
#include "rt/log.h"
#include "rt/peers.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where threads that nobody has set up append until their first word is full; what is in it means
 * nothing. */
static uint64_t nowhere = RT_PATH_EMPTY;

/* How often the time is noted: each so many words, or entries about locks; the more, the faster they come. */
enum { STAMP_LEAST = 16, STAMP_MOST = 1024, LOCK_STAMP_LEAST = 1, LOCK_STAMP_MOST = 16 };

/* Rare parts of what is done for each word save all registers, so that the rest, which calls nothing else, saves few. */
#define RT_KEEPS __attribute__((noinline, cold, preserve_most))

/* What word followed last time (trace.h); used once the thread's first word is complete. */
static __thread uint64_t foretold[RT_PATH_TABLE] __attribute__((tls_model("initial-exec")));

__thread struct rt_self rt_self;
__thread uint64_t *__rethread_path = &nowhere;

/* ------------------------------------------------------------------ paths ------------------- */

/* Each chunk is four times the one before it, so that short threads stay small and long ones seldom
 * ask. */
static uint32_t chunk_size(unsigned i)
{
	return RT_PAGE << 2 * i;
}

static void path_to_scratch(struct rt_self *self)
{
	self->scratch = RT_PATH_EMPTY;
	self->path_end = NULL;
	__rethread_path = &self->scratch;
}

static void path_to_chunk(struct rt_self *self, struct rt_chunk *chunk)
{
	uint64_t *words = (uint64_t *)(chunk + 1);

	words[0] = RT_PATH_EMPTY;
	self->path_end = (uint64_t *)((char *)chunk + chunk->size);
	__rethread_path = words;
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

	return p->chunk[i] = rt_log_reserve(&part, 1, NULL);
}


struct rt_chunk *rt_self_chunk(struct rt_self *self, uint32_t stream, struct rt_pieces *p)
{
	struct rt_chunk *chunk = p->chunk[RT_CHUNK_SIZES - 1];
	bool was_logging = self->logging;

	/* A handler that came in the middle would append to what is neither the old chunk nor the new one. */
	self->logging = true;
	if (!chunk)
		chunk = make_chunk(self, stream, p);
	else if (!rt_log_turn(chunk))
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
	/* The first one shares a mapping with the thread record. */
	for (unsigned i = 1; i < RT_CHUNK_SIZES; i++)
		if (p->chunk[i])
			rt_log_unmap(p->chunk[i], chunk_size(i));
}

static __attribute__((noinline, cold)) bool time_refill(struct rt_self *self)
{
	struct rt_chunk *chunk = rt_log.time ? rt_self_chunk(self, RT_STREAM_TIME, &self->time_pieces) : NULL;

	if (!chunk)
		return false;
	self->time = (struct rt_time *)(chunk + 1);
	self->time_end = (struct rt_time *)((char *)chunk + chunk->size);
	return true;
}

/* Stamps that lie closer together than their margin say no more than fewer would. */
static uint32_t next_interval(uint32_t n, uint32_t least, uint32_t most, uint64_t elapsed)
{
	if (elapsed < rt_log.margin / 2)
		return n < most ? n * 2 : n;
	return elapsed > rt_log.margin && n > least ? n / 2 : n;
}

static RT_KEEPS void stamp(struct rt_self *self)
{
	uint64_t now;

	self->stamp_at = self->words + self->stamp_interval;
	if (rt_unlikely(self->time == self->time_end) && !time_refill(self))
		return;
	now = rt_clock();
	self->time->time = now;
	__atomic_store_n(&self->time->words, self->words, __ATOMIC_RELEASE);
	self->time++;
	self->stamp_interval = next_interval(self->stamp_interval, STAMP_LEAST, STAMP_MOST, now - self->stamped);
	self->stamp_at = self->words + self->stamp_interval;
	self->stamped = now;
}

static RT_KEEPS void path_refill(struct rt_self *self)
{
	struct rt_chunk *chunk = rt_self_chunk(self, RT_STREAM_PATH, &self->path_pieces);

	if (chunk)
		path_to_chunk(self, chunk);
	else
		path_to_scratch(self);
}

/* The word that is complete stays in the log. */
static inline void keep_word(struct rt_self *self, uint64_t *at)
{
	self->run = NULL;
	if (rt_unlikely(at + 1 == self->path_end)) {
		path_refill(self);
	} else {
		at[1] = RT_PATH_EMPTY;
		__rethread_path = at + 1;
	}
}

/* It becomes the first of a run: an odd number, so the next slot is left out. */
static inline void begin_run(struct rt_self *self, uint64_t *at)
{
	at[2] = RT_PATH_EMPTY;
	__atomic_store_n(at, RT_PATH_RUN + 1, __ATOMIC_RELEASE);
	__rethread_path = at + 2;
	self->run = at;
}

/*
 * It is one more of the run, and the other slot the word under construction. In this order there is no instant at
 * which the log has the word twice or not at all.
 */
static inline void go_on_run(struct rt_self *self, uint64_t *at)
{
	uint64_t *run = self->run, *other = at == run + 1 ? run + 2 : run + 1;

	*other = RT_PATH_EMPTY;
	__atomic_store_n(run, *run + 1, __ATOMIC_RELEASE);
	if (other < at)
		*at = 0;
	__rethread_path = other;
}

/* It is a handler's word that goes nowhere, or the thread has no log. */
static RT_KEEPS void forget_word(struct rt_self *self)
{
	if (self->handlers) {
		self->handler_keeps = false;
		*__rethread_path = RT_PATH_EMPTY;
	} else {
		path_to_scratch(self);
	}
}

/* The word may be foretold. A call of an ordinary function would make all registers be saved. */
static inline __attribute__((always_inline)) void guess_word(struct rt_self *self, uint64_t *at, uint64_t word)
{
	uint64_t *guess = &foretold[rt_path_place(self->context)];

	self->context = rt_path_context(self->context, word);
	if (*guess != word) {
		*guess = word;
		self->stage.row = 0;
		keep_word(self, at);
		return;
	}
	/* A short run would take more room than its words. */
	if (++self->stage.row < RT_PATH_RUN_AFTER) {
		keep_word(self, at);
		return;
	}
	self->stage.gained++;
	if (self->path_end - at < 3)
		keep_word(self, at);
	else if (self->run)
		go_on_run(self, at);
	else
		begin_run(self, at);
}

static RT_KEEPS void next_stage(struct rt_self *self)
{
	self->stage = rt_path_stage_next(self->stage);
}

static inline __attribute__((always_inline)) void complete_word(struct rt_self *self)
{
	uint64_t *at = __rethread_path;

	if (rt_unlikely(self->handlers || !self->path_end)) {
		forget_word(self);
		return;
	}
	self->words++;
	if (self->stage.resting)
		keep_word(self, at);
	else
		guess_word(self, at, *at);
	if (rt_unlikely(!--self->stage.left))
		next_stage(self);
	if (rt_unlikely(self->words >= self->stamp_at))
		stamp(self);
}

static RT_KEEPS void run_handlers(const struct rt_self *self)
{
	if (self->active && !self->handlers)
		rt_caught_run(RT_SIGNAL_PATH);
}

void __rethread_path_room(void)
{
	complete_word(&rt_self);
}

void __rethread_path_full(void)
{
	complete_word(&rt_self);
	if (rt_unlikely(rt_caught_waiting))
		run_handlers(&rt_self);
}

/* ------------------------------------------------------------------ synchronization --------- */

static void sync_to_chunk(struct rt_self *self, struct rt_chunk *chunk)
{
	self->sync = (uint8_t *)(chunk + 1);
	self->sync_end = (uint8_t *)chunk + chunk->size;
	memset(&self->sync_state, 0, sizeof self->sync_state);
}

/* When a lock was got: reading the clock takes as long as the rest of what is done then, while others may wait for the lock. */
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
		next_interval(self->sync_interval, LOCK_STAMP_LEAST, LOCK_STAMP_MOST, now - self->sync_stamped);
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

static inline void add_entry(struct rt_self *self, uint32_t object, uint64_t order, uint32_t result, bool lock)
{
	if (!self->sync || self->logging) {
		rt_log_drop();
		return;
	}
	self->logging = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	write_entry(self, object, order, result, lock ? lock_time(self) : rt_log.time ? rt_clock() : 0);
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
	add_entry(self, object, order, result, false);
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

/* ------------------------------------------------------------------ inputs ------------------ */

enum { INPUT_SIZES = 5 }; /* up to 1 MiB, and longer for a single record */

static size_t input_left(const struct rt_self *self)
{
	return self->input ? (size_t)((char *)self->input + self->input->size - self->input_at) : 0;
}

/* A chunk with room for a record of that size; what is left of the one before is filled up. */
static __attribute__((noinline, cold)) void *input_refill(struct rt_self *self, size_t size)
{
	unsigned i = self->input_seq < INPUT_SIZES ? (unsigned)self->input_seq : INPUT_SIZES - 1;
	size_t least = (sizeof(struct rt_chunk) + size + RT_PAGE - 1) & ~(size_t)(RT_PAGE - 1);
	struct rt_chunk part = {
		.size = least > chunk_size(i) ? (uint32_t)least : chunk_size(i),
		.thread = self->number,
		.stream = RT_STREAM_INPUT,
		.seq = self->input_seq,
	};
	struct rt_chunk *chunk = least > UINT32_MAX ? NULL : rt_log_reserve(&part, 1, NULL);

	if (!chunk)
		return NULL;
	if (input_left(self))
		__atomic_store_n(&((struct rt_input *)self->input_at)->size,
				 (uint32_t)input_left(self), __ATOMIC_RELEASE);
	if (self->input)
		rt_log_unmap(self->input, self->input->size);
	self->input = chunk;
	self->input_at = (char *)(chunk + 1);
	self->input_seq++;
	return self->input_at;
}

void *rt_self_input_room(struct rt_self *self, size_t size)
{
	if (self->thread == &self->spare)
		return NULL;
	return rt_likely(size <= input_left(self)) ? self->input_at : input_refill(self, size);
}

void rt_self_input_done(struct rt_self *self, uint32_t size)
{
	struct rt_input *record = (struct rt_input *)self->input_at;

	__atomic_store_n(&record->size, size, __ATOMIC_RELEASE);
	self->input_at += size;
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
 * Thread record, path, synchronization: as many as the scheme has, on one page, which is what most of a thread's
 * set-up costs.
 */
enum { THREAD_SIZE = 192, FIRST_PATH = 2304, FIRST_SYNC = RT_PAGE - THREAD_SIZE - FIRST_PATH };
_Static_assert(THREAD_SIZE >= sizeof(struct rt_chunk) + sizeof(struct rt_thread) && FIRST_SYNC % 64 == 0, "chunks of 64");

struct rt_thread *rt_self_prepare(uint32_t number, uint32_t parent, uint32_t child)
{
	struct rt_chunk parts[] = {
		{.size = THREAD_SIZE, .thread = number, .stream = RT_STREAM_THREAD},
		{.size = FIRST_PATH, .thread = number, .stream = RT_STREAM_PATH},
		{.size = FIRST_SYNC, .thread = number, .stream = RT_STREAM_SYNC},
	};
	unsigned count = rt_log.scheme;
	struct rt_chunk *chunk;
	struct rt_thread *t;

	_Static_assert(RT_SCHEME_BASE == 1 && RT_SCHEME_PATH_SYNC == 3,
		       "schemes add a stream each");
	for (unsigned i = count; i < 3; i++)
		parts[count - 1].size += parts[i].size;
	chunk = rt_log_reserve(parts, count, NULL);
	if (!chunk) {
		rt_log_drop();
		return NULL;
	}
	t = (struct rt_thread *)(chunk + 1);
	t->number = number;
	t->parent = parent;
	t->child = child;
	return t;
}

static void begin_streams(struct rt_self *self, struct rt_thread *t)
{
	struct rt_chunk *chunk = (struct rt_chunk *)t - 1;

	if (rt_log.scheme >= RT_SCHEME_PATH) {
		self->path_pieces.chunk[0] = (struct rt_chunk *)((char *)chunk + THREAD_SIZE);
		path_to_chunk(self, self->path_pieces.chunk[0]);
	}
	if (rt_log.scheme >= RT_SCHEME_PATH_SYNC) {
		self->sync_pieces.chunk[0] = (struct rt_chunk *)((char *)chunk + THREAD_SIZE + FIRST_PATH);
		sync_to_chunk(self, self->sync_pieces.chunk[0]);
	}
}

void rt_self_begin(struct rt_peer *peer)
{
	struct rt_self *self = &rt_self;

	if (self->words)
		memset(foretold, 0, sizeof foretold);
	memset(self, 0, sizeof *self);
	self->peer = peer;
	self->number = peer->number;
	self->thread = peer->thread ? peer->thread : &self->spare;
	peer->tid = (uint32_t)syscall(SYS_gettid);
	path_to_scratch(self);
	self->time_pieces.seq = self->shown_pieces.seq = UINT64_MAX; /* before the first */
	self->stage = rt_path_stage_first();
	rt_values_begin(self);
	self->stamp_at = self->stamp_interval = STAMP_LEAST;
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
	struct rt_thread *mapped = self->thread == &self->spare ? NULL : self->thread;

	if (!self->active)
		return;
	self->active = false;
	__atomic_store_n(&self->peer->over, true, __ATOMIC_RELEASE);
	path_to_scratch(self);
	self->sync = self->sync_end = NULL;
	self->time = self->time_end = NULL;
	unmap_chunks(&self->path_pieces);
	unmap_chunks(&self->sync_pieces);
	unmap_chunks(&self->time_pieces);
	rt_log_unmap(self->time_pieces.chunk[0], chunk_size(0));
	rt_values_end();
	unmap_chunks(&self->value_pieces);
	rt_log_unmap(self->value_pieces.chunk[0], chunk_size(0));
	self->shown = self->shown_end = NULL;
	unmap_chunks(&self->shown_pieces);
	if (self->shown_pieces.chunk[0])
		rt_log_unmap(self->shown_pieces.chunk[0], chunk_size(0));
	if (rt_log.scheme == RT_SCHEME_PATH && self->sync_pieces.chunk[0])
		rt_log_unmap(self->sync_pieces.chunk[0], chunk_size(0));
	if (self->input)
		rt_log_unmap(self->input, self->input->size);
	self->input = NULL;
	self->thread = &self->spare;
	if (mapped)
		rt_log_unmap((struct rt_chunk *)mapped - 1, RT_PAGE);
}
