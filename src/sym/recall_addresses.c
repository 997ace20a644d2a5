/* What addresses of the recorded run are here: see recall.h. */
#include "sym/recall.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

enum { LAST_SYMBOL = 1 << 16 /* bytes that the last symbol may have */ };

/* Linux maps nothing below that where nobody says so: libraries, stacks and images that can be anywhere are above. */
#define LOWEST_MAPPING (1ull << 45)

static struct {
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

/* The first object is the program. */
static int image_bounds(struct dl_phdr_info *in, size_t size, void *to)
{
	uint64_t *bounds = to;
	(void)size;
	for (int i = 0; i < in->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &in->dlpi_phdr[i];
		uint64_t start = in->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_LOAD && (!bounds[1] || start < bounds[0]))
			bounds[0] = start;
		if (p->p_type == PT_LOAD && start + p->p_memsz > bounds[1])
			bounds[1] = start + p->p_memsz;
	}
	return 1;
}

bool recall_in_program(uint64_t own)
{
	static uint64_t bounds[2];
	if (!bounds[1])
		dl_iterate_phdr(image_bounds, bounds);
	return own - bounds[0] < bounds[1] - bounds[0];
}

bool recall_is_declared(uint64_t own)
{
	const struct rt_twin_module *m = engine.config->module;
	for (size_t i = 0; i < m->nsymbols; i++)
		if ((uint64_t)(uintptr_t)m->symbols[i] == own)
			return i >= known.nplaces || !known.places[i];
	return false;
}

size_t recall_candidates(uint32_t recorded, uint64_t own[CANDIDATES])
{
	size_t n = blocks_at(recorded, own, CANDIDATES);
	return n + of_symbol(recorded, own + n, CANDIDATES - n);
}

void recall_share_blocks(const uint64_t *own, size_t n)
{
	for (size_t i = 0; i < n; i++)
		mirror_share(own[i]);
}

static size_t learnt_slot(uint32_t recorded)
{
	size_t i = recorded * 0x9e3779b9u & (known.learnt_slots - 1);
	while (known.learnt[i].own && known.learnt[i].recorded != recorded)
		i = (i + 1) & (known.learnt_slots - 1);
	return i;
}

void recall_learn(uint32_t recorded, uint64_t own)
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

uint64_t recall_learnt(uint32_t recorded)
{
	return known.learnt_slots ? known.learnt[learnt_slot(recorded)].own : 0;
}

bool recall_looks_small(uint32_t recorded)
{
	return recorded < SMALL || recorded >= -(uint32_t)SMALL;
}

/* Memory that begins, but for a little, at a multiple of 4 GiB: the heaps that the C library makes for threads do at times. */
void recall_note_low(uint32_t recorded, uint64_t size)
{
	if (!recall_looks_small(recorded) && !recall_looks_small((uint32_t)(recorded + size)) && recorded + size <= UINT32_MAX)
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

bool recall_is_small(uint32_t recorded)
{
	return recall_looks_small(recorded) && (!recorded || !is_low(recorded));
}

/* Is it a number, or an address that can be told? */
bool recall_knows(uint32_t recorded)
{
	uint64_t own[CANDIDATES];
	return recall_is_small(recorded) || recall_candidates(recorded, own) || recall_learnt(recorded);
}

bool recall_may_be_address(uint64_t recorded)
{
	uint64_t image = known.nby_place ? known.places[known.by_place[0]] : 0;
	if (recorded < SMALL || recorded >= 1ull << 47)
		return false;
	/* Of a program at a fixed place, the image and the heap behind it are below the rest. */
	return recorded >= LOWEST_MAPPING || (image < LOWEST_MAPPING && recorded >= image);
}

static bool is_known_address(uint64_t recorded)
{
	uint64_t own[CANDIDATES];
	return recall_candidates((uint32_t)recorded, own) || recall_learnt((uint32_t)recorded);
}

enum tag recall_address_in(uint64_t recorded, uint64_t *address)
{
	uint64_t above = recorded & ADDRESS_BITS, below = recorded >> TAG_BITS;
	bool may_above = recall_may_be_address(above), may_below = below >= LOWEST_MAPPING && recall_may_be_address(below);
	/* Both look like one: what lay there tells. */
	if (may_above && may_below && above != recorded && !is_known_address(above) && is_known_address(below))
		may_above = false;
	*address = may_above ? above : below;
	return may_above ? TAG_ABOVE : may_below ? TAG_BELOW : TAG_NO_ADDRESS;
}

uint64_t recall_place(uint64_t own)
{
	uint32_t recorded;
	/* No address has the uppermost bit set. */
	return block_recorded(own, &recorded) ? 1ull << 63 | recorded : own;
}

void recall_check_place(uint64_t place)
{
	Dl_info in;
	if (!(place >> 63) && !dladdr((const void *)(uintptr_t)place, &in))
		known.unplaced++;
}

size_t recall_unplaced(void)
{
	return known.unplaced;
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
