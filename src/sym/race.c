#include "sym/race.h"

#include <stdlib.h>
#include <string.h>

struct epoch {
	uint32_t thread : 31;
	uint32_t strayed : 1; /* the thread had left its recorded path */
	uint32_t time;
};

/* What a run knows of a cell. A race in which somebody had strayed may be none. */
enum verdict { CLEAN, DOUBTFUL, RACY };

/*
 * One location inside a granule of 8 bytes. `writes` are the writes no later write is ordered after: one in a
 * race-free program. `reads` are the last reads by each thread since then.
 */
struct cell {
	uint8_t offset, size;
	uint8_t narrowest; /* of the accesses to it: bytes of the granule */
	bool racy;   /* known from the start */
	uint8_t found; /* enum verdict: found in this run */
	bool freed;  /* the memory has been given back */
	uint16_t nwrites, nreads, writes_cap, reads_cap;
	uint32_t next; /* cell of the same granule, by offset; 0 ends */
	struct epoch write;  /* the first of the frontier, inline */
	struct epoch *more_writes;
	struct epoch *reads;
};

enum { GRANULE = 8 };
#define GRANULES 512u /* in a page */
struct page {
	uint64_t number;
	uint32_t first[GRANULES]; /* cell or 0 */
};

struct races {
	const struct range *known;
	size_t nknown;
	vec(struct cell) cells; /* [0] unused */
	struct page **table;    /* open addressing by page number */
	size_t slots, npages;
	struct page *last;
	vec(struct range) found, doubtful;
	vec(struct range) fresh;
	bool raced, hit_freed, unwritten, untouched; /* the last access */
};

static int by_address(const void *a, const void *b)
{
	const struct range *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

struct races *races_new(const struct range *known, size_t nknown)
{
	struct races *r = xcalloc(1, sizeof *r);
	struct range *copy = xmalloc(nknown * sizeof *copy);
	if (nknown)
		memcpy(copy, known, nknown * sizeof *copy);
	qsort(copy, nknown, sizeof *copy, by_address);
	r->known = copy;
	r->nknown = nknown;
	r->slots = 1024;
	r->table = xcalloc(r->slots, sizeof *r->table);
	memset(vec_push(&r->cells), 0, sizeof(struct cell));
	return r;
}

void races_free(struct races *r)
{
	for (size_t i = 1; i < r->cells.n; i++) {
		free(r->cells.at[i].more_writes);
		free(r->cells.at[i].reads);
	}
	for (size_t i = 0; i < r->slots; i++)
		free(r->table[i]);
	free(r->table);
	vec_free(&r->cells);
	vec_free(&r->found);
	vec_free(&r->doubtful);
	vec_free(&r->fresh);
	free((void *)r->known);
	free(r);
}

const struct range *races_fresh(const struct races *r)
{
	return r->fresh.at;
}

bool races_raced(const struct races *r)
{
	return r->raced;
}

bool races_hit_freed(const struct races *r)
{
	return r->hit_freed;
}

bool races_unwritten(const struct races *r)
{
	return r->unwritten;
}

bool races_untouched(const struct races *r)
{
	return r->untouched;
}

const struct range *races_found(const struct races *r, size_t *count)
{
	*count = r->found.n;
	return r->found.at;
}

const struct range *races_doubtful(const struct races *r, size_t *count)
{
	*count = r->doubtful.n;
	return r->doubtful.at;
}

static size_t slot_of(const struct races *r, uint64_t number)
{
	size_t i = (size_t)(number * 0x9e3779b97f4a7c15ull >> 20) & (r->slots - 1);
	while (r->table[i] && r->table[i]->number != number)
		i = (i + 1) & (r->slots - 1);
	return i;
}

static void grow_table(struct races *r)
{
	struct page **old = r->table;
	size_t n = r->slots;
	r->slots *= 2;
	r->table = xcalloc(r->slots, sizeof *r->table);
	for (size_t i = 0; i < n; i++)
		if (old[i])
			r->table[slot_of(r, old[i]->number)] = old[i];
	free(old);
}

static struct page *page_at(struct races *r, uint64_t number)
{
	if (r->last && r->last->number == number)
		return r->last;
	size_t i = slot_of(r, number);
	if (!r->table[i]) {
		if (++r->npages * 2 > r->slots) {
			grow_table(r);
			i = slot_of(r, number);
		}
		r->table[i] = xcalloc(1, sizeof(struct page));
		r->table[i]->number = number;
	}
	return r->last = r->table[i];
}

/* Known ranges are short and sorted. */
bool races_is_known(const struct races *r, uint64_t address, uint64_t size)
{
	size_t low = 0, high = r->nknown;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (r->known[mid].address + r->known[mid].size <= address)
			low = mid + 1;
		else
			high = mid;
	}
	/* Ends need not be sorted like starts, but ranges are within a granule: a few steps suffice. */
	for (; low < r->nknown && r->known[low].address < address + size; low++)
		if (r->known[low].address + r->known[low].size > address)
			return true;
	return false;
}

static uint32_t cell_new(struct races *r, uint64_t granule, unsigned offset, unsigned size, uint32_t next)
{
	struct cell *c = vec_push(&r->cells);
	*c = (struct cell){ .offset = (uint8_t)offset, .size = (uint8_t)size, .narrowest = GRANULE, .next = next };
	c->racy = races_is_known(r, granule * 8 + offset, size);
	return (uint32_t)(r->cells.n - 1);
}

static struct epoch *copy_epochs(const struct epoch *from, size_t n)
{
	if (!n)
		return NULL;
	struct epoch *to = xmalloc(n * sizeof *to);
	memcpy(to, from, n * sizeof *to);
	return to;
}

/* Cut cell i at `at` (an offset inside it); the second part follows it in the list. */
static void split(struct races *r, uint32_t i, unsigned at)
{
	struct cell second = r->cells.at[i];
	second.offset = (uint8_t)at;
	second.size = (uint8_t)(r->cells.at[i].offset + r->cells.at[i].size - at);
	second.more_writes = copy_epochs(second.more_writes, second.writes_cap);
	second.reads = copy_epochs(second.reads, second.reads_cap);
	*vec_push(&r->cells) = second;
	r->cells.at[i].size = (uint8_t)(at - r->cells.at[i].offset);
	r->cells.at[i].next = (uint32_t)(r->cells.n - 1);
}

static bool ordered(struct epoch e, const uint32_t *clock, uint32_t nclock)
{
	return e.time <= (e.thread < nclock ? clock[e.thread] : 0);
}

static void report(struct races *r, struct cell *c, uint64_t granule, enum verdict found)
{
	if (c->racy || c->found >= found)
		return;
	c->found = (uint8_t)found;
	struct range range = { granule * 8 + c->offset, c->size };
	if (found == RACY)
		*vec_push(&r->found) = range;
	else
		*vec_push(&r->doubtful) = range;
}

/* Is an access that nothing orders before this one a race? */
static enum verdict race_of(struct epoch e, struct epoch me)
{
	return e.strayed || me.strayed ? DOUBTFUL : RACY;
}

static enum verdict worse(enum verdict a, enum verdict b)
{
	return a > b ? a : b;
}

static void push_epoch(struct epoch **at, uint16_t *n, uint16_t *cap, struct epoch e)
{
	if (*n == *cap) {
		*cap = *cap ? (uint16_t)(*cap * 2) : 2;
		*at = xrealloc(*at, *cap * sizeof **at);
	}
	(*at)[(*n)++] = e;
}

static struct epoch *frontier(struct cell *c, unsigned i)
{
	return i ? &c->more_writes[i - 1] : &c->write;
}

/* Drop the writes ordered before this one; what is left races with it. */
static enum verdict prune_writes(struct cell *c, struct epoch me, const uint32_t *clock, uint32_t nclock)
{
	uint16_t n = 0;
	enum verdict race = CLEAN;
	for (uint16_t i = 0; i < c->nwrites; i++)
		if (!ordered(*frontier(c, i), clock, nclock)) {
			race = worse(race, race_of(*frontier(c, i), me));
			*frontier(c, n++) = *frontier(c, i);
		}
	c->nwrites = n;
	return race;
}

static enum verdict races_with_reads(const struct cell *c, struct epoch me, const uint32_t *clock, uint32_t nclock)
{
	enum verdict race = CLEAN;
	for (uint16_t i = 0; i < c->nreads; i++)
		if (!ordered(c->reads[i], clock, nclock))
			race = worse(race, race_of(c->reads[i], me));
	return race;
}

static enum verdict races_with_writes(struct cell *c, struct epoch me, const uint32_t *clock, uint32_t nclock)
{
	enum verdict race = CLEAN;
	for (uint16_t i = 0; i < c->nwrites; i++)
		if (!ordered(*frontier(c, i), clock, nclock))
			race = worse(race, race_of(*frontier(c, i), me));
	return race;
}

/* The last of a thread's accesses stands for all; if one of them was on its path, so is that. */
static void replace(struct epoch *e, struct epoch me)
{
	me.strayed &= e->strayed;
	*e = me;
}

static enum verdict on_write(struct cell *c, struct epoch me, const uint32_t *clock, uint32_t nclock)
{
	if (c->nwrites == 1 && c->write.thread == me.thread && !c->nreads) {
		replace(&c->write, me); /* the usual case: the same thread writes on */
		return CLEAN;
	}
	enum verdict race = races_with_reads(c, me, clock, nclock);
	race = worse(race, prune_writes(c, me, clock, nclock));
	c->nreads = 0;
	if (c->nwrites++ == 0)
		c->write = me;
	else {
		uint16_t more = (uint16_t)(c->nwrites - 2);
		push_epoch(&c->more_writes, &more, &c->writes_cap, me);
	}
	return race;
}

static enum verdict on_read(struct cell *c, struct epoch me, const uint32_t *clock, uint32_t nclock)
{
	enum verdict race = races_with_writes(c, me, clock, nclock);
	for (uint16_t i = 0; i < c->nreads; i++)
		if (c->reads[i].thread == me.thread) {
			replace(&c->reads[i], me);
			return race;
		}
	push_epoch(&c->reads, &c->nreads, &c->reads_cap, me);
	return race;
}

bool races_is_own(struct races *r, uint32_t thread, uint64_t address)
{
	uint64_t granule = address / 8;
	uint32_t i = page_at(r, granule / GRANULES)->first[granule % GRANULES];
	while (i && r->cells.at[i].offset + r->cells.at[i].size <= address % 8)
		i = r->cells.at[i].next;
	const struct cell *c = &r->cells.at[i];
	return i && c->offset <= address % 8 && !c->racy && !c->found && c->nwrites == 1 && c->write.thread == thread;
}

uint64_t races_never_apart(struct races *r, uint64_t address, unsigned size)
{
	uint64_t granule = address / GRANULE, bits = 0;
	unsigned from = address % GRANULE, to = from + size;
	uint32_t i = page_at(r, granule / GRANULES)->first[granule % GRANULES];
	for (; i && r->cells.at[i].offset < to; i = r->cells.at[i].next) {
		const struct cell *c = &r->cells.at[i];
		for (unsigned at = c->offset; at < c->offset + c->size; at++)
			if (at >= from && at < to && c->narrowest >= size)
				bits |= 0xffull << 8 * (at - from);
	}
	return bits;
}

struct accessor {
	struct epoch me;
	const uint32_t *clock;
	uint32_t nclock;
	bool write;
};

/* One granule's part of an access: bytes [from, to) of it. */
static bool access_granule(struct races *r, uint64_t granule, unsigned from, unsigned to,
			   const struct accessor *a)
{
	uint32_t *head = &page_at(r, granule / GRANULES)->first[granule % GRANULES];
	bool racy = false;
	uint32_t previous = 0, i = *head;
	for (unsigned at = from; at < to;) {
		while (i && r->cells.at[i].offset + r->cells.at[i].size <= at) {
			previous = i;
			i = r->cells.at[i].next;
		}
		bool is_fresh = !i || r->cells.at[i].offset > at;
		if (is_fresh) { /* a gap: bytes nobody has touched */
			unsigned end = i && r->cells.at[i].offset < to ? r->cells.at[i].offset : to;
			uint32_t fresh = cell_new(r, granule, at, end - at, i);
			if (previous)
				r->cells.at[previous].next = fresh;
			else
				*head = fresh;
			i = fresh;
			r->untouched = true;
		} else if (r->cells.at[i].offset < at) {
			split(r, i, at);
			continue;
		}
		if (r->cells.at[i].offset + r->cells.at[i].size > to)
			split(r, i, to);
		struct cell *c = &r->cells.at[i];
		if (c->racy) {
			racy = true;
			if (is_fresh)
				*vec_push(&r->fresh) = (struct range){ granule * 8 + c->offset, c->size };
		}
		if (to - from < c->narrowest)
			c->narrowest = (uint8_t)(to - from);
		r->hit_freed |= c->freed;
		r->unwritten |= !a->write && !c->nwrites;
		enum verdict race = a->write ? on_write(c, a->me, a->clock, a->nclock) : on_read(c, a->me, a->clock, a->nclock);
		if (race) {
			r->raced = true;
			report(r, c, granule, race);
		}
		at = c->offset + c->size;
		previous = i;
		i = c->next;
	}
	return racy;
}

/* Bytes [from, to) of a granule. */
struct part {
	uint64_t granule;
	unsigned from, to;
};

/* The first part of [at, end). */
static struct part part_at(uint64_t at, uint64_t end)
{
	uint64_t granule = at / 8;
	return (struct part){ granule, (unsigned)(at % 8), end - granule * 8 < 8 ? (unsigned)(end - granule * 8) : 8 };
}

static uint64_t part_end(struct part p)
{
	return p.granule * 8 + p.to;
}

/* A read is one event: where some of its bytes race, the writes of the others have to be events too. */
static void spread(struct races *r, uint64_t address, uint64_t end, enum verdict found)
{
	for (struct part p; address < end; address = part_end(p)) {
		p = part_at(address, end);
		uint32_t i = page_at(r, p.granule / GRANULES)->first[p.granule % GRANULES];
		for (; i && r->cells.at[i].offset < p.to; i = r->cells.at[i].next)
			if (r->cells.at[i].offset >= p.from)
				report(r, &r->cells.at[i], p.granule, found);
	}
}

void races_suspect(struct races *r, uint64_t address, uint64_t size)
{
	spread(r, address, address + size, RACY);
}

bool races_access(struct races *r, struct racer who, uint64_t address, uint64_t size, bool write, size_t *fresh)
{
	struct epoch me = { .thread = who.thread & INT32_MAX, .strayed = who.strayed, .time = who.clock[who.thread] };
	struct accessor a = { me, who.clock, who.nclock, write };
	uint64_t end = address + size;
	bool racy = false;
	r->fresh.n = 0;
	r->raced = r->hit_freed = r->unwritten = r->untouched = false;
	struct part p;
	for (uint64_t at = address; at < end; at = part_end(p)) {
		p = part_at(at, end);
		racy |= access_granule(r, p.granule, p.from, p.to, &a);
	}
	if (racy && !write)
		spread(r, address, end, who.strayed ? DOUBTFUL : RACY);
	*fresh = r->fresh.n;
	return racy;
}

static void mark_freed(struct races *r, uint64_t address, uint64_t size, bool freed)
{
	for (uint64_t granule = address / 8; granule * 8 < address + size; granule++) {
		uint32_t i = page_at(r, granule / GRANULES)->first[granule % GRANULES];
		for (; i; i = r->cells.at[i].next) {
			uint64_t at = granule * 8 + r->cells.at[i].offset;
			if (at < address || at + r->cells.at[i].size > address + size)
				continue;
			r->cells.at[i].freed = freed;
			r->cells.at[i].narrowest = GRANULE; /* what comes there has other members */
		}
	}
}

void races_give_back(struct races *r, uint64_t address, uint64_t size)
{
	mark_freed(r, address, size, true);
}

void races_take_again(struct races *r, uint64_t address, uint64_t size)
{
	mark_freed(r, address, size, false);
}
