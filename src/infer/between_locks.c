#include "infer/between_finder.h"

#include <stdlib.h>
#include <string.h>

/* How many other accesses to the place are asked whether they have the lock; SAPs of a thread that are near one another. */
enum { ASKED = 40, NEAR = 32 };

/* Do most accesses to the place before, in other lines than the one without it, have the lock? One that is held by chance is no reason. */
static bool guards(const struct finder *f, uint32_t lock, const struct between *b)
{
	unsigned asked = 0, with = 0;
	uint64_t bare = line_of(f, event_at(f, b->unlocked));
	for (size_t i = b->second + 1; i-- > 0 && asked < ASKED;) {
		const struct event *e = event_at(f, i);
		if (e->object != event_at(f, b->other)->object || !(reads(e) || writes(e)) || line_of(f, e) == bare)
			continue;
		locks held = locks_at(&f->locks, e, false);
		with += locks_have(&held, lock);
		asked++;
		vec_free(&held);
	}
	return asked && 4 * with >= 3 * asked;
}

/* The locks of an access: those that it has for itself, and with those that it shares with other readers. */
struct guard {
	const struct event *e;
	locks own, all;
};

static struct guard guard_of(const struct finder *f, size_t step)
{
	const struct event *e = event_at(f, step);
	return (struct guard){e, locks_at(&f->locks, e, false), locks_at(&f->locks, e, true)};
}

static void guard_release(struct guard *g)
{
	vec_free(&g->own);
	vec_free(&g->all);
}

/* What is only noted is in order. */
static bool races(const struct guard *a, const struct guard *b)
{
	return !(a->e->flags & b->e->flags & EVENT_NOTE) && locks_common(&a->own, &b->all) == NO_LOCK && locks_common(&a->all, &b->own) == NO_LOCK;
}

/* All three have a lock, but the thread not all the time between its two; as readers or not. */
static bool look_at_sections(const struct finder *f, struct between *b, const struct guard g[3])
{
	for (size_t i = 0; i < g[1].all.n && b->given_up == UINT32_MAX; i++) {
		uint32_t lock = g[1].all.at[i];
		if (locks_have(&g[0].all, lock) && locks_have(&g[2].all, lock) && !locks_kept(&f->locks, lock, g[0].e, g[2].e))
			b->given_up = locks_event(f->x, lock);
	}
	return b->given_up != UINT32_MAX;
}

/* Has the thread come to the line of its first access again since it gave up the lock that it had there? Then the second belongs to that. */
static bool looks_again(const struct finder *f, const struct between *b)
{
	const struct event *a = event_at(f, b->first);
	uint64_t line = line_of(f, a);
	locks then = locks_at(&f->locks, a, true);
	bool again = false;
	for (size_t i = b->first + 1; i < b->second && !again; i++) {
		const struct event *e = event_at(f, i);
		if (e->thread != a->thread || !(reads(e) || writes(e)) || line_of(f, e) != line)
			continue;
		for (size_t k = 0; k < then.n; k++)
			again |= !locks_kept(&f->locks, then.at[k], a, e);
	}
	vec_free(&then);
	return again;
}

static long line_number(const struct finder *f, const struct event *e)
{
	const char *colon = strrchr(f->x->sites.at[e->site].where, ':');
	return colon ? atol(colon + 1) : 0;
}

/* Both are in one function, and the second stands before the first: it has been called again, or gone round, and what it did last time is over. */
static bool is_of_next_round(const struct finder *f, const struct event *a, const struct event *c)
{
	return !strcmp(f->x->sites.at[a->site].function, f->x->sites.at[c->site].function) && line_number(f, c) < line_number(f, a);
}

bool between_acts_alike(const struct finder *f, const struct between *b)
{
	const struct event *a = event_at(f, b->first), *o = event_at(f, b->other), *c = event_at(f, b->second);
	return !is_of_next_round(f, a, c) && !writes(a) && writes(o) && line_of(f, o) == line_of(f, c) && line_of(f, a) != line_of(f, c) && !looks_again(f, b);
}

/* Somebody writes, and all have the lock as readers only. */
static void look_at_readers(const struct finder *f, struct between *b, const struct guard g[3])
{
	uint32_t lock = locks_common(&g[1].all, &g[0].all);
	if (lock == NO_LOCK || !locks_have(&g[2].all, lock))
		return;
	b->lock = locks_event(f->x, lock);
	b->as_reader = true;
	b->unlocked = writes(g[1].e) ? b->other : b->second;
}

/* Which lock one of the three goes without. first, second: that of the thread's two races. */
static void look_at_missing(const struct finder *f, struct between *b, const struct guard g[3], bool first, bool second)
{
	uint32_t lock = NO_LOCK;
	if (g[1].own.n && (first || second)) {
		lock = g[1].own.at[0];
		b->unlocked = first ? b->first : b->second;
	} else if (!g[1].own.n) {
		lock = locks_common(&g[2].own, &g[0].own);
		b->unlocked = b->other;
	}
	const struct guard *bare = b->unlocked == b->first ? &g[0] : b->unlocked == b->other ? &g[1] : &g[2];
	if (lock != NO_LOCK && guards(f, lock, b)) {
		b->lock = locks_event(f->x, lock);
		b->as_reader = locks_have(&bare->all, lock);
	}
	if (b->lock == UINT32_MAX && (first || second)) {
		const locks *mine = first ? &g[0].own : &g[2].own;
		b->apart = mine->n && g[1].own.n;
		b->apart_by[0] = b->apart ? mine->at[0] : NO_LOCK;
		b->apart_by[1] = b->apart ? g[1].own.at[0] : NO_LOCK;
	}
	b->bare = !g[0].all.n && !g[1].all.n && !g[2].all.n;
}

/* Does the thread write without having looked again, so that what the other wrote is gone? Sections that look first can come in any order. */
static bool is_lost(const struct guard *a, const struct guard *o, const struct guard *c)
{
	return !writes(a->e) && writes(o->e) && writes(c->e) && !reads(c->e);
}

/* Has the thread waited for a signal between the two? Then it has to look again, which is told of elsewhere. */
static bool has_waited(const struct finder *f, const struct between *b)
{
	bool waited = false;
	for (size_t i = b->first + 1; i < b->second && !waited; i++)
		waited = event_at(f, i)->thread == event_at(f, b->first)->thread && event_at(f, i)->flags & EVENT_WAITED;
	return waited;
}

/* Did the thread look in one line, and shortly afterwards fail by what it found in another, where it mostly finds the same? */
static bool is_late_look(struct finder *f, const struct candidate *c)
{
	const struct between *b = &c->b;
	const struct event *first = event_at(f, b->first), *second = event_at(f, b->second);
	const size_t *counts = table_at(&f->pairs, c->pair);
	return is_asked(f, b->second) && !writes(first) && !writes(second) && writes(event_at(f, b->other)) && counts[UNDISTURBED] >= 4 * (counts[DISTURBED] - 1) &&
	       second->sap - first->sap <= NEAR && line_of(f, first) != line_of(f, second) && !is_of_next_round(f, first, second) && !looks_again(f, b) && !has_waited(f, b);
}

/* What two sections that should be one are worth. */
static int worth_of_sections(struct finder *f, struct candidate *c, const struct guard g[3])
{
	if (between_acts_alike(f, &c->b))
		return WORTH_GIVEN_UP + WORTH_SAME;
	c->b.late = is_late_look(f, c);
	if (c->b.late)
		return WORTH_GIVEN_UP + WORTH_FAILS;
	return is_lost(&g[0], &g[1], &g[2]) ? WORTH_GIVEN_UP : WORTH_NOTHING;
}

int between_locks(struct finder *f, struct candidate *candidate)
{
	struct between *b = &candidate->b;
	struct guard g[3] = {guard_of(f, b->first), guard_of(f, b->other), guard_of(f, b->second)};
	bool first = races(&g[0], &g[1]), second = races(&g[1], &g[2]);
	int worth;
	if (!first && !second && look_at_sections(f, b, g)) {
		worth = worth_of_sections(f, candidate, g);
	} else {
		look_at_missing(f, b, g, first, second);
		if (b->lock == UINT32_MAX && (first || second))
			look_at_readers(f, b, g);
		worth = (first || second ? WORTH_RACE : 0) + (b->lock != UINT32_MAX || b->apart ? WORTH_LOCK : 0);
	}
	for (int i = 0; i < 3; i++)
		guard_release(&g[i]);
	return worth;
}
