/*
 * Memory that was used after it was given back. Blocks of the heap lie apart here (src/replay/heap.c), so nothing tells what
 * a stale pointer leads to once the recorded run had given the memory to somebody else. Where the log has the addresses
 * of allocations (recall.c), it does: a run of the executor that sees a block used after it was freed, or used without being
 * ordered with that, notes where the block lay in the recorded run, and in the next run all blocks that
 * lay there, or on part of it, share their memory again, at RT_MIRROR plus the recorded address.
 *
 * Two things are known of blocks that share memory: the earlier one was freed before the later one was allocated, which is an order
 * like that of locks; and what is in a new block is what was left there, but for the allocator's own words. Which of
 * two came first is known where the allocation of one is ordered before that of the other; else the executor's order is
 * taken, until that turns out to be wrong (turns.c), and nothing is proven by it. Nor is anything while an allocator has words of its own in the program's memory, so that a
 * run in which memory is shared never proves that there is no interleaving.
 */
#include "sym/engine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNIT = 16, PAGE_UNITS = 4096, PAGES = 1 << 16, MOST_UNWRITTEN = 1 << 16 };
/* Blocks that are larger share nothing: the C library maps them one by one. Much larger ones are asked for where sizes were guessed wrong. */
enum { LARGEST = 1 << 28 };

/* A block: from its allocation until it is freed, and what came of that. */
struct life {
	uint64_t start, size;
	struct allocation name;
	struct ethread *freed_by; /* NULL: it lives, or was freed unseen, by a library */
	struct ethread *also;     /* another who freed it; one of the two freed the block before or the next, who knows */
	uint64_t sap;
	uint32_t site;
	struct vclock clock;      /* of freed_by, then */
	struct event_ref freed;
	bool is_event;
};

/* UNIT bytes of recorded memory. */
struct unit {
	uint32_t life; /* the last one there, plus 1; 0: none */
	bool known;    /* blocks share it: an earlier run saw it used after it was freed */
	bool noted;    /* ... or this one did */
};

static struct {
	vec(struct range) shared; /* recorded addresses whose blocks share memory, from earlier runs */
	size_t nloaded;           /* of these; the others are for the next run */
	bool all;                 /* every block has its place: the program computes with addresses */
	bool twice;               /* an earlier run saw a block that two threads gave back */
	bool turned;              /* ... in an order that begins at `lowest` */
	uint32_t lowest;
	vec(struct life) lives;
	struct unit *pages[PAGES]; /* by unit of the recorded address */
	size_t doubts;            /* blocks that should have had a place and have none */
	vec(uint64_t) unwritten;  /* addresses that were read although nobody had written there */
	vec(uint64_t) filled;     /* blocks that were allocated with something in them (calloc, strdup), by address */
} mirror;

static struct unit *unit_at(uint64_t recorded)
{
	uint64_t unit = recorded % (1ull << 32) / UNIT;
	struct unit **page = &mirror.pages[unit / PAGE_UNITS];
	if (!*page)
		*page = xcalloc(PAGE_UNITS, sizeof **page);
	return &(*page)[unit % PAGE_UNITS];
}

/* ---- which blocks ---- */

static char *state_file(void)
{
	return xasprintf("%s/reused", engine.config->state);
}

void mirror_load(void)
{
	char *data, *path = state_file();
	size_t size;
	if (read_file(path, &data, &size, NULL)) {
		for (size_t i = 0; i + sizeof(struct range) <= size; i += sizeof(struct range))
			memcpy(vec_push(&mirror.shared), data + i, sizeof(struct range));
		free(data);
	}
	mirror.nloaded = mirror.shared.n;
	for (size_t i = 0; i < mirror.shared.n; i++)
		for (uint64_t at = 0; at < mirror.shared.at[i].size; at += UNIT)
			unit_at(mirror.shared.at[i].address + at)->known = true;
	free(path);
	path = xasprintf("%s/placed", engine.config->state);
	mirror.all = !access(path, F_OK);
	free(path);
	path = xasprintf("%s/twice", engine.config->state);
	mirror.twice = !access(path, F_OK);
	free(path);
}

size_t mirror_doubtful(void)
{
	return mirror.doubts + (mirror.shared.n || mirror.all);
}

bool mirror_has(uint64_t own)
{
	return own - RT_MIRROR < RT_MIRROR_SIZE;
}

uint64_t mirror_end(uint64_t start, uint64_t size)
{
	enum { HEAD = 8, LEAST = 24 };
	uint64_t room = (size + HEAD + UNIT - 1) / UNIT * UNIT - HEAD;
	return start + (!mirror_has(start) ? size : room < LEAST ? LEAST : room);
}

void mirror_share(uint64_t own)
{
	uint64_t start, size;
	uint32_t recorded;
	bool freed;
	if (mirror_has(own) || !engine.config->heap_block(own, &start, &size, &freed))
		return;
	if (!block_recorded(start, &recorded) || size > LARGEST) {
		mirror.doubts++;
		return;
	}
	struct unit *u = unit_at(recorded + (own - start));
	if (u->known || u->noted)
		return;
	*vec_push(&mirror.shared) = (struct range){ recorded, size };
	for (uint64_t at = 0; at < size; at += UNIT)
		unit_at(recorded + at)->noted = true;
}

void mirror_unwritten(uint64_t own)
{
	if (!mirror_has(own) && mirror.unwritten.n < MOST_UNWRITTEN &&
	    (!mirror.unwritten.n || mirror.unwritten.at[mirror.unwritten.n - 1] != own))
		*vec_push(&mirror.unwritten) = own;
}

void mirror_filled(uint64_t start)
{
	/* Memory is handed out upwards, so that they come in order. */
	if (!mirror.filled.n || mirror.filled.at[mirror.filled.n - 1] < start)
		*vec_push(&mirror.filled) = start;
}

static bool is_filled(uint64_t start)
{
	size_t low = 0, high = mirror.filled.n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (mirror.filled.at[mid] < start)
			low = mid + 1;
		else
			high = mid;
	}
	return low < mirror.filled.n && mirror.filled.at[low] == start;
}

/* Fresh memory is zero; what lay there before is left in memory that is used again. */
static void share_unwritten(void)
{
	for (size_t i = 0; i < mirror.unwritten.n; i++) {
		uint64_t own = mirror.unwritten.at[i], start, size, others[2];
		uint32_t recorded;
		bool freed;
		if (engine.config->heap_block(own, &start, &size, &freed) && !is_filled(start) &&
		    block_recorded(own, &recorded) && blocks_at(recorded, others, 2) > 1)
			mirror_share(own);
	}
}

/* Was a block given back by two threads, which is known from now on? */
static bool learn_twice(void)
{
	bool twice = false;
	struct error err;
	for (size_t i = 0; i < mirror.lives.n && !twice && !mirror.twice; i++)
		twice = mirror.lives.at[i].also != NULL;
	char *path = xasprintf("%s/twice", engine.config->state);
	if (twice && !write_file(path, "", 0, &err))
		engine_fatal("%s", err.text);
	free(path);
	return twice;
}

size_t mirror_finish(void)
{
	share_unwritten();
	char *path = state_file();
	struct error err;
	if (mirror.shared.n && !write_file(path, mirror.shared.at, mirror.shared.n * sizeof *mirror.shared.at, &err))
		engine_fatal("%s", err.text);
	free(path);
	return mirror.shared.n - mirror.nloaded + learn_twice();
}

/* Does the block lie on memory that blocks share? Pages on which there is none are passed at once. */
static bool is_shared(uint64_t recorded, uint64_t size)
{
	enum { PAGE_BYTES = PAGE_UNITS * UNIT };
	if (mirror.all)
		return true;
	for (uint64_t at = recorded; at < recorded + size;) {
		if (!mirror.pages[at % (1ull << 32) / PAGE_BYTES]) {
			at = (at / PAGE_BYTES + 1) * PAGE_BYTES;
			continue;
		}
		if (unit_at(at)->known)
			return true;
		at += UNIT;
	}
	return false;
}

/* ---- what lies there ---- */

static uint32_t *life_of(uint64_t own)
{
	return &unit_at(own - RT_MIRROR)->life;
}

/* Has the block not been freed? A library may have done it. */
static bool lives(const struct life *l)
{
	uint64_t start, size;
	bool freed;
	if (l->freed_by)
		return false;
	return !engine.config->heap_block(l->start, &start, &size, &freed) || start != l->start || !freed;
}

/* A block that has the memory, or part of it; NULL: it is free. */
static const struct life *taken_by(uint64_t start, uint64_t size)
{
	for (uint64_t at = start; at < start + size || at == start; at += UNIT) {
		uint32_t i = *life_of(at);
		if (i && lives(&mirror.lives.at[i - 1]))
			return &mirror.lives.at[i - 1];
	}
	return NULL;
}

bool mirror_can_go(const struct ethread *t)
{
	return (turns_have_come(t) && !taken_by(t->wait_order, t->wait_size)) || await_is_over(t);
}

/* What was at the place was freed before the allocation at hand. */
static void order_after(struct ethread *self, struct life *l, bool *is_event)
{
	if (l->also) {
		mirror.doubts++;
		return;
	}
	if (!l->freed_by || l->freed_by == self)
		return;
	if (!l->is_event) {
		l->freed = event_add_late(l->freed_by, EVENT_CALL, 0, l->sap, l->site);
		l->is_event = true;
	}
	if (!*is_event)
		event_add(self, EVENT_CALL, 0, place_describe(self, self->native ? self->native : "allocation"));
	*is_event = true;
	order_add(l->freed, event_last(self));
	vclock_join(&self->clock, &l->clock);
}

static void begin_life(struct ethread *self, uint64_t start, uint64_t size)
{
	bool is_event = false;
	size_t doubts = mirror.doubts;
	uint32_t last = 0;
	*vec_push(&mirror.lives) = (struct life){ .start = start, .size = size, .name = turns_name(self) };
	for (uint64_t at = start; at < start + size || at == start; at += UNIT) {
		uint32_t *i = life_of(at);
		if (*i && *i != last)
			order_after(self, &mirror.lives.at[*i - 1], &is_event);
		last = *i;
		*i = (uint32_t)mirror.lives.n;
	}
	notes_block(self, place_describe(self, self->native ? self->native : "allocation"), start, size, mirror.doubts == doubts ? NOTE_ALLOCATED : NOTE_DOUBTFUL);
	races_take_again(engine.races, start, size < RT_FREED_SIZE ? RT_FREED_SIZE : size);
	*vec_push(&engine.results) = (struct forced_result){
		.thread = self->number, .sap = self->saps, .kind = FORCED_PLACE, .when = start - RT_MIRROR };
}

/* ---- allocation ---- */

void host_allocates(struct ithread *t)
{
	struct ethread *self = ithread_data(t);
	self->place = recall_next(self);
	self->allocates = true;
	self->placed = 0;
}

void mirror_lacks_room(struct ethread *self, struct native_call *c)
{
	const uint64_t too_much = UINT64_MAX / 2, least = 1ull << 32;
	bool failed = self->allocates && !self->place && self->log && self->next_value < self->log->values.n;
	if (!failed || !c->name || strcmp(c->name, "malloc") || !c->in[0].e)
		return;
	condition_add(self, expr_binary(engine.exprs, EXPR_ULT, expr_const(engine.exprs, 64, least), c->in[0].e), 1, CONDITION_RECORDED);
	c->in[0] = (struct slot){ too_much, EXPR_NONE };
}

/* What is in the block's memory: zeroes where none was before. */
static void keep_before(struct ethread *self, uint64_t start, uint64_t size)
{
	self->before = xrealloc(self->before, size + 1);
	memset(self->before, 0, size);
	for (uint64_t at = 0; at < size; at += UNIT)
		if (*life_of(start + at))
			memcpy(self->before + at, (const void *)(uintptr_t)(start + at), size - at < UNIT ? size - at : UNIT);
}

/*
 * Where a block that lay at an address lies. Where order counts, the heap that the program began with comes first, as it does there: it is right behind
 * the program, those of other threads are among the libraries. Only the lowest bits stay as they were then.
 */
static uint64_t place_of(const struct ethread *self, uint32_t recorded)
{
	enum { LOWEST_BITS = 0xffffff };
	if (mirror.all && !mirror.turned) {
		bool is_main = self == engine.threads.at[0];
		mirror.lowest = (is_main ? recorded : (uint32_t)engine.trace->header.load_address) & ~(uint32_t)LOWEST_BITS;
		mirror.turned = true;
	}
	return RT_MIRROR + (uint32_t)(recorded - mirror.lowest);
}

uint64_t mirror_place(struct ethread *self, uint64_t size, uint64_t align)
{
	uint32_t recorded = self->place;
	self->place = 0;
	if (!recorded || recorded % align || size > LARGEST || !is_shared(recorded, size ? size : 1))
		return 0;
	uint64_t start = place_of(self, recorded);
	self->wait = WAIT_FREE; /* whoever frees what lies there may not have come so far */
	self->wait_order = start;
	self->wait_size = size;
	self->wait_time = time_next(self);
	baton_wait(self);
	const struct life *other = taken_by(start, size);
	mirror.doubts += other != NULL;
	/* Else both have it, as where a block was freed twice. */
	if (other && turns_learn(other->name, turns_name(self)))
		return 0;
	self->placed = start;
	self->placed_size = size;
	keep_before(self, start, size);
	begin_life(self, start, size);
	return start;
}

/* Functions that leave memory as it is; others fill it. */
bool mirror_leaves_memory(const char *name)
{
	static const char *const names[] = { "malloc", "aligned_alloc", "memalign", "posix_memalign", "valloc", "pvalloc" };
	if (!strncmp(name, "_Znw", 4) || !strncmp(name, "_Zna", 4))
		return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

void mirror_called(struct ethread *self, const char *name, struct range *filled, char **bytes)
{
	uint64_t start = self->placed, size = self->placed_size;
	self->placed = 0;
	if (name && mirror_leaves_memory(name)) {
		*filled = (struct range){ start + 8, size <= RT_FREED_MOST ? 8 : 0 };
		*bytes = xcalloc(1, 8);
		return;
	}
	*filled = (struct range){ start, size };
	*bytes = xmalloc(size + 1);
	memcpy(*bytes, (const void *)(uintptr_t)start, size);
	memcpy((void *)(uintptr_t)start, self->before, size);
}

void mirror_freed(struct ethread *self, uint64_t start, const char *what)
{
	uint32_t i = mirror_has(start) ? *life_of(start) : 0;
	struct life *l = i ? &mirror.lives.at[i - 1] : NULL;
	if (!l || l->start != start)
		return;
	if (l->freed_by) {
		l->also = self;
		return;
	}
	l->freed_by = self;
	turns_freed(l->name);
	l->sap = self->saps;
	l->site = place_describe(self, what);
	vclock_set(&l->clock, &self->clock);
	vclock_tick(&self->clock, self->number);
}

void mirror_order_freed(struct ethread *self, uint64_t start)
{
	uint32_t i = mirror_has(start) ? *life_of(start) : 0;
	bool is_event = true;
	if (i && mirror.lives.at[i - 1].start == start)
		order_after(self, &mirror.lives.at[i - 1], &is_event);
}

bool mirror_name(uint64_t start, struct allocation *name)
{
	uint32_t i = mirror_has(start) ? *life_of(start) : 0;
	if (!i || mirror.lives.at[i - 1].start != start)
		return false;
	*name = mirror.lives.at[i - 1].name;
	return true;
}

/* Does the C library keep the block for the thread, which gave it back, and nobody else has? */
static bool is_kept(const struct ethread *self, size_t i)
{
	const struct life *l = &mirror.lives.at[i];
	return l->freed_by == self && !l->also && l->size <= RT_FREED_MOST && *life_of(l->start) == i + 1;
}

size_t mirror_kept(const struct ethread *self, uint64_t *starts, size_t most)
{
	size_t n = 0;
	for (size_t i = 0; i < mirror.lives.n && n < most && !mirror.twice; i++)
		if (is_kept(self, i))
			starts[n++] = mirror.lives.at[i].start;
	return n;
}
