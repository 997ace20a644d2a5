#include "infer/finds.h"

#include "infer/flat.h"
#include "infer/lost.h"
#include "infer/midway.h"
#include "infer/outdated.h"
#include "infer/through.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* They belong to what matters, whatever the slice says. */
static void mark(struct slice *s, const size_t *steps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (steps[i] != SLICE_NONE)
			s->matters[steps[i]] = true;
}

/* What is looked in. Of an order with store buffers that is not `d`'s own. */
struct search {
	struct finds *d;
	struct slice *s;
	const struct told *t;
	uint64_t *symbols;
	const uint8_t *how; /* of rests.h; NULL: it is not known */
	const struct rests_source *source;
	struct acted_chain chain; /* where `how` is known, and nothing that is certain was found before it */
};

/* Besides the causes, what decides which ones are looked for. */
enum {
	CERTAIN = 1 << 16,   /* what was found leaves nothing else to say */
	EARLY = 1 << 17,     /* CAUSE_BETWEEN, and not because of a late look only */
	WAS_STALE = 1 << 18, /* CAUSE_STALE was found, and has nothing to do with the failure */
};

enum {
	SURE = CERTAIN | CAUSE_FREED,
	FOUND = SURE | CAUSE_BETWEEN | CAUSE_STALE | CAUSE_UNDONE | CAUSE_PUBLISHED,
	FOUND_ALL = FOUND | CAUSE_PASSED | CAUSE_OVERPOSTED | CAUSE_HALFWAY,
};

/* Does the failing thread's read have nothing to do with its failure? */
static bool is_beside(const struct search *c, size_t step)
{
	const struct event *e = told_event(c->t, step);
	const struct execution_thread *by = &c->t->x.threads.at[e->thread];
	return c->how && e->kind == EVENT_READ && !c->how[step] && c->t->x.events.at[by->first + by->count - 1].flags & EVENT_FAILS;
}

/* The same, or it would have come there all the same: find_rests has asked. */
static bool is_idle(const struct search *c, size_t step)
{
	return is_beside(c, step) || (c->how && c->how[step] == TIED_BY_BRANCH);
}

/* Did the failing thread come back from a wait, and not look again? That says more. */
static bool has_waited(const struct search *c)
{
	bool looked, still;
	for (size_t i = 0; i < c->s->asked.n; i++)
		if (midway_wait(&c->t->x, &c->t->l, c->s, c->s->asked.at[i], c->d->values, &looked, &still) != SLICE_NONE)
			return true;
	return false;
}

/* ---- what may be found; each returns what that is, or 0 ---- */

static unsigned find_again(struct search *c)
{
	return again_find(&c->d->again, c->t, c->d->values) ? CAUSE_AGAIN | CERTAIN : 0;
}

static unsigned find_freed(struct search *c)
{
	struct freed *f = &c->d->freed;
	if (!freed_find(f, c->s, c->t, c->d->values))
		return 0;
	mark(c->s, (const size_t[]){f->use, f->freed, f->got, f->gone}, 4);
	return CAUSE_FREED;
}

/* Two values of different times mostly may be. That a pointer led to a variable is told by where it points, and other ways may lead there, too. */
static unsigned find_stale(struct search *c)
{
	const struct stale *f = &c->d->stale;
	if (!stale_find(&c->d->stale, c->s, c->t, c->d->values) || (f->certain && f->also == SLICE_NONE && is_idle(c, f->first)))
		return 0;
	return f->certain ? CAUSE_STALE | CERTAIN : CAUSE_STALE;
}

static unsigned find_replaced(struct search *c)
{
	struct stale lost;
	const uint64_t *values = c->d->values;
	if (!lost_find(&lost, c->s, c->t, values) && !through_find(&lost, c->s, c->t, values) && !outdated_find_copy(&lost, c->s, c->t, values, true))
		return 0;
	c->d->stale = lost;
	return CAUSE_STALE | CERTAIN;
}

static unsigned mark_published(struct search *c)
{
	const struct published *p = &c->d->published;
	mark(c->s, (const size_t[]){p->shown, p->seen, p->read, p->filled, p->led}, 5);
	return CAUSE_PUBLISHED;
}

static unsigned find_published(struct search *c)
{
	return published_find(&c->d->published, c->s, c->t, c->d->values, c->how) ? mark_published(c) | CERTAIN : 0;
}

static unsigned find_acted(struct search *c)
{
	acted_init(&c->chain, c->s, c->t, c->how, c->source);
	bool found = acted_find_late(&c->d->acted, &c->chain, c->s, c->t, c->d->values, c->source) ||
		     acted_find_computed(&c->d->acted, &c->chain, c->t, c->d->values, c->how);
	return found ? CAUSE_ACTED | CERTAIN : 0;
}

static unsigned find_passed(struct search *c)
{
	if (!passed_find(&c->d->passed, c->s, c->t, c->d->values))
		return 0;
	return c->d->passed.by_value ? CAUSE_PASSED | CERTAIN : CAUSE_PASSED;
}

static unsigned find_between(struct search *c)
{
	struct between *b = &c->d->between;
	if (!between_find(b, c->s, &c->t->x, &c->t->l, c->symbols))
		return 0;
	mark(c->s, (const size_t[]){b->first, b->other, b->second}, 3);
	return b->late ? CAUSE_BETWEEN : CAUSE_BETWEEN | EARLY;
}

/* It wrote there when it was done, and then began anew: sites are numbered in the order of the code. Who came in between need have done no harm. */
static bool is_next_round(const struct search *c)
{
	const struct event *first = told_event(c->t, c->d->between.first), *second = told_event(c->t, c->d->between.second);
	const struct site_info *from = &c->t->x.sites.at[first->site], *to = &c->t->x.sites.at[second->site];
	return first->kind == EVENT_WRITE && second->kind == EVENT_READ && to->number && to->number < from->number && !strcmp(from->function, to->function);
}

/* What the failing thread went by, unless what was found already tells of what its failure rests on. */
static unsigned find_rests(struct search *c)
{
	struct stale rests;
	bool between = c->d->found & CAUSE_BETWEEN && !is_beside(c, c->d->between.first) && !is_next_round(c);
	if (between || has_waited(c) || !rests_find(&rests, c->s, c->t, c->d->values, c->how, c->source))
		return 0;
	c->d->stale = rests;
	return CAUSE_STALE;
}

/* Where all that is known is that the failing thread finds something else when it looks again: did the other write that for a reason that was no longer so? */
static unsigned find_reason(struct search *c)
{
	struct acted a;
	const struct stale *f = &c->d->stale;
	bool stale = c->d->found & CAUSE_STALE && f->rests && told_event(c->t, f->first)->object == told_event(c->t, f->second)->object;
	bool late = (c->d->found & (CAUSE_BETWEEN | EARLY)) == CAUSE_BETWEEN;
	if ((!stale && !late) || !acted_find_outdated(&a, &c->chain, c->t, c->d->values, c->source) || a.act != (stale ? f->also : c->d->between.other))
		return 0;
	c->d->acted = a;
	return CAUSE_ACTED | CERTAIN;
}

static unsigned find_sum(struct search *c)
{
	return stale_find_sum(&c->d->stale, c->t, c->d->values) && !is_idle(c, c->d->stale.first) ? CAUSE_STALE : 0;
}

static unsigned find_undone(struct search *c)
{
	return undone_find(&c->d->undone, c->s, c->t, c->d->values) ? CAUSE_UNDONE : 0;
}

static unsigned find_behind(struct search *c)
{
	return published_find_behind(&c->d->published, c->s, c->t, c->d->values) ? mark_published(c) : 0;
}

static unsigned find_torn(struct search *c)
{
	return c->d->found & WAS_STALE && rests_find_torn(&c->d->stale, c->s, c->t, c->d->values, c->how) ? CAUSE_STALE : 0;
}

static unsigned find_overposted(struct search *c)
{
	return overposted_find(&c->d->overposted, c->t) ? CAUSE_OVERPOSTED : 0;
}

static unsigned find_halfway(struct search *c)
{
	return halfway_find(&c->d->halfway, c->s, c->t, c->how) ? CAUSE_HALFWAY : 0;
}

static unsigned find_outdated(struct search *c)
{
	struct stale *f = &c->d->stale;
	const uint64_t *values = c->d->values;
	bool found = outdated_find_copy(f, c->s, c->t, values, false) || (outdated_find_pair(f, c->s, c->t, values) && !is_idle(c, f->first));
	return found ? CAUSE_STALE : 0;
}

static unsigned find_outdated_reason(struct search *c)
{
	return !has_waited(c) && acted_find_outdated(&c->d->acted, &c->chain, c->t, c->d->values, c->source) ? CAUSE_ACTED : 0;
}

/* ---- what is dropped again; each returns what ---- */

/* Did the failing thread fault at a pointer that it read last, and that another had written, and has the step nothing to do with either of them? */
static bool is_beside_pointer(const struct search *c, size_t step)
{
	for (size_t i = c->t->l.needed; i-- > 0;) {
		const struct event *e = told_event(c->t, i);
		const struct execution_thread *by = &c->t->x.threads.at[e->thread];
		if (!told_reads(e) || !(c->t->x.events.at[by->first + by->count - 1].flags & EVENT_FAILS))
			continue;
		size_t saw = c->s->saw[i];
		uint32_t writer = saw == SLICE_NONE ? e->thread : told_event(c->t, saw)->thread, by_step = told_event(c->t, step)->thread;
		return c->how[i] == TIED_BY_WAY && writer != e->thread && (by_step == e->thread ? is_beside(c, step) || c->how[step] == RESTS_UNKNOWN : by_step != writer);
	}
	return false;
}

/* What the failure does not rest on. */
static unsigned drop_beside(struct search *c)
{
	struct finds *d = c->d;
	unsigned drop = 0;
	if (d->found & CAUSE_BETWEEN && is_beside_pointer(c, d->between.second))
		drop |= CAUSE_BETWEEN | EARLY;
	/* Who only reads between two writes harms nobody but itself. */
	if (d->found & CAUSE_BETWEEN && is_beside(c, d->between.other))
		drop |= CAUSE_BETWEEN | EARLY;
	if ((d->found & (CAUSE_BETWEEN | EARLY)) == CAUSE_BETWEEN && is_beside(c, d->between.first))
		drop |= CAUSE_BETWEEN;
	if (d->found & CAUSE_STALE && !d->stale.certain && is_idle(c, d->stale.first)) {
		drop |= CAUSE_STALE;
		d->found |= WAS_STALE;
	}
	return drop;
}

static unsigned drop_stale(struct search *c)
{
	bool by_value = c->d->found & CAUSE_PASSED && c->d->passed.by_value;
	return by_value || c->d->found & (EARLY | CAUSE_PUBLISHED) ? CAUSE_STALE : 0;
}

static unsigned drop_passed(struct search *c)
{
	unsigned found = c->d->found;
	return found & CAUSE_PUBLISHED || (!(found & SURE) && found & (EARLY | CAUSE_STALE | CAUSE_UNDONE)) ? CAUSE_PASSED : 0;
}

/* A late look alone says least. */
static unsigned drop_late(struct search *c)
{
	unsigned found = c->d->found;
	return !(found & EARLY) && found & (CAUSE_STALE | CAUSE_UNDONE | CAUSE_PUBLISHED | CAUSE_PASSED) ? CAUSE_BETWEEN : 0;
}

/* ---- in which order ---- */

/*
 * The causes in the order in which they are looked for: what is certain to matter comes first, an old value that came again, a pointer that was replaced, one to what was not
 * there yet. `unless`: what must not have been found by then. `drops`: what it takes the place of. `how`: it asks what the failure rests on.
 */
static const struct row {
	unsigned (*find)(struct search *c), (*drop)(struct search *c);
	unsigned unless, drops;
	bool how;
} rows[] = {
	{.find = find_again},
	{.find = find_freed},
	{.find = find_stale, .unless = SURE},
	{.find = find_replaced, .unless = SURE},
	{.find = find_published, .unless = SURE},
	{.find = find_acted, .unless = SURE, .drops = CAUSE_STALE, .how = true},
	{.find = find_passed, .unless = SURE},
	{.find = find_between, .unless = CERTAIN},
	{.drop = drop_beside, .unless = SURE, .how = true},
	{.find = find_rests, .unless = SURE | CAUSE_STALE, .drops = CAUSE_BETWEEN | EARLY, .how = true},
	{.find = find_reason, .unless = SURE,
	 .drops = CAUSE_STALE | CAUSE_BETWEEN | EARLY | CAUSE_PASSED, .how = true},
	{.drop = drop_stale},
	{.find = find_sum, .unless = SURE | EARLY | CAUSE_STALE},
	{.find = find_undone, .unless = SURE | EARLY | CAUSE_STALE},
	{.find = find_behind, .unless = SURE | EARLY | CAUSE_STALE | CAUSE_UNDONE},
	{.drop = drop_passed},
	{.drop = drop_late},
	{.find = find_torn, .unless = FOUND},
	{.find = find_overposted, .unless = FOUND_ALL},
	{.find = find_halfway, .unless = FOUND | CAUSE_OVERPOSTED | CAUSE_HALFWAY, .drops = CAUSE_PASSED, .how = true},
	{.find = find_outdated, .unless = FOUND_ALL},
	{.find = find_outdated_reason, .unless = FOUND_ALL | CAUSE_ACTED, .how = true},
};

/*
 * What a thread failed by, another may only have told it (`errors++`): what that one had read of others, and would not have written that without. Of the writes that led to the failure the
 * first one counts that rests on something.
 */
static bool ask_behind(struct search *c)
{
	size_t asked = c->s->asked.n;
	for (size_t i = 0; i < c->chain.writes.n && c->s->asked.n == asked; i++) {
		const struct acted_write *w = &c->chain.writes.at[i];
		for (size_t k = w->step; k-- > 0 && c->s->asked.n < asked + SLICE_ASKED;) {
			size_t saw = w->how[k] && w->how[k] != RESTS_UNKNOWN && told_reads(told_event(c->t, k)) ? c->s->saw[k] : SLICE_NONE;
			if (saw != SLICE_NONE && told_event(c->t, saw)->thread != told_event(c->t, k)->thread)
				slice_ask(c->s, &c->t->x, &c->t->l, k);
		}
	}
	return c->s->asked.n > asked;
}

static void find_cause(struct finds *d, struct slice *s, const struct told *t, uint64_t *symbols, const uint8_t *how, const struct rests_source *source)
{
	struct search c = {d, s, t, symbols, how, source, {0}};
	d->found = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];
		if (d->found & r->unless || (r->how && !how))
			continue;
		unsigned found = r->find ? r->find(&c) : 0, drop = r->drop ? r->drop(&c) : found ? r->drops : 0;
		d->found = (d->found & ~drop) | found;
	}
	if (!d->found && !has_waited(&c) && ask_behind(&c))
		d->found = find_between(&c);
	acted_release(&c.chain);
}

/* ---- its steps ---- */

#define STEP(cause, of) {CAUSE_##cause, offsetof(struct finds, of)}

static const struct {
	unsigned cause;
	size_t at; /* a step, in struct finds */
} steps[] = {
	STEP(AGAIN, again.read), STEP(AGAIN, again.behind), STEP(AGAIN, again.away), STEP(AGAIN, again.back), STEP(AGAIN, again.changed), STEP(AGAIN, again.swapped),
	STEP(FREED, freed.use), STEP(FREED, freed.freed), STEP(FREED, freed.got), STEP(FREED, freed.gone),
	STEP(STALE, stale.first), STEP(STALE, stale.other), STEP(STALE, stale.second), STEP(STALE, stale.also), STEP(STALE, stale.before), STEP(STALE, stale.found),
	STEP(PUBLISHED, published.shown), STEP(PUBLISHED, published.seen), STEP(PUBLISHED, published.read), STEP(PUBLISHED, published.filled), STEP(PUBLISHED, published.led),
	STEP(ACTED, acted.first), STEP(ACTED, acted.other), STEP(ACTED, acted.second), STEP(ACTED, acted.act), STEP(ACTED, acted.alike),
	STEP(PASSED, passed.first), STEP(PASSED, passed.then), STEP(PASSED, passed.other), STEP(PASSED, passed.second),
	STEP(BETWEEN, between.first), STEP(BETWEEN, between.other), STEP(BETWEEN, between.second), STEP(BETWEEN, between.unlocked),
	STEP(UNDONE, undone.first), STEP(UNDONE, undone.other), STEP(UNDONE, undone.seen), STEP(UNDONE, undone.second),
	STEP(OVERPOSTED, overposted.before), STEP(OVERPOSTED, overposted.post), STEP(OVERPOSTED, overposted.take),
	STEP(HALFWAY, halfway.wrote), STEP(HALFWAY, halfway.seen), STEP(HALFWAY, halfway.read), STEP(HALFWAY, halfway.usual),
	STEP(BUFFERED, buffered.store[0]), STEP(BUFFERED, buffered.store[1]), STEP(BUFFERED, buffered.read[0]), STEP(BUFFERED, buffered.read[1]),
};

/* The i-th of `steps`, if it is of these causes and was found; or NULL. */
static size_t *step_of(struct finds *d, size_t i, unsigned causes)
{
	size_t *step = (size_t *)((char *)d + steps[i].at);
	return d->found & causes & steps[i].cause && *step != SLICE_NONE ? step : NULL;
}

/* Of an order with store buffers, what is found is said of where others see the stores. */
static void find_cause_flat(struct finds *d, struct flat *f, uint64_t *symbols)
{
	find_cause(d, &f->slice, &f->told, symbols, NULL, NULL);
	d->found &= ~(unsigned)CAUSE_OVERPOSTED; /* its steps are not those of this order */
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		size_t *step = step_of(d, i, UINT_MAX);
		if (step) {
			*step = f->back[*step];
			d->slice.matters[*step] = true;
		}
	}
}

/* The others are marked when they are found, also where they are dropped then. */
static void mark_steps(struct finds *d)
{
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		size_t *step = step_of(d, i, ~(unsigned)(CAUSE_FREED | CAUSE_PUBLISHED | CAUSE_BETWEEN));
		if (step)
			d->slice.matters[*step] = true;
	}
}

/* Does the failure rest on nothing of another thread's? Locks alone tell nobody anything. What it wrote itself may rest on anything that it had read by then. */
static bool is_alone(const struct slice *s, const struct told *t, const uint8_t *how)
{
	uint32_t failing = UINT32_MAX;
	for (uint32_t i = 0; how && i < t->x.threads.n; i++)
		if (t->x.threads.at[i].count && t->x.events.at[t->x.threads.at[i].first + t->x.threads.at[i].count - 1].flags & EVENT_FAILS)
			failing = i;
	size_t began = SLICE_NONE; /* when it was created: its first step may come long after that in this order */
	for (size_t i = 0; i < t->l.needed && failing != UINT32_MAX && began == SLICE_NONE; i++) {
		const struct event *e = told_event(t, i);
		if ((e->kind == EVENT_CREATE && e->object == failing) || e->thread == failing)
			began = i;
	}
	bool own = false, foreign = false; /* it rests on something that the thread wrote; which has read something of another's before */
	for (size_t i = 0; i < t->l.needed && failing != UINT32_MAX; i++) {
		const struct event *e = told_event(t, i);
		if (e->thread != failing)
			continue;
		bool syncs = !told_accesses(e) && e->kind != EVENT_START && e->kind != EVENT_END && e->kind != EVENT_LOCK && e->kind != EVENT_UNLOCK && e->kind != EVENT_CREATE &&
			     e->kind != EVENT_CALL && e->kind != EVENT_FENCE;
		size_t saw = told_reads(e) ? s->saw[i] : SLICE_NONE;
		bool of_other = saw != SLICE_NONE && saw > began && told_event(t, saw)->thread != failing;
		foreign |= of_other;
		own |= how[i] && saw != SLICE_NONE && told_event(t, saw)->thread == failing;
		if (syncs || e->flags & EVENT_WAITED || how[i] == RESTS_UNKNOWN || (how[i] && of_other) || (own && foreign))
			return false;
	}
	return failing != UINT32_MAX;
}

void finds_init(struct finds *d, const struct linear *l, uint64_t *symbols, const struct rests_source *source)
{
	const struct execution *x = source->x;
	d->values = xcalloc(expr_count(x->exprs) + 1, sizeof *d->values);
	expr_eval_all(x->exprs, symbols, d->values);
	told_init(&d->told, x, l, d->values);
	hang_complete(&d->told);
	slice_init(&d->slice, &d->told.x, &d->told.l);
	struct flat flat;
	if (flat_init(&flat, &d->told, &d->slice)) {
		bool buffered = buffered_find(&d->buffered, &d->told, d->values, symbols);
		d->alone = false;
		find_cause_flat(d, &flat, symbols);
		d->found |= buffered ? CAUSE_BUFFERED : 0;
		flat_release(&flat);
	} else {
		tied_list tied = rests_ask(source);
		uint8_t *how = tied.n ? rests_steps(&d->told, &tied) : NULL;
		if (how) {
			slice_release(&d->slice);
			slice_init_tied(&d->slice, &d->told.x, &d->told.l, how);
		}
		find_cause(d, &d->slice, &d->told, symbols, how, source);
		d->alone = is_alone(&d->slice, &d->told, how);
		free(how);
		vec_free(&tied);
	}
	mark_steps(d);
	d->hangs = hang_find(&d->told, d->values);
	for (size_t i = 0; i < d->hangs.n; i++) {
		const struct hang *h = &d->hangs.at[i];
		mark(&d->slice, (const size_t[]){h->blocked, h->signal, h->other, h->woke, h->read, h->wrote, h->is, h->looked, h->told, h->freed, h->last, h->taken, h->taker, h->missed, h->woken, h->over}, 16);
	}
}

void finds_release(struct finds *d)
{
	free(d->values);
	vec_free(&d->hangs);
	slice_release(&d->slice);
	told_release(&d->told);
}
