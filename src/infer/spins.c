#include "infer/spins.h"

#include "infer/slice.h"

#include <string.h>

/* Looks that are enough; a thread's writes before those that may have told another; SAPs that these are before. */
enum { LOOKS = 2, WRITES = 4, NEAR = 32 };

static uint64_t value_of(const struct told *t, const uint64_t *values, size_t step)
{
	const struct event *e = told_event(t, step);
	return values[told_writes(e) ? e->written : e->read];
}

static bool is_access(const struct told *t, size_t step)
{
	return told_accesses(told_event(t, step)) && !t->l.steps.at[step].visible;
}

/* The last place that the thread has looked at several times, and found the same, since it wrote last. *first: the first of these looks. */
static size_t last_look(const struct told *t, const uint64_t *values, uint32_t thread, size_t *first)
{
	size_t last = SLICE_NONE, looks = 0;
	for (size_t i = t->l.steps.n; i-- > 0;) {
		const struct event *e = told_event(t, i);
		if (e->thread != thread || !is_access(t, i))
			continue;
		if (told_writes(e))
			break;
		last = last == SLICE_NONE ? i : last;
		const struct event *l = told_event(t, last);
		if (e->object != l->object || e->size != l->size || e->site != l->site)
			continue;
		if (values[e->read] != values[l->read])
			break;
		*first = i;
		looks++;
	}
	return looks >= LOOKS ? last : SLICE_NONE;
}

/* The last write to the place of the read before the step; SLICE_NONE. */
static size_t last_write(const struct told *t, size_t read, size_t until)
{
	for (size_t i = until; i-- > 0;)
		if (is_access(t, i) && told_writes(told_event(t, i)) && events_overlap(told_event(t, i), told_event(t, read)))
			return i;
	return SLICE_NONE;
}

static bool is_whole(const struct event *write, const struct event *read)
{
	return write->object == read->object && write->size == read->size;
}

/* Did another thread look there for the last time before that? */
static size_t looked_before(const struct told *t, size_t wrote)
{
	const struct event *w = told_event(t, wrote);
	size_t looked = SLICE_NONE;
	for (size_t i = 0; i < t->l.steps.n; i++) {
		const struct event *e = told_event(t, i);
		if (e->thread == w->thread || !is_access(t, i) || !events_overlap(e, w))
			continue;
		if (i > wrote)
			return SLICE_NONE; /* somebody has seen it, or written over it */
		if (e->kind == EVENT_READ)
			looked = i;
		else if (looked != SLICE_NONE && e->thread != told_event(t, looked)->thread)
			looked = SLICE_NONE;
	}
	return looked;
}

/* What the thread wrote last before it went round was to be seen by who would have let it go on. */
static void find_told(struct spin *s, const struct told *t, size_t first)
{
	const struct event *look = told_event(t, first);
	for (size_t i = first, writes = 0; i-- > 0 && writes < WRITES;) {
		const struct event *e = told_event(t, i);
		if (e->thread != look->thread || !is_access(t, i) || !told_writes(e))
			continue;
		if (e->sap + NEAR < look->sap)
			return;
		writes++;
		s->looked = events_overlap(e, look) ? SLICE_NONE : looked_before(t, i);
		s->told = i;
		if (s->looked != SLICE_NONE)
			return;
	}
	s->looked = s->told = SLICE_NONE;
}

bool spins_find(struct spin *out, const struct told *t, const uint64_t *values, uint32_t thread)
{
	size_t first = SLICE_NONE, read = last_look(t, values, thread, &first);
	if (read == SLICE_NONE)
		return false;
	*out = (struct spin){read, last_write(t, read, t->l.steps.n), SLICE_NONE, SLICE_NONE, SLICE_NONE};
	const struct event *r = told_event(t, read);
	if (out->is == SLICE_NONE) {
		find_told(out, t, first);
		return true;
	}
	if (!is_whole(told_event(t, out->is), r) || value_of(t, values, out->is) != values[r->read])
		return false;
	size_t before = last_write(t, read, out->is);
	bool missed = before != SLICE_NONE && before > first && told_event(t, before)->thread != thread && is_whole(told_event(t, before), r) &&
		      value_of(t, values, before) != values[r->read];
	for (size_t i = before; missed && ++i < out->is;)
		missed = told_event(t, i)->thread != thread || !is_access(t, i) || !events_overlap(told_event(t, i), r);
	out->missed = missed ? before : SLICE_NONE;
	if (!missed)
		find_told(out, t, first);
	return true;
}
