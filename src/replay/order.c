/*
 * The order of accesses, as scheme rw logs it. Locations are slots of a table, by address in granules of 8 bytes. Two
 * addresses in one slot only order more than need be. What is very large, or of unknown extent, is not looked up there: its
 * thread is alone meanwhile (alone.c).
 *
 * A thread writes its own entries, except that nobody else ever touches `open` of a location whose last run is
 * somebody's. An entry's `first` is written last; a run in the log grows in place, so that death loses nothing.
 */
#include "replay/order.h"

#include "replay/alone.h"
#include "rt/log.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LARGE 4096u /* locations: from here on being alone costs less */
#define ORDER_CHUNK (64u << 10)

/*
 * rw: `version` counts the writes, `reads` those of the newest version by others than its writer. leap: `version` counts
 * the runs. Guarded by `lock`.
 */
struct location {
	_Atomic uint32_t lock;
	uint32_t last; /* rw: the last writer, leap: whose run it is; thread number + 1, 0 for none */
	uint64_t version;
	uint32_t reads;
	struct rt_order *open; /* entry of the last write or run */
	char pad[32];
};

static struct location *locations;
static bool leap;

bool order_init(bool runs)
{
	leap = runs;
	locations = twin_pages(LOCATIONS * sizeof *locations);
	return locations != NULL;
}

/* ---- entries ---- */

static bool refill(struct twin_thread *self)
{
	struct recorder *r = self->recorder;
	struct rt_chunk part = { .size = ORDER_CHUNK, .thread = self->number, .stream = RT_STREAM_ORDER, .seq = r->seq };
	struct rt_chunk *chunk = rt_log_reserve(&part, 1, NULL);
	if (!chunk) {
		rt_log_drop();
		return false;
	}
	r->seq++;
	r->next = (struct rt_order *)(chunk + 1);
	r->end = r->next + (ORDER_CHUNK - sizeof *chunk) / sizeof *r->next;
	return true;
}

struct rt_order *recorder_entry(struct twin_thread *self, struct rt_order entry)
{
	struct recorder *r = self->recorder;
	if (r->next == r->end && !refill(self))
		return NULL;
	struct rt_order *e = r->next++;
	uint64_t first = entry.first;
	entry.first = 0;
	*e = entry;
	__atomic_store_n(&e->first, first, __ATOMIC_RELEASE);
	return e;
}

static void grow_run(struct rt_order *e, uint64_t sap)
{
	e->count++;
	__atomic_store_n(&e->last, sap, __ATOMIC_RELEASE);
}

static struct rt_order run_of(uint32_t place, uint32_t kind, uint64_t sap, uint64_t version)
{
	return (struct rt_order){ .first = sap, .last = sap, .version = version, .location = place + 1, .count = 1,
				  .kind = kind };
}

static void note_write(struct twin_thread *self, uint32_t place, uint64_t sap)
{
	struct location *l = &locations[place];
	if (l->last == self->number + 1 && !l->reads && l->open) {
		grow_run(l->open, sap);
	} else {
		struct rt_order e = run_of(place, RT_ORDER_WRITE, sap, l->version + 1);
		e.value = l->reads;
		l->open = recorder_entry(self, e);
	}
	l->version++;
	l->last = self->number + 1;
	l->reads = 0;
}

static void note_read(struct twin_thread *self, uint32_t place, uint64_t sap)
{
	struct location *l = &locations[place];
	bool own = l->last == self->number + 1;
	if (own && !l->reads && l->open) { /* what it wrote itself, and nobody has read yet */
		__atomic_store_n(&l->open->last, sap, __ATOMIC_RELEASE);
		return;
	}
	struct rt_order **run = &self->recorder->reading[place % CACHE];
	if (*run && (*run)->location == place + 1 && (*run)->version == l->version)
		grow_run(*run, sap);
	else
		*run = recorder_entry(self, run_of(place, RT_ORDER_READ, sap, l->version));
	l->reads += !own;
}

static void note_run(struct twin_thread *self, uint32_t place, uint64_t sap)
{
	struct location *l = &locations[place];
	if (l->last == self->number + 1 && l->open) {
		grow_run(l->open, sap);
		return;
	}
	l->open = recorder_entry(self, run_of(place, RT_ORDER_RUN, sap, ++l->version));
	l->last = self->number + 1;
}

static void note(struct twin_thread *self, uint32_t place, uint64_t sap, bool writes)
{
	if (leap)
		note_run(self, place, sap);
	else if (writes)
		note_write(self, place, sap);
	else
		note_read(self, place, sap);
}

/* ---- locations ---- */

uint32_t order_place(uint64_t granule)
{
	uint64_t page = granule >> 9;
	return (uint32_t)(granule + (page * 0x9e3779b97f4a7c15ull >> 40)) % LOCATIONS;
}

static void lock_place(uint32_t place)
{
	for (unsigned spins = 0; atomic_exchange_explicit(&locations[place].lock, 1, memory_order_acquire); spins++)
		if (spins < 100)
			__builtin_ia32_pause();
		else
			syscall(SYS_sched_yield);
}

static void unlock_place(uint32_t place)
{
	atomic_store_explicit(&locations[place].lock, 0, memory_order_release);
}

static void sift_down(uint32_t *places, uint32_t i, uint32_t n)
{
	for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && places[child + 1] > places[child])
			child++;
		if (places[i] >= places[child])
			return;
		uint32_t swap = places[i];
		places[i] = places[child];
		places[child] = swap;
	}
}

/* Heapsort: qsort allocates, and giving that memory back would be recorded in the middle of this record. */
static void sort_places(uint32_t *places, uint32_t n)
{
	for (uint32_t i = n / 2; i-- > 0;)
		sift_down(places, i, n);
	while (n > 1) {
		uint32_t largest = places[0];
		places[0] = places[--n];
		places[n] = largest;
		sift_down(places, 0, n);
	}
}

/* Sorted, each once. */
void order_add(struct recorder *r, const void *address, uint64_t size)
{
	uint64_t first = (uint64_t)(uintptr_t)address >> 3, last = ((uint64_t)(uintptr_t)address + size - 1) >> 3;
	uint32_t n = r->nheld;
	if (last - first >= LARGE || n >= LARGE) {
		r->large = true;
		return;
	}
	for (uint64_t g = first; g <= last; g++)
		r->held[n++] = order_place(g);
	sort_places(r->held, n);
	r->nheld = 0;
	for (uint32_t i = 0; i < n; i++)
		if (!r->nheld || r->held[r->nheld - 1] != r->held[i])
			r->held[r->nheld++] = r->held[i];
}

static void lock_places(const struct recorder *r)
{
	for (uint32_t i = 0; i < r->nheld; i++)
		lock_place(r->held[i]);
}

void order_unlock(const struct recorder *r)
{
	for (uint32_t i = 0; i < r->nheld; i++)
		unlock_place(r->held[i]);
}

void order_release(struct recorder *r)
{
	order_unlock(r);
	r->nheld = 0;
}

void order_hold(struct twin_thread *self)
{
	struct recorder *r = self->recorder;
	bool large = r->large;
	r->large = false;
	if (self->alone || (large && alone_begin(self))) {
		r->nheld = 0;
		return;
	}
	if (large)
		for (r->nheld = 0; r->nheld < LOCATIONS; r->nheld++)
			r->held[r->nheld] = r->nheld;
	if (r->nheld)
		alone_touches(self);
	lock_places(r);
}

void order_touch(struct twin_thread *self, uint64_t sap, bool writes)
{
	const struct recorder *r = self->recorder;
	for (uint32_t i = 0; i < r->nheld; i++)
		note(self, r->held[i], sap, writes);
}

void order_note(struct twin_thread *self, uint64_t sap)
{
	order_touch(self, sap, self->recorder->writes);
	order_release(self->recorder);
}

void order_object(struct twin_thread *self, const void *object)
{
	uint32_t place = order_place((uint64_t)(uintptr_t)object >> 3);
	lock_place(place);
	note(self, place, self->gate->count, true);
	unlock_place(place);
}
