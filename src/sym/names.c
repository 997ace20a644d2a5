/* Names of memory for explanations: global variables by symbol, local ones by name and line, heap blocks by number. */
#include "sym/engine.h"
#include "sym/sync.h"

#include <stdlib.h>
#include <string.h>

/* Where a block was allocated, by its address: the last time, should it have been freed and taken again. */
struct origin {
	uint64_t start; /* 0: none */
	uint32_t site, thread;
};

static struct {
	struct origin *at;
	size_t n, mask;
} origins;

/* Its entry, or the one for it. */
static struct origin *origin_at(uint64_t start)
{
	size_t i = (size_t)(start * UINT64_C(0x9e3779b97f4a7c15) >> 24) & origins.mask;
	while (origins.at[i].start && origins.at[i].start != start)
		i = (i + 1) & origins.mask;
	return &origins.at[i];
}

static void grow_origins(void)
{
	struct origin *old = origins.at;
	size_t n = old ? origins.mask + 1 : 0;
	origins.mask = n ? 2 * n - 1 : 1023;
	origins.at = xcalloc(origins.mask + 1, sizeof *origins.at);
	for (size_t i = 0; i < n; i++)
		if (old[i].start)
			*origin_at(old[i].start) = old[i];
	free(old);
}

void names_allocated(struct ethread *self, const struct native_call *c)
{
	uint64_t start = c->nout ? c->out[0].v : 0;
	if (!start)
		return;
	if (2 * origins.n >= origins.mask)
		grow_origins();
	struct origin *o = origin_at(start);
	origins.n += !o->start;
	*o = (struct origin){ start, site_describe(self, c->site, c->name), self->number };
}

/* ---- local variables that threads may share ---- */

struct local {
	uint64_t start, size; /* start 0: none */
	const char *name;
	uint64_t since;       /* the later, the more it is what lies there */
};

static struct {
	struct local *at; /* by start, open addressing; sorted by sort_locals */
	size_t n, mask;
	uint64_t clock;
} locals;

static struct local *local_at(uint64_t start)
{
	size_t i = (size_t)(start * UINT64_C(0x9e3779b97f4a7c15) >> 24) & locals.mask;
	while (locals.at[i].start && locals.at[i].start != start)
		i = (i + 1) & locals.mask;
	return &locals.at[i];
}

static void grow_locals(void)
{
	struct local *old = locals.at;
	size_t n = old ? locals.mask + 1 : 0;
	locals.mask = n ? 2 * n - 1 : 255;
	locals.at = xcalloc(locals.mask + 1, sizeof *locals.at);
	for (size_t i = 0; i < n; i++)
		if (old[i].start)
			*local_at(old[i].start) = old[i];
	free(old);
}

void names_local(uint64_t start, uint64_t size, const char *name)
{
	if (2 * locals.n >= locals.mask)
		grow_locals();
	struct local *l = local_at(start);
	locals.n += !l->start;
	*l = (struct local){start, size, name, ++locals.clock};
}

/* Those that are no more may overlap with what lies there now. */
static const struct local *local_around(const struct local *all, size_t n, uint64_t address)
{
	enum { BEFORE = 64 };
	const struct local *best = NULL;
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (all[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t i = low; i-- > 0 && low - i <= BEFORE;)
		if (address - all[i].start < all[i].size && (!best || all[i].since > best->since))
			best = &all[i];
	return best;
}

/* ---- global variables ---- */

struct global {
	uint64_t address;
	uint32_t symbol;
};

static int by_address(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static struct global *sorted_globals(size_t *n)
{
	const struct rt_twin_module *m = engine.config->module;
	struct global *g = xmalloc((m->nsymbols + 1) * sizeof *g);
	*n = 0;
	for (uint32_t i = 0; i < m->nsymbols; i++)
		if (m->symbols[i])
			g[(*n)++] = (struct global){ (uint64_t)(uintptr_t)m->symbols[i], i };
	qsort(g, *n, sizeof *g, by_address);
	return g;
}

/* What variables there are. */
struct names {
	struct global *globals;
	struct local *locals;
	size_t nglobals, nlocals;
};

static struct names find_names(void)
{
	struct names n = {.nlocals = 0};
	n.globals = sorted_globals(&n.nglobals);
	n.locals = xmalloc((locals.n + 1) * sizeof *n.locals);
	for (size_t i = 0; locals.n && i <= locals.mask; i++)
		if (locals.at[i].start)
			n.locals[n.nlocals++] = locals.at[i];
	if (n.nlocals)
		qsort(n.locals, n.nlocals, sizeof *n.locals, by_address);
	return n;
}

static void names_release(struct names *n)
{
	free(n->globals);
	free(n->locals);
}

/* The last symbol at or before the address; NULL when that is too far away to contain it. */
static const struct global *global_around(const struct global *g, size_t n, uint64_t address)
{
	size_t low = 0;
	while (n) {
		size_t half = n / 2;
		if (g[low + half].address <= address) {
			low += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return low && address - g[low - 1].address < 1 << 20 ? &g[low - 1] : NULL;
}

static void with_offset(char *out, size_t size, const char *name, uint64_t offset)
{
	if (offset)
		snprintf(out, size, "%.106s+%llu", name, (unsigned long long)offset);
	else
		snprintf(out, size, "%.127s", name);
}

static void note_block(struct place_name *p, uint64_t start, uint64_t size)
{
	const struct origin *o = origins.n ? origin_at(start) : NULL;
	p->block = start;
	p->block_size = size;
	if (!o || !o->start)
		return;
	p->allocated_at = o->site;
	p->allocated_by = o->thread;
}

static void name_address(struct place_name *p, uint64_t address, const struct names *n)
{
	uint64_t start, size;
	bool freed;
	if (engine.config->heap_block(address, &start, &size, &freed)) {
		char block[48];
		snprintf(block, sizeof block, "%s block %#llx", freed ? "freed" : "heap",
			 (unsigned long long)(start & 0xffffffff));
		with_offset(p->name, sizeof p->name, block, address - start);
		note_block(p, start, size);
		return;
	}
	const struct local *l = local_around(n->locals, n->nlocals, address);
	const struct global *g = l ? NULL : global_around(n->globals, n->nglobals, address);
	if (l)
		with_offset(p->name, sizeof p->name, l->name, address - l->start);
	else if (g)
		with_offset(p->name, sizeof p->name, interp_symbol_name(engine.interp, g->symbol), address - g->address);
	else
		snprintf(p->name, sizeof p->name, "%#llx", (unsigned long long)address);
}

/* Synchronization objects have numbers where memory has addresses; nothing lies at addresses as low as these. */
static void name_objects(struct execution *x, const struct names *n)
{
	struct object *o;
	for (size_t i = 0; (o = object_number(i)); i++) {
		struct place_name *p = vec_push(&x->names);
		*p = (struct place_name){ .address = o->number };
		if (o->place)
			name_address(p, (uint64_t)(uintptr_t)o->place, n);
		else
			snprintf(p->name, sizeof p->name, "#%u", o->number);
	}
}

typedef vec(uint64_t) addresses;

/* Where programs, libraries and stacks are mapped. */
static bool looks_like_address(uint64_t v)
{
	return v >> 44 && !(v >> 47);
}

/* What a reader will ask about a step: its place, and the block or variable that it read or wrote a pointer to. */
static void add_addresses(addresses *all, const struct event *e)
{
	uint64_t pointer, start, size;
	bool freed;
	*vec_push(all) = e->object;
	expr value = e->kind == EVENT_READ ? e->read : e->written;
	if (!value || e->size != sizeof pointer || !expr_is_const(engine.exprs, value, &pointer))
		return;
	if (engine.config->heap_block(pointer, &start, &size, &freed))
		*vec_push(all) = start;
	else if (looks_like_address(pointer))
		*vec_push(all) = pointer;
}

void names_add(struct execution *x)
{
	addresses all = { 0 };
	for (size_t i = 0; i < x->events.n; i++) {
		const struct event *e = &x->events.at[i];
		if (e->kind == EVENT_READ || e->kind == EVENT_WRITE || e->kind == EVENT_UPDATE)
			add_addresses(&all, e);
	}
	for (size_t i = 0; i < x->notes.n; i++)
		add_addresses(&all, &x->notes.at[i]);
	qsort(all.at, all.n, sizeof *all.at, by_address);
	struct names n = find_names();
	name_objects(x, &n);
	for (size_t i = 0; i < all.n; i++) {
		if (i && all.at[i] == all.at[i - 1])
			continue;
		struct place_name *p = vec_push(&x->names);
		*p = (struct place_name){ .address = all.at[i] };
		name_address(p, p->address, &n);
	}
	names_release(&n);
	vec_free(&all);
}
