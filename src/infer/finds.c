#include "infer/finds.h"

#include "infer/flat.h"
#include "infer/lost.h"
#include "infer/midway.h"
#include "infer/outdated.h"
#include "infer/through.h"

#include <stdlib.h>

/* They belong to what matters, whatever the slice says. */
static void mark(struct slice *s, const size_t *steps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (steps[i] != SLICE_NONE)
			s->matters[steps[i]] = true;
}

static bool find_between(struct between *b, struct slice *s, const struct execution *x, const struct linear *l,
			 uint64_t *symbols)
{
	if (!between_find(b, s, x, l, symbols))
		return false;
	mark(s, (const size_t[]){b->first, b->other, b->second}, 3);
	return true;
}

static bool find_freed(struct freed *f, struct slice *s, const struct told *t, const uint64_t *values)
{
	if (!freed_find(f, s, t, values))
		return false;
	mark(s, (const size_t[]){f->use, f->freed, f->got, f->gone}, 4);
	return true;
}

static bool mark_published(const struct published *p, struct slice *s)
{
	mark(s, (const size_t[]){p->shown, p->seen, p->read, p->filled, p->led}, 5);
	return true;
}

/* Does the failing thread's read have nothing to do with its failure? how: what that rests on; NULL: it is not known. */
static bool is_beside(const struct told *t, const uint8_t *how, size_t step)
{
	const struct event *e = told_event(t, step);
	const struct execution_thread *by = &t->x.threads.at[e->thread];
	return how && e->kind == EVENT_READ && !how[step] && t->x.events.at[by->first + by->count - 1].flags & EVENT_FAILS;
}

/* The same, or it would have come there all the same: find_rests has asked. */
static bool is_idle(const struct told *t, const uint8_t *how, size_t step)
{
	return is_beside(t, how, step) || (how && how[step] == TIED_BY_BRANCH);
}

/* What is looked for where nothing is certain, and nobody is known to have come in between. */
static void find_less_certain(struct finds *d, struct slice *s, const struct told *t, const uint8_t *how, bool certain, bool between)
{
	if (!certain && !between && !d->was_stale)
		d->was_stale = stale_find_sum(&d->stale, t, d->values) && !is_idle(t, how, d->stale.first);
	d->was_undone = !certain && !between && !d->was_stale && undone_find(&d->undone, s, t, d->values);
	if (!certain && !between && !d->was_stale && !d->was_undone)
		d->too_early = published_find_behind(&d->published, s, t, d->values) && mark_published(&d->published, s);
	d->was_passed &= !d->too_early && (certain || (!between && !d->was_stale && !d->was_undone));
}

/* Did the failing thread come back from a wait, and not look again? That says more. */
static bool has_waited(const struct slice *s, const struct told *t, const uint64_t *values)
{
	bool looked, still;
	for (size_t i = 0; i < s->asked.n; i++)
		if (midway_wait(&t->x, &t->l, s, s->asked.at[i], values, &looked, &still) != SLICE_NONE)
			return true;
	return false;
}

/* What the failing thread went by, unless what was found already tells of what its failure rests on. */
static void find_rests(struct finds *d, struct slice *s, const struct told *t, const uint8_t *how, const struct rests_source *source)
{
	struct stale rests;
	bool between = d->came_between && !is_beside(t, how, d->between.first);
	bool stale = d->was_stale && (d->stale.certain || !is_idle(t, how, d->stale.first));
	if (d->came_between && d->between.late && is_beside(t, how, d->between.first))
		d->came_between = false;
	d->was_stale = stale;
	if (between || stale || has_waited(s, t, d->values) || !rests_find(&rests, s, t, d->values, how, source))
		return;
	d->stale = rests;
	d->was_stale = true;
	d->came_between = false;
}

/* Where all that is known is that the failing thread finds something else when it looks again: did the other write that for a reason that was no longer so? */
static void find_reason(struct finds *d, const struct acted_chain *chain, const struct told *t, const struct rests_source *source)
{
	struct acted a;
	bool stale = d->was_stale && d->stale.rests && told_event(t, d->stale.first)->object == told_event(t, d->stale.second)->object;
	bool late = d->came_between && d->between.late;
	if ((!stale && !late) || !acted_find_outdated(&a, chain, t, d->values, source) || a.act != (stale ? d->stale.also : d->between.other))
		return;
	d->acted = a;
	d->has_acted = true;
	d->was_stale = d->came_between = d->was_passed = false;
}

/* What is certain to matter comes first: an old value that came again, a pointer that was replaced, one to what was not there yet. Two values of different times mostly may. */
static void find_cause(struct finds *d, struct slice *s, const struct told *t, uint64_t *symbols, const uint8_t *how, const struct rests_source *source)
{
	struct stale lost;
	struct acted_chain chain = {0};
	d->came_again = again_find(&d->again, t, d->values);
	d->used_freed = find_freed(&d->freed, s, t, d->values);
	bool certain = d->came_again || d->used_freed;
	d->was_stale = !certain && stale_find(&d->stale, s, t, d->values);
	certain |= d->was_stale && d->stale.certain;
	if (!certain && (lost_find(&lost, s, t, d->values) || through_find(&lost, s, t, d->values) || outdated_find_copy(&lost, s, t, d->values, true))) {
		d->stale = lost;
		d->was_stale = certain = true;
	}
	d->too_early = !certain && published_find(&d->published, s, t, d->values, how) && mark_published(&d->published, s);
	certain |= d->too_early;
	if (!certain && how)
		acted_init(&chain, s, t, how, source);
	d->has_acted = !certain && how && (acted_find_late(&d->acted, &chain, s, t, d->values, source) || acted_find_computed(&d->acted, &chain, t, d->values, how));
	d->was_stale &= !d->has_acted;
	certain |= d->has_acted;
	d->was_passed = !certain && passed_find(&d->passed, s, t, d->values);
	certain |= d->was_passed && d->passed.by_value;
	d->came_between = (!certain || (d->used_freed && !d->came_again)) && find_between(&d->between, s, &t->x, &t->l, symbols);
	bool dropped = d->was_stale;
	if (!certain && how) {
		find_rests(d, s, t, how, source);
		find_reason(d, &chain, t, source);
	}
	certain |= d->has_acted;
	dropped &= !d->was_stale && how;
	bool between = d->came_between && !d->between.late;
	d->was_stale &= !between && !d->too_early && (!d->was_passed || !d->passed.by_value);
	find_less_certain(d, s, t, how, certain, between);
	if (d->came_between && d->between.late && (d->was_stale || d->was_undone || d->too_early || d->was_passed))
		d->came_between = false;
	if (dropped && !certain && !d->came_between && !d->was_stale && !d->was_undone && !d->too_early)
		d->was_stale = rests_find_torn(&d->stale, s, t, d->values, how);
	bool any = certain || d->came_between || d->was_stale || d->was_undone || d->too_early || d->was_passed;
	d->was_overposted = !any && overposted_find(&d->overposted, t);
	any |= d->was_overposted;
	d->was_halfway = !any && how && halfway_find(&d->halfway, s, t, how);
	if (!any && !d->was_halfway)
		d->was_stale = outdated_find_copy(&d->stale, s, t, d->values, false) || (outdated_find_pair(&d->stale, s, t, d->values) && !is_idle(t, how, d->stale.first));
	if (!any && !d->was_halfway && !d->was_stale && !d->has_acted && how && !has_waited(s, t, d->values))
		d->has_acted = acted_find_outdated(&d->acted, &chain, t, d->values, source);
	acted_release(&chain);
}

/* Of an order with store buffers, what is found is said of where others see the stores. */
static void find_cause_flat(struct finds *d, struct flat *f, uint64_t *symbols)
{
	find_cause(d, &f->slice, &f->told, symbols, NULL, NULL);
	size_t *const steps[] = {&d->again.read, &d->again.behind, &d->again.away, &d->again.back, &d->again.changed, &d->again.swapped,
				 &d->freed.use, &d->freed.freed, &d->freed.got, &d->freed.gone,
				 &d->stale.first, &d->stale.other, &d->stale.second, &d->stale.also, &d->stale.before, &d->stale.found,
				 &d->published.shown, &d->published.seen, &d->published.read, &d->published.filled, &d->published.led,
				 &d->between.first, &d->between.other, &d->between.second, &d->between.unlocked,
				 &d->undone.first, &d->undone.other, &d->undone.seen, &d->undone.second,
				 &d->passed.first, &d->passed.then, &d->passed.other, &d->passed.second};
	const bool found[] = {d->came_again, d->came_again, d->came_again, d->came_again, d->came_again, d->came_again,
			      d->used_freed, d->used_freed, d->used_freed, d->used_freed,
			      d->was_stale, d->was_stale, d->was_stale, d->was_stale, d->was_stale, d->was_stale,
			      d->too_early, d->too_early, d->too_early, d->too_early, d->too_early,
			      d->came_between, d->came_between, d->came_between, d->came_between,
			      d->was_undone, d->was_undone, d->was_undone, d->was_undone,
			      d->was_passed, d->was_passed, d->was_passed, d->was_passed};
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (found[i] && *steps[i] != SLICE_NONE) {
			*steps[i] = f->back[*steps[i]];
			d->slice.matters[*steps[i]] = true;
		}
}

/* Does the failure rest on nothing of another thread's? Locks alone tell nobody anything. What it wrote itself may rest on anything that it had read by then. */
static bool is_alone(const struct slice *s, const struct told *t, const uint8_t *how)
{
	uint32_t failing = UINT32_MAX;
	for (uint32_t i = 0; how && i < t->x.threads.n; i++)
		if (t->x.threads.at[i].count && t->x.events.at[t->x.threads.at[i].first + t->x.threads.at[i].count - 1].flags & EVENT_FAILS)
			failing = i;
	size_t began = SLICE_NONE;
	bool own = false, foreign = false; /* it rests on something that the thread wrote; which has read something of another's before */
	for (size_t i = 0; i < t->l.needed && failing != UINT32_MAX; i++) {
		const struct event *e = told_event(t, i);
		if (e->thread != failing)
			continue;
		began = began == SLICE_NONE ? i : began;
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
		d->alone = false;
		d->was_buffered = buffered_find(&d->buffered, &d->told, d->values, symbols);
		find_cause_flat(d, &flat, symbols);
		d->was_overposted = false; /* its steps are not those of this order */
		flat_release(&flat);
	} else {
		d->was_buffered = false;
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
	if (d->was_buffered)
		mark(&d->slice, (const size_t[]){d->buffered.store[0], d->buffered.store[1], d->buffered.read[0], d->buffered.read[1]}, 4);
	if (d->came_again)
		mark(&d->slice, (const size_t[]){d->again.read, d->again.behind, d->again.away, d->again.back, d->again.changed, d->again.swapped}, 6);
	if (d->was_undone)
		mark(&d->slice, (const size_t[]){d->undone.first, d->undone.other, d->undone.seen, d->undone.second}, 4);
	if (d->was_passed)
		mark(&d->slice, (const size_t[]){d->passed.first, d->passed.then, d->passed.other, d->passed.second}, 4);
	if (d->was_halfway)
		mark(&d->slice, (const size_t[]){d->halfway.wrote, d->halfway.seen, d->halfway.read, d->halfway.usual}, 4);
	if (d->has_acted)
		mark(&d->slice, (const size_t[]){d->acted.first, d->acted.other, d->acted.second, d->acted.act, d->acted.alike}, 5);
	if (d->was_overposted)
		mark(&d->slice, (const size_t[]){d->overposted.before, d->overposted.post, d->overposted.take}, 3);
	if (d->was_stale)
		mark(&d->slice, (const size_t[]){d->stale.first, d->stale.other, d->stale.second, d->stale.also, d->stale.before, d->stale.found}, 6);
	d->hangs = hang_find(&d->told, d->values);
	for (size_t i = 0; i < d->hangs.n; i++) {
		const struct hang *h = &d->hangs.at[i];
		mark(&d->slice, (const size_t[]){h->blocked, h->signal, h->other, h->woke, h->read, h->wrote, h->is, h->looked, h->told, h->freed, h->last, h->taken, h->taker}, 13);
	}
}

void finds_release(struct finds *d)
{
	free(d->values);
	vec_free(&d->hangs);
	slice_release(&d->slice);
	told_release(&d->told);
}
