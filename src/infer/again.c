#include "infer/again.h"

#include "infer/table.h"

/* Steps between the read and the exchange that are looked at, at most. */
enum { LONGEST = 100000 };

struct finder {
	const struct told *t;
	const uint64_t *values;
	struct table last;   /* by place and thread: its last access, step + 1 */
	struct table writes; /* by place: the last write, step + 1 */
};

/* The first or the last write of others to the place between two steps that changes it to that value, or to any other one. */
static size_t write_between(const struct finder *f, const struct event *place, size_t from, size_t to, uint64_t value, bool same, bool first)
{
	size_t found = SLICE_NONE;
	for (size_t i = from + 1; i < to && (!first || found == SLICE_NONE); i++) {
		const struct event *e = told_event(f->t, i);
		if (e->thread != place->thread && told_writes(e) && e->object == place->object && (f->values[e->written] == value) == same)
			found = i;
	}
	return found;
}

/* The last write of others between the steps, if it left something else there than the thread had read. */
static size_t changed_since(const struct finder *f, size_t read, size_t to)
{
	const struct event *e = told_event(f->t, read);
	size_t other = write_between(f, e, read, to, f->values[e->read], false, false), same = write_between(f, e, read, to, f->values[e->read], true, false);
	return other != SLICE_NONE && (same == SLICE_NONE || same < other) ? other : SLICE_NONE;
}

/* Only reads, or found something else there than it was to exchange. */
static bool is_look(const struct finder *f, const struct event *e)
{
	return told_reads(e) && (!told_writes(e) || f->values[e->read] == f->values[e->written]);
}

/* The thread had read the place, and exchanges it for what it read since: for a number also where it was a shorter one, in a table for instance. */
static bool look_at(struct again *a, const struct finder *f, size_t read, size_t swapped)
{
	const struct event *r = told_event(f->t, read), *u = told_event(f->t, swapped);
	uint64_t was = f->values[u->read], becomes = f->values[u->written];
	if (!is_look(f, r) || f->values[r->read] != was || becomes == was || swapped - read > LONGEST)
		return false;
	*a = (struct again){.read = read, .swapped = swapped, .away = write_between(f, r, read, swapped, was, false, true),
			    .back = write_between(f, r, read, swapped, was, true, false)};
	if (a->away == SLICE_NONE || a->back == SLICE_NONE || a->back < a->away)
		return false;
	for (size_t i = read + 1; i < swapped; i++) {
		const struct event *e = told_event(f->t, i);
		if (e->thread != u->thread || !told_reads(e) || e->object == u->object || e->size > u->size || f->values[e->read] != becomes)
			continue;
		a->behind = i;
		a->changed = changed_since(f, i, swapped);
		if (a->changed != SLICE_NONE)
			return true;
	}
	return false;
}

bool again_find(struct again *out, const struct told *t, const uint64_t *values)
{
	struct finder f = {.t = t, .values = values};
	bool found = false;
	for (size_t i = 0; i < t->l.needed; i++) {
		const struct event *e = told_event(f.t, i);
		if (!told_accesses(e) || t->l.steps.at[i].visible)
			continue;
		size_t *last = table_at(&f.last, e->object ^ (uint64_t)(e->thread + 1) << 48), *write = table_at(&f.writes, e->object);
		struct again a;
		bool swaps = e->kind == EVENT_UPDATE && e->read && e->written;
		if (swaps && *last && *write > *last && told_event(f.t, *write - 1)->thread != e->thread && look_at(&a, &f, *last - 1, i)) {
			*out = a;
			found = true;
		}
		*last = i + 1;
		if (told_writes(e))
			*write = i + 1;
	}
	table_release(&f.last);
	table_release(&f.writes);
	return found;
}
