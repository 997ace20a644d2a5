#include "infer/undone.h"

#include "infer/locks.h"
#include "infer/table.h"

#include <string.h>

/* Pairs of writes that are looked at, the last ones; steps between the two; SAPs of a thread that are near one another. */
enum { LOOKED_AT = 200, LONGEST = 100000, NEAR = 16 };

/* Of a place: the last write, and the last of another thread than that one; of a place and a thread: its last access, and the read before its last write. Steps + 1. */
enum { WRITE, OTHER_WRITE };
enum { LAST, LOOKED };

struct pair {
	size_t first, second;
};

struct finder {
	const struct slice *s;
	const struct told *t;
	const uint64_t *values;
	struct table places, mine;
	vec(struct pair) pairs;
};

static bool same_line(const struct finder *f, size_t a, size_t b)
{
	const struct site_info *sites = f->t->x.sites.at;
	return !strcmp(sites[told_event(f->t, a)->site].where, sites[told_event(f->t, b)->site].where);
}

/* Did the thread look at the place just before it wrote it? Then it wanted to know. */
static bool had_looked(const struct finder *f, size_t looked, size_t write)
{
	const struct event *e = told_event(f->t, write);
	return told_reads(e) || (looked && e->sap - told_event(f->t, looked - 1)->sap <= NEAR);
}

static void take_access(struct finder *f, size_t step)
{
	const struct event *e = told_event(f->t, step);
	size_t *mine = table_at(&f->mine, e->object ^ (uint64_t)(e->thread + 1) << 48), first = mine[LAST] ? mine[LAST] - 1 : SLICE_NONE;
	size_t *place = table_at(&f->places, e->object);
	size_t foreign = place[WRITE] && told_event(f->t, place[WRITE] - 1)->thread != e->thread ? place[WRITE] : place[OTHER_WRITE];
	if (e->kind == EVENT_WRITE && !event_is_by_free(&f->t->x, e) && first != SLICE_NONE && told_writes(told_event(f->t, first)) && foreign > first + 1 &&
	    !same_line(f, first, step) && had_looked(f, mine[LOOKED], first))
		*vec_push(&f->pairs) = (struct pair){first, step};
	if (told_writes(e)) {
		mine[LOOKED] = first != SLICE_NONE && !told_writes(told_event(f->t, first)) ? first + 1 : 0;
		if (place[WRITE] && told_event(f->t, place[WRITE] - 1)->thread != e->thread)
			place[OTHER_WRITE] = place[WRITE];
		place[WRITE] = step + 1;
	}
	mine[LAST] = step + 1;
}

/* Did the thread create the other between its two, or wait for its end? Then they were meant to come one after the other. Of a trail it is not known whom. */
static bool is_arranged(const struct undone *u, const struct told *t)
{
	uint32_t thread = told_event(t, u->first)->thread, other = told_event(t, u->other)->thread;
	for (size_t i = u->first + 1; i < u->second; i++) {
		const struct event *e = told_event(t, i);
		if (e->thread == thread && (e->kind == EVENT_CREATE || e->kind == EVENT_JOIN) && (e->object == other || e->object >= t->x.threads.n))
			return true;
	}
	return false;
}

/* The first write of another thread that changed what the thread had written, and who found that. */
static bool is_undone(struct undone *u, const struct finder *f, const struct pair *p)
{
	const struct event *a = told_event(f->t, p->first), *c = told_event(f->t, p->second);
	*u = (struct undone){p->first, p->second, SLICE_NONE, SLICE_NONE, UINT32_MAX};
	for (size_t i = p->first + 1; i < p->second && i - p->first < LONGEST && u->seen == SLICE_NONE; i++) {
		const struct event *e = told_event(f->t, i);
		if (e->thread == a->thread || e->object != a->object)
			continue;
		if (u->other == SLICE_NONE && told_writes(e) && f->values[e->written] != f->values[a->written] && f->values[e->written] != f->values[c->written])
			u->other = i;
		else if (u->other != SLICE_NONE && e->thread != told_event(f->t, u->other)->thread && told_reads(e) && f->s->saw[i] == u->other)
			u->seen = i;
	}
	return u->seen != SLICE_NONE && !is_arranged(u, f->t);
}

static void find_lock(struct undone *u, const struct told *t)
{
	struct locks_index index;
	const struct event *a = told_event(t, u->first), *c = told_event(t, u->second);
	locks_init(&index, &t->x);
	locks all[] = {locks_at(&index, a, true), locks_at(&index, told_event(t, u->other), true), locks_at(&index, told_event(t, u->seen), true), locks_at(&index, c, true)};
	for (size_t i = 0; i < all[0].n && u->given_up == UINT32_MAX; i++) {
		uint32_t lock = all[0].at[i];
		if (locks_have(&all[1], lock) && locks_have(&all[2], lock) && locks_have(&all[3], lock) && !locks_kept(&index, lock, a, c))
			u->given_up = locks_event(&t->x, lock);
	}
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		vec_free(&all[i]);
	locks_release(&index);
}

bool undone_find(struct undone *out, const struct slice *s, const struct told *t, const uint64_t *values)
{
	struct finder f = {.s = s, .t = t, .values = values};
	bool found = false;
	for (size_t i = 0; i < t->l.needed; i++)
		if (told_accesses(told_event(t, i)) && !t->l.steps.at[i].visible)
			take_access(&f, i);
	for (size_t i = f.pairs.n; i-- > 0 && !found && f.pairs.n - i <= LOOKED_AT;)
		found = is_undone(out, &f, &f.pairs.at[i]);
	if (found)
		find_lock(out, t);
	table_release(&f.places);
	table_release(&f.mine);
	vec_free(&f.pairs);
	return found;
}
