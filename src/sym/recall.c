/*
 * Recorded values (include/rethread/instrument.h): what reads that decide addresses really read. The log has numbers, and the
 * low 32 bits of addresses, in the recorded run's terms: an address there is another one here. Allocations and shared local variables
 * are in the log too, so blocks are known by both addresses (blocks.c); variables and functions by the program's
 * table; other addresses (of libraries) are learnt from reads that do not race.
 *
 * Where one recorded address can stand for several blocks, what is read is one of them, and which one is a guess like
 * others.
 */
#include "sym/engine.h"

#include "sym/code.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { LAST_SYMBOL = 1 << 16, SMALL = 4096, CANDIDATES = 4 };

/* Linux maps nothing below that where nobody says so: libraries, stacks and images that can be anywhere are above. */
#define LOWEST_MAPPING (1ull << 45)

static struct {
	vec(struct answer {
		uint32_t recorded;
		size_t candidates;
	}) doubtful; /* addresses that were taken to be one of so many; looked at again at the end */
	struct {
		uint32_t recorded;
		uint64_t own;
	} *learnt; /* open addressing; own 0: free */
	size_t nlearnt, learnt_slots;
	size_t unplaced;   /* synchronization objects that may have shared their place with others */
	uint64_t *places;  /* of symbols in the recorded run, by number */
	uint32_t *by_place; /* symbols that have one, by place */
	size_t nplaces, nby_place;
	vec(struct low_block {
		uint32_t recorded;
		uint64_t size;
	}) low; /* blocks some of whose addresses look like small numbers; those of earlier runs first */
	size_t nlow_loaded;
} known;

/* ---- symbols ---- */

static int by_place(const void *a, const void *b)
{
	uint64_t x = known.places[*(const uint32_t *)a], y = known.places[*(const uint32_t *)b];
	return x < y ? -1 : x > y;
}

static char *low_file(void)
{
	return xasprintf("%s/low", engine.config->state);
}

void recall_load(void)
{
	char *data, *path = xasprintf("%s/places", engine.config->state);
	size_t size;
	if (read_file(path, &data, &size, NULL)) {
		known.places = (uint64_t *)data;
		known.nplaces = size / sizeof *known.places;
		known.by_place = xcalloc(known.nplaces + 1, sizeof *known.by_place);
		for (uint32_t i = 0; i < known.nplaces && i < engine.config->module->nsymbols; i++)
			if (known.places[i] && engine.config->module->symbols[i])
				known.by_place[known.nby_place++] = i;
		qsort(known.by_place, known.nby_place, sizeof *known.by_place, by_place);
	}
	free(path);
	path = low_file();
	if (read_file(path, &data, &size, NULL)) {
		known.low.at = (struct low_block *)data;
		known.nlow_loaded = known.low.n = known.low.cap = size / sizeof *known.low.at;
	}
	free(path);
}

static uint64_t in_symbol(size_t i, uint64_t at)
{
	uint32_t symbol = known.by_place[i];
	return (uint64_t)(uintptr_t)engine.config->module->symbols[symbol] + (at - known.places[symbol]);
}

/*
 * In the symbol at or before the address, and as the end of the one before where that is another place here. The program's
 * image is much smaller than 4 GiB.
 */
static size_t of_symbol(uint32_t recorded, uint64_t *own, size_t most)
{
	if (!known.nby_place || !most)
		return 0;
	uint64_t first = known.places[known.by_place[0]], last = known.places[known.by_place[known.nby_place - 1]];
	uint64_t at = first + (uint32_t)(recorded - (uint32_t)first);
	if (at > last + LAST_SYMBOL)
		return 0;
	size_t low = 0, high = known.nby_place;
	while (high - low > 1) {
		size_t mid = (low + high) / 2;
		if (known.places[known.by_place[mid]] <= at)
			low = mid;
		else
			high = mid;
	}
	size_t n = 0;
	own[n++] = in_symbol(low, at);
	if (low && at == known.places[known.by_place[low]] && in_symbol(low - 1, at) != own[0] && most > 1)
		own[n++] = in_symbol(low - 1, at);
	return n;
}

/* What the address may be here; as many as CANDIDATES: or something else. */
static size_t candidates(uint32_t recorded, uint64_t own[CANDIDATES])
{
	size_t n = blocks_at(recorded, own, CANDIDATES);
	return n + of_symbol(recorded, own + n, CANDIDATES - n);
}

/* Blocks that one recorded address stands for: in the next run they are one. */
static void share(const uint64_t *own, size_t n)
{
	for (size_t i = 0; i < n; i++)
		mirror_share(own[i]);
}

/* ---- other addresses ---- */

static size_t learnt_slot(uint32_t recorded)
{
	size_t i = recorded * 0x9e3779b9u & (known.learnt_slots - 1);
	while (known.learnt[i].own && known.learnt[i].recorded != recorded)
		i = (i + 1) & (known.learnt_slots - 1);
	return i;
}

static void learn(uint32_t recorded, uint64_t own)
{
	if (2 * (known.nlearnt + 1) > known.learnt_slots) {
		size_t n = known.learnt_slots;
		void *old = known.learnt;
		typeof(known.learnt) from = old;
		known.learnt_slots = n ? 2 * n : 1024;
		known.learnt = xcalloc(known.learnt_slots, sizeof *known.learnt);
		for (size_t i = 0; i < n; i++)
			if (from[i].own)
				known.learnt[learnt_slot(from[i].recorded)] = from[i];
		free(old);
	}
	size_t i = learnt_slot(recorded);
	known.nlearnt += !known.learnt[i].own;
	known.learnt[i].recorded = recorded;
	known.learnt[i].own = own;
}

static uint64_t learnt(uint32_t recorded)
{
	return known.learnt_slots ? known.learnt[learnt_slot(recorded)].own : 0;
}

/* ---- what a read read ---- */

static bool looks_small(uint32_t recorded)
{
	return recorded < SMALL || recorded >= -(uint32_t)SMALL;
}

/* Memory that begins, but for a little, at a multiple of 4 GiB: the heaps that the C library makes for threads do at times. */
static void note_low(uint32_t recorded, uint64_t size)
{
	if (!looks_small(recorded) && !looks_small((uint32_t)(recorded + size)) && recorded + size <= UINT32_MAX)
		return;
	for (size_t i = 0; i < known.low.n; i++)
		if (known.low.at[i].recorded == recorded && known.low.at[i].size == size)
			return;
	*vec_push(&known.low) = (struct low_block){ recorded, size };
}

/* In such a block, or its end, where containers and loops stop. */
static bool is_low(uint32_t recorded)
{
	for (size_t i = 0; i < known.low.n; i++)
		if ((uint32_t)(recorded - known.low.at[i].recorded) <= known.low.at[i].size)
			return true;
	return false;
}

/* A number, by all that is known; NULL is one. */
static bool is_small(uint32_t recorded)
{
	return looks_small(recorded) && (!recorded || !is_low(recorded));
}

static bool is_address_size(unsigned size)
{
	return size == 8;
}

/* Is it a number, or an address that can be told? */
bool recall_knows(uint32_t recorded)
{
	uint64_t own[CANDIDATES];
	return is_small(recorded) || candidates(recorded, own) || learnt(recorded);
}

/* May a number of 64 bits have been an address of the recorded run? */
static bool may_be_address(uint64_t recorded)
{
	uint64_t image = known.nby_place ? known.places[known.by_place[0]] : 0;
	if (recorded < SMALL || recorded >= 1ull << 47)
		return false;
	/* Of a program at a fixed place, the image and the heap behind it are below the rest. */
	return recorded >= LOWEST_MAPPING || (image < LOWEST_MAPPING && recorded >= image);
}

/* A counter or a mark may be in the bits of a word that an address has no use for: above it, or below it. */
enum tag { TAG_NO_ADDRESS, TAG_ABOVE, TAG_BELOW };
enum { TAG_BITS = 16 };
#define ADDRESS_BITS ((1ull << 48) - 1)

static bool is_known_address(uint64_t recorded)
{
	uint64_t own[CANDIDATES];
	return candidates((uint32_t)recorded, own) || learnt((uint32_t)recorded);
}

static enum tag address_in(uint64_t recorded, uint64_t *address)
{
	uint64_t above = recorded & ADDRESS_BITS, below = recorded >> TAG_BITS;
	bool may_above = may_be_address(above), may_below = below >= LOWEST_MAPPING && may_be_address(below);
	/* Both look like one: what lay there tells. */
	if (may_above && may_below && above != recorded && !is_known_address(above) && is_known_address(below))
		may_above = false;
	*address = may_above ? above : below;
	return may_above ? TAG_ABOVE : may_below ? TAG_BELOW : TAG_NO_ADDRESS;
}

/* Can memory hold what the read found? Yes when nothing is known of the address it holds. */
static bool is_plausible(uint64_t in_memory, uint32_t recorded)
{
	uint32_t other;
	/* Libraries allocate as well, exceptions for one. */
	return (uint32_t)in_memory == recorded || (in_memory >= SMALL && !block_recorded(in_memory, &other));
}

static bool next(const struct ethread *self, uint32_t *value)
{
	if (!self->log || self->next_value >= self->log->nvalues)
		return false;
	*value = self->log->values[self->next_value];
	return true;
}

/* The value of the read at hand: two words of a wide one. */
static bool next_read(struct ethread *self, uint64_t *value)
{
	uint32_t word;
	if (!next(self, &word))
		return false;
	*value = word;
	if (self->recall_wide) {
		if (self->next_value + 1 >= self->log->nvalues)
			return false;
		*value |= (uint64_t)self->log->values[self->next_value + 1] << 32;
	}
	return true;
}

uint32_t recall_next(const struct ethread *self)
{
	uint32_t value;
	return next(self, &value) ? value : 0;
}

void host_recall(struct ithread *t, unsigned flags)
{
	struct ethread *self = ithread_data(t);
	if ((flags & RECALL_UNORDERED) && engine.lock_order)
		return;
	self->recall = true;
	self->recall_wide = flags & RECALL_WIDE;
	self->recall_float = flags & RECALL_FLOAT;
}

/* The value that the read at hand finds, where the log leaves no doubt of it. */
static bool foretold(const struct ethread *self, uint64_t recorded, unsigned size, uint64_t *value)
{
	uint64_t own[CANDIDATES], address = recorded;
	*value = is_address_size(size) ? recorded : recorded & ((1ull << size * 8) - 1);
	if (self->recall_float || !is_address_size(size))
		return true;
	if (self->recall_wide && address_in(recorded, &address) == TAG_NO_ADDRESS)
		return true;
	if (!self->recall_wide && is_small((uint32_t)recorded)) {
		*value = (uint64_t)(int64_t)(int32_t)recorded;
		return true;
	}
	if (address != recorded || candidates((uint32_t)recorded, own) != 1)
		return false;
	*value = own[0];
	return true;
}

/* Whoever allocates the block has not come there yet? */
static void await_block(struct ethread *self, uint64_t recorded, uint64_t address, unsigned size)
{
	uint64_t in_memory = 0;
	enum tag tag = self->recall_wide ? address_in(recorded, &recorded) : TAG_ABOVE;
	if (self->recall_float || tag == TAG_NO_ADDRESS || recall_knows((uint32_t)recorded))
		return;
	memcpy(&in_memory, (const void *)(uintptr_t)address, size);
	in_memory = tag == TAG_BELOW ? in_memory >> TAG_BITS : in_memory & ADDRESS_BITS;
	/* What the thread wrote itself was no other's, and library code may have allocated it, which is not in the log. */
	if (is_plausible(in_memory, (uint32_t)recorded) || races_is_own(engine.races, self->number, address))
		return;
	self->published = false;
	self->wait = WAIT_BLOCK;
	self->wait_order = (uint32_t)recorded;
	baton_wait(self);
}

void recall_await(struct ethread *self, uint64_t address, unsigned size)
{
	uint64_t recorded, value;
	self->recall_address = address;
	if (!self->recall || !next_read(self, &recorded))
		return;
	if (is_address_size(size))
		await_block(self, recorded, address, size);
	if (foretold(self, recorded, size, &value))
		await_value(self, address, size, value);
}

void host_allocated(struct ithread *t, uint64_t own, uint64_t size)
{
	struct ethread *self = ithread_data(t);
	uint32_t recorded;
	uint64_t start, all;
	bool freed;
	if (!next(self, &recorded))
		return;
	self->next_value++;
	if (size && own < -(uint64_t)SMALL) {
		note_low(recorded, size);
		block_at_place(recorded, own, size);
	} else if (!size && own && recorded && engine.config->heap_block(own, &start, &all, &freed)) {
		note_low(recorded, start + all - own);
		block_on_heap(recorded, own, start + all - own);
	}
}

uint64_t recall_place(uint64_t own)
{
	uint32_t recorded;
	/* No address has the uppermost bit set. */
	return block_recorded(own, &recorded) ? 1ull << 63 | recorded : own;
}

/* Is that where the address of the recorded run lies here, in one of perhaps many blocks, or at the end of one? */
static bool stands_for(uint64_t own, uint32_t recorded)
{
	uint32_t other;
	return (block_recorded(own, &other) && other == recorded) || (block_recorded(own - 1, &other) && other + 1 == recorded);
}

/* One of n values, or of more: which, is a guess. */
static void among(struct ethread *self, struct slot *s, uint32_t recorded, const uint64_t *own, size_t n)
{
	share(own, n);
	expr any = expr_const(engine.exprs, 1, n == CANDIDATES);
	for (size_t i = 0; i < n; i++)
		any = expr_binary(engine.exprs, EXPR_OR, any, expr_equals(engine.exprs, s->e, own[i]));
	condition_add(self, any, 1, CONDITION_PATH);
	for (size_t i = 0; i < n; i++)
		if (own[i] == s->v)
			return;
	if (n == CANDIDATES && stands_for(s->v, recorded))
		return;
	s->v = own[0];
	guess_was(s->e, s->v);
}

static void not_null(struct ethread *self, const struct slot *s)
{
	condition_add(self, expr_equals(engine.exprs, s->e, 0), 0, CONDITION_PATH);
}

/* Under that condition the value is known. */
static void known_when(struct ethread *self, struct slot *s, expr condition, uint64_t value)
{
	condition_add(self, condition, 1, CONDITION_PATH);
	s->v = value;
	guess_was(s->e, value);
	s->e = EXPR_NONE;
}

static void exactly(struct ethread *self, struct slot *s, uint64_t value)
{
	known_when(self, s, expr_equals(engine.exprs, s->e, value), value);
}

/* Here, of what was an address there: what it may be, or as it was. */
static uint64_t translated(uint64_t recorded)
{
	uint64_t own[CANDIDATES];
	size_t n = candidates((uint32_t)recorded, own);
	if (n > 1)
		share(own, n);
	if (n)
		return own[0];
	return learnt((uint32_t)recorded) ? learnt((uint32_t)recorded) : recorded;
}

/* A number of 64 bits, or an address in the place of one, which is another one here: what that is, is a guess. */
static void wide(struct ethread *self, struct slot *s, uint64_t recorded)
{
	uint64_t address;
	enum tag tag = address_in(recorded, &address);
	if (tag == TAG_NO_ADDRESS) {
		exactly(self, s, recorded);
		return;
	}
	if (tag == TAG_ABOVE && (uint32_t)s->v == (uint32_t)recorded)
		return;
	address = translated(address);
	s->v = tag == TAG_ABOVE ? address | (recorded & ~ADDRESS_BITS)
				: address << TAG_BITS | (recorded & ((1ull << TAG_BITS) - 1));
	guess_was(s->e, s->v);
}

/* An address, by its type, whose lower half was recorded. */
static void address(struct ethread *self, struct slot *s, uint32_t recorded)
{
	uint64_t own[CANDIDATES];
	size_t n = is_small(recorded) ? 0 : candidates(recorded, own);
	if (recorded && (n || looks_small(recorded)))
		*vec_push(&known.doubtful) = (struct answer){ recorded, n };
	if (n > 1) {
		among(self, s, recorded, own, n);
	} else if (n == 1) {
		exactly(self, s, own[0]);
	} else if (is_small(recorded)) {
		exactly(self, s, (uint64_t)(int64_t)(int32_t)recorded);
	} else {
		not_null(self, s);
		if (learnt(recorded))
			s->v = learnt(recorded);
		else if (s->v >> 32 == 0)
			s->v = recorded;
		guess_was(s->e, s->v);
	}
}

/* The last recorded value of the thread that failed at an address? */
static bool precedes_fault(const struct ethread *self)
{
	const struct rt_failure *f = &engine.trace->failure;
	return f->kind == RT_FAIL_SIGNAL && f->address >= RT_PAGE && self->log->info.number == f->thread &&
	       self->next_value == self->log->nvalues;
}

/* And was used as that address? */
static bool may_be_fault(const struct ethread *self, uint32_t recorded)
{
	return precedes_fault(self) && engine_log_used_up(self) && !recall_knows(recorded);
}

static expr either(expr a, expr b)
{
	return expr_binary(engine.exprs, EXPR_OR, a, b);
}

/* What the allocator leaves in a block that was given back, should the read be of one: it is another value here. */
static expr is_left_by_free(const struct ethread *self, expr e)
{
	uint64_t start, size;
	bool freed;
	expr mark = expr_equals(engine.exprs, e, engine.freed_mark);
	if (!engine.config->heap_block(self->recall_address, &start, &size, &freed))
		return mark;
	return either(mark, expr_equals(engine.exprs, e, RT_FREED_LINK(start)));
}

/*
 * An address that leads nowhere, made of something else: no address of a block, so it is the same here, or the
 * allocator's. False: that is not what failed.
 */
static bool is_fault(struct ethread *self, struct slot *s, uint32_t recorded)
{
	enum { NEAR = 1 << 20, CANONICAL = 47, REST = 64 - CANONICAL };
	const struct rt_failure *f = &engine.trace->failure;
	uint64_t value = f->address >> 32 << 32 | recorded;
	if (!may_be_fault(self, recorded) || (f->address != RT_NO_ADDRESS && f->address - value >= NEAR))
		return false;
	expr data = expr_equals(engine.exprs, s->e, value);
	if (f->address == RT_NO_ADDRESS) {
		expr upper = expr_extract(engine.exprs, s->e, CANONICAL, REST);
		expr canonical = either(expr_equals(engine.exprs, upper, 0), expr_equals(engine.exprs, upper, (1ull << REST) - 1));
		value = 1ull << 62 | recorded;
		data = expr_binary(engine.exprs, EXPR_AND, expr_equals(engine.exprs, canonical, 0),
				   expr_equals(engine.exprs, expr_extract(engine.exprs, s->e, 0, 32), recorded));
	}
	known_when(self, s, either(data, is_left_by_free(self, s->e)), value);
	return true;
}

/*
 * A number, which is the same here; or, where it led to the fault, a part of what the allocator left in a block, as the size
 * of an array that was given back: it leads nowhere either.
 */
static void number(struct ethread *self, struct slot *s, uint64_t recorded, unsigned size)
{
	uint64_t start, length, left;
	bool freed;
	expr is_same = expr_equals(engine.exprs, s->e, recorded);
	if (precedes_fault(self) && engine.config->heap_block(self->recall_address, &start, &length, &freed) &&
	    native_left_by_free(start, self->recall_address, size, &left))
		is_same = either(is_same, expr_equals(engine.exprs, s->e, left));
	known_when(self, s, is_same, recorded);
}

void recall_value(struct ethread *self, struct slot *s, unsigned size)
{
	uint64_t recorded, own[CANDIDATES];
	if (!self->recall)
		return;
	self->recall = false;
	bool there = next_read(self, &recorded);
	self->next_value += self->recall_wide ? 2 : 1;
	if (!there)
		return;
	if (!s->e) {
		/* What is not racy is known; it tells where other things lie. */
		bool number = self->recall_wide ? !may_be_address(recorded) : is_small((uint32_t)recorded);
		if (is_address_size(size) && !number && s->v >= SMALL && !candidates((uint32_t)recorded, own))
			learn((uint32_t)recorded, s->v);
	} else if (self->recall_float) {
		known_when(self, s, expr_float_is(engine.exprs, s->e, recorded), recorded);
	} else if (!is_address_size(size)) {
		number(self, s, recorded & ((1ull << size * 8) - 1), size);
	} else if (is_fault(self, s, (uint32_t)recorded)) {
		return;
	} else if (self->recall_wide) {
		wide(self, s, recorded);
	} else {
		address(self, s, (uint32_t)recorded);
	}
}

void recall_check_place(uint64_t place)
{
	Dl_info in;
	if (!(place >> 63) && !dladdr((const void *)(uintptr_t)place, &in))
		known.unplaced++;
}

void recall_share(void)
{
	uint64_t own[CANDIDATES];
	for (size_t i = 0; i < known.doubtful.n; i++) {
		size_t n = candidates(known.doubtful.at[i].recorded, own);
		if (n != known.doubtful.at[i].candidates)
			share(own, n);
	}
}

size_t recall_doubtful(void)
{
	size_t n = known.unplaced;
	uint64_t own[CANDIDATES];
	for (size_t i = 0; i < known.doubtful.n; i++)
		n += candidates(known.doubtful.at[i].recorded, own) != known.doubtful.at[i].candidates;
	return n;
}

size_t recall_finish(void)
{
	struct error err;
	char *path = low_file();
	if (known.low.n && !write_file(path, known.low.at, known.low.n * sizeof *known.low.at, &err))
		engine_fatal("%s", err.text);
	free(path);
	return known.low.n - known.nlow_loaded;
}
