/*
 * Store buffers, for schedules under TSO and PSO (schedule.h, `delay`).
 *
 * A delayed store is executed into a place of its own instead of where it belongs; it is visible once its bytes have been
 * copied there, which any thread does as soon as the schedule allows it. So nobody sees it a moment too early, nobody has
 * to stand still meanwhile, and the thread's own loads are answered from a copy of memory with its buffered bytes on top.
 *
 * Entries stand in the order of the stores. Under TSO an entry becomes visible only after all before it, and while a
 * buffer is not empty every further store of the thread goes through it; under PSO both hold only for entries
 * that overlap. What the schedule says comes on top: the SAPs that the store's `delay` lines name come first.
 *
 * Every buffer is protected by one lock: there are few delayed stores, and they are short. `used` is read without it.
 */
#include "replay/twin.h"

#include <stdatomic.h>
#include <string.h>

#define ENTRIES 256u
#define ALIGN 64u
#define INLINE 256u /* bytes of a place inside the entry, alignment included */

struct entry {
	uint64_t sap;
	char *address;
	uint64_t size;
	char *bytes;            /* as aligned as address */
	const struct point *at; /* NULL: the schedule does not delay it itself */
	bool executed;
	void *pages;            /* mapped for it, or NULL */
	uint64_t pages_size;
	char place[INLINE] __attribute__((aligned(ALIGN)));
};

struct scratch {
	char *pages;
	uint64_t size;
};

struct store_buffer {
	_Atomic uint32_t used;
	struct entry *open;   /* given a place, not executed yet */
	struct scratch load, source;
	struct entry entries[ENTRIES];
};

static atomic_flag lock = ATOMIC_FLAG_INIT;
static _Atomic uint32_t total; /* entries of all threads */

static void take_lock(void)
{
	while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
		__builtin_ia32_pause();
}

static void drop_lock(void)
{
	atomic_flag_clear_explicit(&lock, memory_order_release);
}

bool buffers_used(const struct twin_thread *self)
{
	return self->buffer && atomic_load(&self->buffer->used);
}

static bool overlaps(const struct entry *e, const char *address, uint64_t size)
{
	return e->address < address + size && address < e->address + e->size;
}

bool buffers_hold(const struct twin_thread *t, uint64_t sap)
{
	if (!buffers_used(t))
		return false;
	bool held = false;
	take_lock();
	for (uint32_t i = 0; i < t->buffer->used && !held; i++)
		held = t->buffer->entries[i].sap == sap;
	drop_lock();
	return held;
}

/* ---- becoming visible ---- */

/* One instruction where the program's own store would have been one. */
static void write_memory(char *to, const char *from, uint64_t size)
{
	switch ((uintptr_t)to % size ? 0 : size) {
	case 1:
		__atomic_store_n(to, *from, __ATOMIC_SEQ_CST);
		break;
	case 2:
		__atomic_store_n((uint16_t *)to, *(const uint16_t *)from, __ATOMIC_SEQ_CST);
		break;
	case 4:
		__atomic_store_n((uint32_t *)to, *(const uint32_t *)from, __ATOMIC_SEQ_CST);
		break;
	case 8:
		__atomic_store_n((uint64_t *)to, *(const uint64_t *)from, __ATOMIC_SEQ_CST);
		break;
	default:
		memcpy(to, from, size);
	}
}

/* With the lock held: has the thread executed the SAP, and can others see it? */
static bool has_happened(const struct wait *w)
{
	const struct twin_thread *t = w->thread->thread;
	if (!t || atomic_load(&t->passed) < w->sap)
		return false;
	for (uint32_t i = 0; t->buffer && i < t->buffer->used; i++)
		if (t->buffer->entries[i].sap == w->sap)
			return false;
	return true;
}

static bool may_be_visible(const struct store_buffer *b, uint32_t index)
{
	const struct entry *e = &b->entries[index];
	if (!e->executed)
		return false;
	for (uint32_t i = 0; i < index; i++)
		if (schedule_memory() == TWIN_TSO || overlaps(&b->entries[i], e->address, e->size))
			return false;
	for (uint32_t i = 0; e->at && i < e->at->delays; i++)
		if (!has_happened(schedule_wait(e->at->first_delay + i)))
			return false;
	return true;
}

/* A place in an entry's own array moves with it. */
static void move_entry(struct entry *to, struct entry *from)
{
	uint64_t at = (uint64_t)(from->bytes - from->place);
	*to = *from;
	if (!from->pages)
		to->bytes = to->place + at;
}

static void show(struct store_buffer *b, uint32_t index)
{
	struct entry *e = &b->entries[index];
	write_memory(e->address, e->bytes, e->size);
	if (e->pages)
		twin_pages_free(e->pages, e->pages_size);
	uint32_t used = b->used;
	for (uint32_t i = index; i + 1 < used; i++)
		move_entry(&b->entries[i], &b->entries[i + 1]);
	atomic_store(&b->used, used - 1);
	atomic_fetch_sub(&total, 1);
}

static bool advance_one(struct store_buffer *b)
{
	for (uint32_t i = 0; i < b->used; i++)
		if (may_be_visible(b, i)) {
			show(b, i);
			return true;
		}
	return false;
}

void buffers_advance(void)
{
	if (!atomic_load(&total))
		return;
	bool any = false, more;
	take_lock();
	do {
		more = false;
		for (uint32_t i = 0; i < twin_thread_count(); i++) {
			struct twin_thread *t = twin_thread_at(i);
			while (t && t->buffer && !t->buffer->open && advance_one(t->buffer))
				more = any = true;
		}
	} while (more);
	drop_lock();
	if (any)
		bell_ring();
}

void buffers_drain(struct twin_thread *self)
{
	while (buffers_used(self)) {
		const struct wait *first = NULL;
		buffers_advance();
		take_lock();
		for (uint32_t i = 0; i < self->buffer->used && !first; i++) {
			const struct point *at = self->buffer->entries[i].at;
			for (uint32_t k = 0; at && k < at->delays && !first; k++)
				if (!has_happened(schedule_wait(at->first_delay + k)))
					first = schedule_wait(at->first_delay + k);
		}
		drop_lock();
		if (first)
			gate_await(self, first);
	}
}

/* ---- accesses of the thread itself ---- */

/* Memory as the thread sees it. */
static void view(const struct store_buffer *b, char *to, const char *address, uint64_t size)
{
	memcpy(to, address, size);
	for (uint32_t i = 0; i < b->used; i++) {
		const struct entry *e = &b->entries[i];
		if (!overlaps(e, address, size))
			continue;
		const char *first = e->address > address ? e->address : address;
		const char *end = e->address + e->size < address + size ? e->address + e->size : address + size;
		memcpy(to + (first - address), e->bytes + (first - e->address), (size_t)(end - first));
	}
}

static char *align_as(char *place, const void *address)
{
	return place + ((uintptr_t)address - (uintptr_t)place) % ALIGN;
}

static void *load_through(struct store_buffer *b, struct scratch *s, void *address, uint64_t size)
{
	bool hit = false;
	take_lock();
	for (uint32_t i = 0; i < b->used && !hit; i++)
		hit = overlaps(&b->entries[i], address, size);
	if (!hit) {
		drop_lock();
		return address;
	}
	if (s->size < size + ALIGN) {
		if (s->pages)
			twin_pages_free(s->pages, s->size);
		s->size = (size + ALIGN + 4095) & ~4095ull;
		s->pages = twin_pages(s->size);
	}
	char *at = address;
	if (s->pages) {
		at = align_as(s->pages, address);
		view(b, at, address, size);
	}
	drop_lock();
	return at;
}

void *buffers_load(struct twin_thread *self, void *address, uint64_t size)
{
	return buffers_used(self) ? load_through(self->buffer, &self->buffer->load, address, size) : address;
}

void *buffers_source(struct twin_thread *self, void *address, uint64_t size)
{
	return buffers_used(self) ? load_through(self->buffer, &self->buffer->source, address, size) : address;
}

static bool must_go_through(const struct store_buffer *b, const char *address, uint64_t size)
{
	for (uint32_t i = 0; i < b->used; i++)
		if (schedule_memory() == TWIN_TSO || overlaps(&b->entries[i], address, size))
			return true;
	return false;
}

static char *place_for(struct entry *e, const char *address, uint64_t size)
{
	if (size + ALIGN <= INLINE)
		return align_as(e->place, address);
	e->pages_size = size + ALIGN;
	e->pages = twin_pages(e->pages_size);
	return e->pages ? align_as(e->pages, address) : NULL;
}

void *buffers_store(struct twin_thread *self, const struct point *at, void *address, uint64_t size)
{
	bool delayed = at && at->delays;
	if (!self->buffer && delayed)
		self->buffer = twin_pages(sizeof *self->buffer);
	struct store_buffer *b = self->buffer;
	if (!b || !size)
		return address;
	take_lock();
	char *place = NULL;
	if (b->used < ENTRIES && (delayed || must_go_through(b, address, size))) {
		struct entry *e = &b->entries[b->used];
		*e = (struct entry){ .sap = self->gate->count, .address = address, .size = size,
				     .at = delayed ? at : NULL };
		place = e->bytes = place_for(e, address, size);
		if (place) {
			view(b, place, address, size);
			b->open = e;
			atomic_fetch_add(&b->used, 1);
			atomic_fetch_add(&total, 1);
		}
	}
	drop_lock();
	if (!place && b->used == ENTRIES) { /* a store buffer is finite */
		buffers_drain(self);
		return buffers_store(self, at, address, size);
	}
	return place ? place : address;
}

void buffers_stored(struct twin_thread *self)
{
	if (!self->buffer || !self->buffer->open)
		return;
	take_lock();
	self->buffer->open->executed = true;
	self->buffer->open = NULL;
	drop_lock();
}
