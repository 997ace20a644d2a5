#include "rt/input_stream.h"

#include "rt/log.h"
#include "rt/self.h"

/* A thread's chunks, of which the last is the window: room for a read of 64 KiB, and small enough for a processor's cache. */
static const uint32_t sizes[] = {RT_PAGE, 4 * RT_PAGE, 32 * RT_PAGE};
enum { SIZES = sizeof sizes / sizeof *sizes };

static size_t left(const struct rt_input_stream *s)
{
	return s->chunk ? (size_t)((char *)s->chunk + s->chunk->size - s->next) : 0;
}

static void no_record_at(const struct rt_input_stream *s)
{
	if (left(s))
		*(uint64_t *)(void *)s->next = 0;
}

/* The open record ends behind its last entry, or was none. */
static void close_packed(struct rt_input_stream *s)
{
	struct rt_input *r = s->packed;
	size_t size;

	if (!r)
		return;
	size = r->result ? ((size_t)(s->at - (uint8_t *)r) + 7) & ~(size_t)7 : 0;
	s->next = (char *)r + size;
	if (size) {
		no_record_at(s);
		__atomic_store_n(&r->size, (uint32_t)size, __ATOMIC_RELEASE);
	} else {
		__atomic_store_n((uint64_t *)(void *)r, 0, __ATOMIC_RELEASE);
	}
	s->packed = NULL;
	s->at = s->end = NULL;
}

/* ------------------------------------------------------------------ chunks ------------------ */

static void finish(struct rt_input_stream *s, uint32_t size)
{
	struct rt_input *record = (struct rt_input *)(void *)s->next;

	s->next += size;
	no_record_at(s);
	__atomic_store_n(&record->size, size, __ATOMIC_RELEASE);
}

/*
 * What is left of the newest chunk, of a window up to the next page, is filled up: when there is no other, or the process dies before it has one, no later
 * record follows the one that found no room. How much of it is used.
 */
static size_t fill_up(struct rt_input_stream *s)
{
	size_t used = (size_t)(s->next - (char *)s->chunk), full = s->chunk->size;

	if (s->chunk == s->window)
		full = (used + RT_PAGE - 1) & ~(size_t)(RT_PAGE - 1);
	if (used < full)
		finish(s, (uint32_t)(full - used));
	s->next = (char *)s->chunk + s->chunk->size;
	return full;
}

static struct rt_chunk *reserve(struct rt_self *self, size_t size, bool window, struct rt_batch **batch, uint64_t *offset)
{
	struct rt_chunk part = {
		.size = (uint32_t)size,
		.thread = self->number,
		.stream = RT_STREAM_INPUT,
		.seq = self->input.seq,
		.window = window,
	};

	return size == RT_PAGE ? rt_log_page(&part, 1, batch) : rt_log_reserve(&part, 1, offset);
}

/* For a record that is larger than the window, which is empty meanwhile and counts in its place until it is complete (trace.h). */
static struct rt_chunk *own_chunk(struct rt_self *self, size_t size, size_t used)
{
	struct rt_input_stream *s = &self->input;
	struct rt_chunk *chunk;
	uint64_t offset;

	if (size > UINT32_MAX) { /* nor may a later one follow */
		rt_log_set_flags(RT_LOG_CAP);
		return NULL;
	}
	if (s->window && s->chunk == s->window && !rt_log_turn(s->window, used))
		return NULL;
	chunk = reserve(self, size, false, NULL, &offset);
	if (chunk)
		s->shift = offset - (uintptr_t)chunk;
	return chunk;
}

static struct rt_chunk *next_chunk(struct rt_self *self, size_t size, size_t used, struct rt_batch **batch)
{
	struct rt_input_stream *s = &self->input;
	unsigned i = s->seq < SIZES ? (unsigned)s->seq : SIZES - 1;
	struct rt_chunk *chunk;

	if (size > sizes[SIZES - 1])
		return own_chunk(self, size, used);
	if (s->window)
		return rt_log_turn(s->window, used) ? s->window : NULL;
	while (sizes[i] < size)
		i++;
	chunk = reserve(self, sizes[i], i == SIZES - 1, batch, NULL);
	if (i == SIZES - 1)
		s->window = chunk;
	return chunk;
}

static void unmap_newest(struct rt_input_stream *s)
{
	if (s->batch)
		rt_log_page_over(s->batch);
	else if (s->chunk && s->chunk != s->window)
		rt_log_unmap(s->chunk, s->chunk->size);
}

static void begin_chunk(struct rt_input_stream *s, struct rt_chunk *chunk, struct rt_batch *batch)
{
	if (chunk != s->chunk)
		unmap_newest(s);
	s->chunk = chunk;
	s->batch = batch;
	s->next = (char *)(chunk + 1);
	s->seq++;
}

/* A chunk with room for a record of that size. */
static __attribute__((noinline, cold)) bool refill(struct rt_self *self, size_t size)
{
	struct rt_input_stream *s = &self->input;
	struct rt_batch *batch = NULL;
	size_t used = s->chunk ? fill_up(s) : 0;
	struct rt_chunk *chunk;

	s->shift = 0;
	chunk = next_chunk(self, (sizeof *chunk + size + RT_PAGE - 1) & ~(size_t)(RT_PAGE - 1), used, &batch);
	if (!chunk)
		return false;
	begin_chunk(s, chunk, batch);
	return true;
}

/* ------------------------------------------------------------------ records ----------------- */

void rt_inputs_done(struct rt_self *self, uint32_t size)
{
	struct rt_input_stream *s = &self->input;

	finish(s, size);
	if (!s->window || s->chunk == s->window)
		return;
	fill_up(s);
	s->shift = 0;
	__atomic_store_n(&s->window->seq, s->seq, __ATOMIC_RELEASE);
	begin_chunk(s, s->window, NULL);
}

void *rt_inputs_room(struct rt_self *self, size_t size)
{
	struct rt_input_stream *s = &self->input;

	if (self->thread == &self->spare)
		return NULL;
	close_packed(s);
	return size <= left(s) || refill(self, size) ? s->next : NULL;
}

__attribute__((noinline, cold)) bool rt_inputs_open(struct rt_self *self)
{
	struct rt_input_stream *s = &self->input;
	struct rt_input *r = rt_inputs_room(self, sizeof *r + RT_PACKED_ENTRY);

	if (!r)
		return false;
	*r = (struct rt_input){.function = RT_INPUT_PACKED};
	__atomic_store_n(&r->size, (uint32_t)left(s), __ATOMIC_RELEASE);
	s->packed = r;
	s->at = (uint8_t *)(r + 1);
	s->end = (uint8_t *)s->chunk + s->chunk->size;
	s->last = (struct rt_packed_state){0};
	return true;
}

void rt_inputs_leave(struct rt_self *self)
{
	struct rt_input_stream *s = &self->input;

	unmap_newest(s);
	if (s->window)
		rt_log_unmap(s->window, s->window->size);
	*s = (struct rt_input_stream){0};
}
