/*
 * Accesses that could have come in the other order. Every two accesses to the same bytes, one of them a write, are ordered by
 * having happened so; with program order, that makes clocks. Where one access did not come before another already by what lies
 * between them, the two are a race in the sense of search.h: exchanging them is possible, and gives another run. (This is
 * the relation of dynamic partial order reduction, Flanagan and Godefroid, POPL 2005; PRES calls it transitive reduction.)
 */
#include "replay/conductor.h"
#include "rt/image.h"

#include <string.h>

#define CELLS (1u << 16) /* by granule of 8 bytes; one that meets another forgets it */
#define MOST_GRANULES 64u

/* An access while nobody else has been there. */
struct alone {
	const void *place;
	uint64_t sap, number, value; /* afterwards, which conductor_after sets */
	uint32_t size, site, kind;
};

struct cell {
	uint64_t granule;
	uint32_t writer; /* + 1, or 0 */
	uint32_t touched; /* a bit per thread */
	uint32_t write_site;
	uint64_t write_sap, write_trail; /* `ntrail` then */
	uint32_t readers; /* since then; a bit per thread */
	uint32_t read_site[CONDUCTED_THREADS];
	uint64_t read_sap[CONDUCTED_THREADS], read_trail[CONDUCTED_THREADS];
	uint64_t write_clock[CONDUCTED_THREADS], read_clock[CONDUCTED_THREADS];
	struct alone wrote[2], read[2]; /* the last ones of each half, as long as one thread touches it; `read` not before `wrote` */
};

static struct cell *cells;

bool conflicts_start(void)
{
	cells = twin_pages(CELLS * sizeof *cells);
	return cells;
}

void clock_join(uint64_t *into, const uint64_t *other)
{
	uint32_t n = twin_thread_count() < CONDUCTED_THREADS ? twin_thread_count() : CONDUCTED_THREADS;
	for (uint32_t i = 0; i < n; i++)
		if (into[i] < other[i])
			into[i] = other[i];
}

static bool concerns_off(const struct rt_race *r)
{
	return (r->thread + 1 == attempt->off && r->sap <= attempt->off_sap) ||
	       (r->other + 1 == attempt->off && r->other_sap <= attempt->off_sap);
}

static void race(struct rt_race r)
{
	r.step = attempt->steps;
	attempt->races[attempt->nraces++ % RT_RACES] = r;
	if (attempt->off && attempt->nnear < RT_RACES && concerns_off(&r))
		attempt->near[attempt->nnear++] = r;
}

/* The trail has both accesses of a race for longer than others; the first one, if it is there still. */
static void mark(struct actor *a, uint64_t first, uint32_t thread, uint64_t sap)
{
	struct rt_trail *t = &attempt->trail[first % RT_TRAIL];
	a->races = true;
	if (t->kind && t->thread == thread && t->sap == sap)
		t->races = 1;
}

static struct cell *cell_of(uint64_t granule)
{
	struct cell *c = &cells[(granule * 0x9e3779b97f4a7c15ull) >> 48];
	if (c->granule != granule) {
		memset(c, 0, sizeof *c);
		c->granule = granule;
	}
	return c;
}

static void after_write(struct actor *a, uint32_t number, uint32_t site, const struct cell *c)
{
	if (!c->writer || c->writer == number + 1)
		return;
	if (a->clock[c->writer - 1] < c->write_sap) {
		race((struct rt_race){ .thread = c->writer - 1, .other = number, .sap = c->write_sap,
				       .other_sap = a->thread->gate->count, .site = c->write_site, .other_site = site });
		mark(a, c->write_trail, c->writer - 1, c->write_sap);
	}
	clock_join(a->clock, c->write_clock);
}

static void after_reads(struct actor *a, uint32_t number, uint32_t site, const struct cell *c)
{
	for (uint32_t r = 0, left = c->readers & ~(1u << number); left; r++, left >>= 1)
		if ((left & 1) && a->clock[r] < c->read_sap[r]) {
			race((struct rt_race){ .thread = r, .other = number, .sap = c->read_sap[r],
					       .other_sap = a->thread->gate->count, .site = c->read_site[r],
					       .other_site = site });
			mark(a, c->read_trail[r], r, c->read_sap[r]);
		}
	if (c->readers)
		clock_join(a->clock, c->read_clock);
}

static void keep_early(const struct alone *was, uint32_t thread)
{
	if (!was->place)
		return;
	struct rt_trail *t = &attempt->early[attempt->nearly++ % RT_EARLY];
	*t = (struct rt_trail){ .number = was->number, .thread = thread, .site = was->site, .sap = was->sap, .address = rt_image_relative((uint64_t)(uintptr_t)was->place),
				.place = (uint64_t)(uintptr_t)was->place, .size = was->size, .kind = was->kind, .value = was->value };
}

/* Is it the second thread that comes to the place? Then what the first did there belongs to the trail, too. */
static void touch_early(struct actor *a, struct cell *c, uint32_t site, const void *address, uint64_t size, bool writes)
{
	uint32_t mine = 1u << a->thread->number;
	if (c->touched && !(c->touched & mine) && !(c->touched & (c->touched - 1))) {
		uint32_t first = (uint32_t)__builtin_ctz(c->touched);
		for (int half = 0; half < 2; half++) {
			keep_early(&c->wrote[half], first);
			keep_early(&c->read[half], first);
		}
	}
	if (c->touched & ~mine)
		return;
	uintptr_t offset = (uintptr_t)address & 7;
	bool whole = offset + size <= 8, one = offset / 4 == (offset + size - 1) / 4; /* in one granule; in a half of it */
	for (uintptr_t half = 0; half < 2; half++)
		if (!(whole && one) || half == offset / 4) {
			c->read[half] = (struct alone){ 0 };
			c->wrote[half] = writes ? (struct alone){ 0 } : c->wrote[half];
		}
	if (!whole)
		return;
	struct alone *last = writes ? &c->wrote[offset / 4] : &c->read[offset / 4];
	*last = (struct alone){ address, a->thread->gate->count, attempt->numbers, 0, (uint32_t)size, site,
				!writes ? RT_ACCESS_LOAD : a->access == RT_ACCESS_UPDATE ? RT_ACCESS_UPDATE : RT_ACCESS_STORE };
	a->alone = &last->value;
}

static void touch_granule(struct actor *a, uint64_t granule, uint32_t site, const void *address, uint64_t size, bool writes)
{
	uint32_t number = a->thread->number;
	uint64_t sap = a->thread->gate->count;
	struct cell *c = cell_of(granule);
	touch_early(a, c, site, address, size, writes);
	after_write(a, number, site, c);
	if (writes)
		after_reads(a, number, site, c);
	a->clock[number] = sap;
	c->touched |= 1u << number;
	a->shared |= c->touched != 1u << number;
	if (!writes) {
		c->readers |= 1u << number;
		c->read_sap[number] = sap;
		c->read_trail[number] = attempt->ntrail;
		c->read_site[number] = site;
		clock_join(c->read_clock, a->clock);
		return;
	}
	c->writer = number + 1;
	c->write_site = site;
	c->write_sap = sap;
	c->write_trail = attempt->ntrail;
	c->readers = 0;
	memset(c->read_clock, 0, sizeof c->read_clock);
	memcpy(c->write_clock, a->clock, sizeof c->write_clock);
}

void conflicts_access(struct actor *a, uint32_t site, const void *address, uint64_t size, bool writes)
{
	if (a->thread->number >= CONDUCTED_THREADS || !address || !size)
		return;
	uint64_t first = (uint64_t)(uintptr_t)address >> 3, last = ((uint64_t)(uintptr_t)address + size - 1) >> 3;
	if (last - first >= MOST_GRANULES)
		last = first + MOST_GRANULES - 1;
	for (uint64_t g = first; g <= last; g++)
		touch_granule(a, g, site, address, size, writes);
}

/* Where the order of steps was not recorded, it can be another one, too. */
void conflicts_acquire(struct actor *a, struct object *o)
{
	uint32_t number = a->thread->number;
	uint64_t sap = a->thread->gate->count;
	if (number >= CONDUCTED_THREADS)
		return;
	bool fixed = sketch_has(RT_SKETCH_SYNC) && !a->follower.off;
	if (!fixed && o->last && o->last != number + 1 && a->clock[o->last - 1] < o->last_sap)
		race((struct rt_race){ .thread = o->last - 1, .other = number, .sap = o->last_sap, .other_sap = sap });
	clock_join(a->clock, o->clock);
	a->clock[number] = sap;
	o->last = number + 1;
	o->last_sap = sap;
}

void conflicts_release(struct actor *a, struct object *o)
{
	if (a->thread->number >= CONDUCTED_THREADS)
		return;
	a->clock[a->thread->number] = a->thread->gate->count;
	clock_join(o->clock, a->clock);
}
