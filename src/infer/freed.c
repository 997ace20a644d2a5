#include "infer/freed.h"

#include "infer/locks.h"
#include "infer/stale.h"
#include "infer/table.h"

#include <stdlib.h>
#include <string.h>

/* Blocks begin at multiples of UNIT; bytes of a block that are known by it. */
enum { UNIT = 16, MOST_OF_BLOCK = 1 << 16 };

/* Steps that are looked at backwards; blocks that had the same memory. */
enum { LONG_AGO = 200000, OWNERS = 16 };

/* A block that was freed and not allocated again. */
struct gone_block {
	uint64_t start, size;
	size_t step;       /* that freed it */
	uint32_t thread, allocated_at, allocated_by;
	uint64_t sap;
	bool doubtful;     /* somebody may have had that memory after it was freed */
	size_t birth, older; /* of `births`, + 1, and of `gone`, + 1: when it was allocated, and who had its first bytes before that; 0: not known */
	size_t *used;      /* by thread: the first step that used it since, + 1; NULL: nobody has */
};

/*
 * Memory of which it is not known whether who had it before the thread that allocated it had freed it by then; or, where it was freed twice, who has it at
 * all: the allocator may give it to two.
 */
struct doubt {
	uint64_t start, size, sap;
	uint32_t thread;
	bool twice;
};

/* A block that was allocated where another was. */
struct birth {
	uint32_t site, thread;
	size_t step;
};

/* A use of memory that was given out again: by a pointer to the block before, perhaps. */
struct reuse {
	size_t use, block, birth; /* of `gone` and `births` */
};

/* What is kept of a unit, + 1: the block that is gone; the one that was there before the last birth; that birth. */
enum { GONE, BEFORE, BORN };

struct finder {
	const struct execution *x;
	const struct linear *l;
	const struct slice *s;
	uint64_t *passed;  /* by thread: SAP of its last event that is no note, so far */
	size_t *created;   /* by thread: the step of that; 0: not known */
	const struct told *t;
	const uint64_t *values;
	vec(struct gone_block) gone;
	struct table units; /* by 16 bytes of memory */
	vec(struct reuse) reused;
	vec(struct doubt) doubts;
	vec(struct birth) births;
	struct table born; /* by address: the last of them, + 1 */
	struct freed best;
	uint64_t start;    /* of the best's block */
	bool found, fails; /* the best is of a thread that fails */
};

static const struct event *event_at(const struct finder *f, size_t step)
{
	return &f->x->events.at[f->l->steps.at[step].event];
}

/* Where a unit is kept in the table, which has no key 0. */
static uint64_t key_of(uint64_t address)
{
	return address / UNIT + 1;
}

static struct gone_block *gone_at(struct finder *f, uint64_t address)
{
	size_t i = table_at(&f->units, key_of(address))[GONE];
	struct gone_block *g = i ? &f->gone.at[i - 1] : NULL;
	return g && (address - g->start < g->size || address == g->start) ? g : NULL;
}

static void set_units(struct finder *f, uint64_t start, uint64_t size, size_t block)
{
	for (uint64_t at = start; at < start + size && at < start + MOST_OF_BLOCK; at += UNIT)
		table_at(&f->units, key_of(at))[GONE] = block;
}

/* The newest birth has that memory, whatever was there before. */
static void bear_units(struct finder *f, uint64_t start, uint64_t size)
{
	for (uint64_t at = start; at < start + size && at < start + MOST_OF_BLOCK; at += UNIT) {
		size_t *unit = table_at(&f->units, key_of(at));
		unit[BEFORE] = unit[GONE];
		unit[GONE] = 0;
		unit[BORN] = f->births.n;
	}
}

static bool is_doubtful(const struct finder *f, uint64_t address)
{
	for (size_t i = 0; i < f->doubts.n; i++)
		if (address - f->doubts.at[i].start < f->doubts.at[i].size)
			return true;
	return false;
}

/*
 * The same of a block that a thread frees now. A note stands behind what its thread did last before: what it tells of may have come later, but not than what the thread did next.
 * So who has done something since the allocation had the memory before this.
 */
static bool is_freed_in_doubt(const struct finder *f, const struct event *free)
{
	uint64_t end = free->object + (free->before ? free->before : 1);
	for (size_t i = 0; i < f->doubts.n; i++) {
		const struct doubt *d = &f->doubts.at[i];
		if (d->start < end && free->object < d->start + d->size && (d->twice || (d->thread != free->thread && f->passed[d->thread] <= d->sap)))
			return true;
	}
	return false;
}

static bool fails(const struct finder *f, uint32_t thread)
{
	const struct execution_thread *t = &f->x->threads.at[thread];
	return t->count && f->x->events.at[t->first + t->count - 1].flags & EVENT_FAILS;
}

/* Is it certain that the thread had freed it by now? Notes say only between which events of their thread they come; who reads what the free left there came after it. */
static bool is_over(const struct finder *f, const struct gone_block *g, size_t use)
{
	uint32_t thread = event_at(f, use)->thread;
	return thread == g->thread || f->passed[g->thread] >= g->sap || f->s->saw[use] == g->step;
}

/* The last one counts, and of the same block the first: what comes after that follows from it. */
static void take_use(struct finder *f, size_t step, struct gone_block *g, bool twice)
{
	uint32_t thread = event_at(f, step)->thread;
	if (!is_over(f, g, step) || g->doubtful || (f->found && f->fails && !fails(f, thread)))
		return;
	if (!g->used)
		g->used = xcalloc(f->x->threads.n, sizeof *g->used);
	if (!g->used[thread] || twice)
		g->used[thread] = step + 1;
	f->found = true;
	f->fails = fails(f, thread);
	f->start = g->start;
	f->best = (struct freed){.use = g->used[thread] - 1, .freed = g->step, .twice = twice, .size = g->size,
				 .allocated_at = g->allocated_at, .allocated_by = g->allocated_by};
}

/* Where the block was allocated: where memory is used again, the last one before this step; else there was only one. */
static void find_birth(struct finder *f, struct gone_block *g)
{
	size_t birth = *table_at(&f->born, key_of(g->start));
	if (birth) {
		g->birth = birth;
		g->older = table_at(&f->units, key_of(g->start))[BEFORE];
		g->allocated_at = f->births.at[birth - 1].site;
		g->allocated_by = f->births.at[birth - 1].thread;
		return;
	}
	const struct place_name *p = execution_place(f->x, g->start);
	if (p && p->block == g->start) {
		g->allocated_at = p->allocated_at;
		g->allocated_by = p->allocated_by;
	}
}

/* The write by which others race with it says more than the note. */
static size_t step_of_free(const struct finder *f, size_t step)
{
	const struct event *e = event_at(f, step);
	for (size_t i = step; i-- > 0 && step - i < 100;)
		if (event_at(f, i)->thread == e->thread && event_at(f, i)->sap == e->sap && event_at(f, i)->object == e->object)
			return i;
	return step;
}

static void take_free(struct finder *f, size_t step)
{
	const struct event *e = event_at(f, step);
	struct gone_block *before = gone_at(f, e->object);
	if (before && before->start == e->object) {
		take_use(f, step, before, true);
		*vec_push(&f->doubts) = (struct doubt){before->start, before->size, 0, 0, true};
		return;
	}
	struct gone_block g = {.start = e->object, .size = e->before ? e->before : 1, .step = step_of_free(f, step), .thread = e->thread,
			       .sap = e->sap, .doubtful = is_freed_in_doubt(f, e)};
	find_birth(f, &g);
	*vec_push(&f->gone) = g;
	set_units(f, g.start, g.size, f->gone.n);
}

/* Was the memory given out again behind that step? */
static bool is_born_since(struct finder *f, uint64_t address, size_t step)
{
	size_t birth = table_at(&f->units, key_of(address))[BORN];
	return birth && f->births.at[birth - 1].step > step;
}

/*
 * A free writes in pieces, and its note comes behind them: who reads the first piece may come before that. What the next owner of the memory put there need
 * not be told any more, and who reads that sees the free instead.
 */
static struct gone_block *gone_as_seen(struct finder *f, size_t step)
{
	const struct event *e = event_at(f, step);
	size_t saw = told_reads(e) ? f->s->saw[step] : SLICE_NONE;
	const struct place_name *p = execution_place(f->x, e->object);
	if (saw == SLICE_NONE || !event_is_by_free(f->x, event_at(f, saw)) || !p || !p->block_size || is_born_since(f, e->object, saw))
		return NULL;
	struct gone_block g = {.start = p->block, .size = p->block_size, .step = saw, .thread = event_at(f, saw)->thread, .sap = event_at(f, saw)->sap,
			       .doubtful = is_doubtful(f, e->object)};
	find_birth(f, &g);
	*vec_push(&f->gone) = g;
	return &f->gone.at[f->gone.n - 1];
}

/* What an allocation writes to its block itself: the note of it comes behind that. */
static bool is_by_birth(const struct finder *f, size_t step)
{
	const struct event *e = event_at(f, step);
	for (size_t i = step + 1; e->kind == EVENT_WRITE && i < f->l->needed && i - step < 100; i++) {
		const struct event *n = event_at(f, i);
		if (n->flags & EVENT_ALLOCATES && n->thread == e->thread && n->sap == e->sap)
			return e->object - n->object < (n->before ? n->before : 1);
	}
	return false;
}

/* Is the pointer from before that step? Somebody may have left it where the thread found it only afterwards: a task that was queued. */
static bool is_from_before(const struct finder *f, size_t got, size_t freed)
{
	size_t saw = got == SLICE_NONE || !told_reads(event_at(f, got)) ? SLICE_NONE : f->s->saw[got];
	return got != SLICE_NONE && (got < freed || (saw != SLICE_NONE && saw < freed));
}

/* May the thread have had a pointer to that block itself: did it allocate it, was it created since, or has it read one since? */
static bool may_know(const struct finder *f, size_t step, const struct gone_block *g)
{
	uint32_t thread = event_at(f, step)->thread;
	if (!g->birth)
		return true;
	const struct birth *b = &f->births.at[g->birth - 1];
	size_t got, gone;
	if (b->thread == thread || f->created[thread] > b->step)
		return true;
	stale_pointer(f->t, f->values, step, g->start, g->size, &got, &gone);
	return got != SLICE_NONE && !is_from_before(f, got, b->step);
}

/* Did the thread use the block while it was one? */
static bool has_used(const struct finder *f, uint32_t thread, const struct gone_block *g)
{
	size_t from = g->birth ? f->births.at[g->birth - 1].step : 0;
	if (g->used && g->used[thread])
		return true;
	for (size_t i = g->step; i-- > from && g->step - i < LONG_AGO;) {
		const struct event *e = event_at(f, i);
		if (e->thread == thread && told_accesses(e) && e->object - g->start < g->size)
			return true;
	}
	return false;
}

/* The memory may have been several blocks, one after the other, all of which are gone: which of them does the thread mean? */
static struct gone_block *whose(const struct finder *f, size_t step, struct gone_block *last)
{
	const struct event *e = event_at(f, step);
	if ((last->used && last->used[e->thread]) || may_know(f, step, last))
		return last;
	struct gone_block *g = last;
	for (int i = 0; i < OWNERS && g->older; i++) {
		g = &f->gone.at[g->older - 1];
		if (e->object - g->start < g->size && has_used(f, e->thread, g))
			return g;
	}
	return last;
}

/* Giving memory back is no use of it. */
static void take_use_of(struct finder *f, size_t step, struct gone_block *last)
{
	struct gone_block *g = whose(f, step, last);
	take_use(f, step, g, false);
	if (g != last && f->found && f->best.freed == g->step) {
		f->best.again_at = f->births.at[last->birth - 1].site;
		f->best.again_by = f->births.at[last->birth - 1].thread;
	}
}

static void take_step(struct finder *f, size_t step)
{
	const struct event *e = event_at(f, step);
	struct gone_block *g;
	if (!(e->flags & EVENT_NOTE))
		f->passed[e->thread] = e->sap;
	if (e->kind == EVENT_CREATE && e->object < f->x->threads.n)
		f->created[e->object] = step;
	if (e->flags & EVENT_ALLOCATES) {
		*vec_push(&f->births) = (struct birth){e->site, e->thread, step};
		bear_units(f, e->object, e->before ? e->before : 1);
		*table_at(&f->born, key_of(e->object)) = f->births.n;
		if (e->count)
			*vec_push(&f->doubts) = (struct doubt){e->object, e->before ? e->before : 1, e->sap, e->thread, false};
	} else if (e->flags & EVENT_FREES) {
		take_free(f, step);
	} else if (told_accesses(e) && !event_is_by_free(f->x, e) && ((g = gone_at(f, e->object)) || (g = gone_as_seen(f, step)))) {
		if (!is_by_birth(f, step))
			take_use_of(f, step, g);
	} else if (told_accesses(e) && !event_is_by_free(f->x, e)) {
		const size_t *unit = table_at(&f->units, key_of(e->object));
		if (unit[BEFORE] && f->births.at[unit[BORN] - 1].thread != e->thread)
			*vec_push(&f->reused) = (struct reuse){step, unit[BEFORE] - 1, unit[BORN] - 1};
	}
}

/* ---- memory that was given out again ---- */

static bool is_asked(const struct slice *s, size_t step)
{
	for (size_t i = 0; i < s->asked.n; i++)
		if (s->asked.at[i] == step)
			return true;
	return false;
}

/* The thread reads what the new block's owner put there, and has the pointer from before the old one was freed. */
static bool take_reuse(struct finder *f, const struct reuse *r, const struct told *t, const uint64_t *values)
{
	const struct slice *s = f->s;
	const struct gone_block *g = &f->gone.at[r->block];
	const struct birth *b = &f->births.at[r->birth];
	size_t got, gone, saw = s->saw[r->use];
	if (!is_asked(s, r->use) || is_doubtful(f, event_at(f, r->use)->object) || saw == SLICE_NONE || saw < b->step || event_at(f, saw)->thread != b->thread)
		return false;
	uint32_t thread = event_at(f, r->use)->thread;
	stale_pointer(t, values, r->use, g->start, g->size, &got, &gone);
	/* Who was given the pointer when it was created has read it nowhere. */
	bool given = got == SLICE_NONE && f->created[thread] < b->step && has_used(f, thread, g);
	if (!given && !is_from_before(f, got, g->step))
		return false;
	f->start = g->start;
	f->best = (struct freed){.use = r->use, .freed = g->step, .size = g->size, .allocated_at = g->allocated_at, .allocated_by = g->allocated_by,
				 .again_at = b->site, .again_by = b->thread};
	return true;
}

/* ---- how the thread came by the pointer ---- */

static void find_lock(struct finder *f)
{
	struct freed *b = &f->best;
	b->lock = UINT32_MAX;
	if (b->got == SLICE_NONE)
		return;
	struct locks_index index;
	locks_init(&index, f->x);
	locks then = locks_at(&index, event_at(f, b->got), true), now = locks_at(&index, event_at(f, b->use), true);
	for (size_t i = 0; i < then.n && b->lock == UINT32_MAX; i++)
		if (!locks_have(&now, then.at[i]))
			b->lock = locks_event(f->x, then.at[i]);
	vec_free(&then);
	vec_free(&now);
	locks_release(&index);
}

bool freed_find(struct freed *out, const struct slice *s, const struct told *t, const uint64_t *values)
{
	struct finder f = {.x = &t->x, .l = &t->l, .s = s, .t = t, .values = values};
	f.passed = xcalloc(t->x.threads.n + 1, sizeof *f.passed);
	f.created = xcalloc(t->x.threads.n + 1, sizeof *f.created);
	for (size_t i = 0; i < t->l.needed; i++)
		take_step(&f, i);
	for (size_t i = 0; i < f.reused.n && !f.found; i++)
		f.found = take_reuse(&f, &f.reused.at[i], t, values);
	if (f.found) {
		stale_pointer(t, values, f.best.use, f.start, f.best.size, &f.best.got, &f.best.gone);
		find_lock(&f);
		*out = f.best;
	}
	for (size_t i = 0; i < f.gone.n; i++)
		free(f.gone.at[i].used);
	vec_free(&f.gone);
	vec_free(&f.births);
	vec_free(&f.reused);
	vec_free(&f.doubts);
	table_release(&f.units);
	table_release(&f.born);
	free(f.passed);
	free(f.created);
	return f.found;
}
