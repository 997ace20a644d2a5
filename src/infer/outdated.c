#include "infer/outdated.h"

#include "infer/midway.h"
#include "infer/table.h"

#include <string.h>

/* Steps that are looked at backwards; events of a thread that are near one another. */
enum { BACK = 20000, NEAR = 64 };

static bool same_function(const struct told *t, size_t a, size_t b)
{
	return !strcmp(t->x.sites.at[told_event(t, a)->site].function, t->x.sites.at[told_event(t, b)->site].function);
}

/* Of one thread, whose events stand together. */
static bool are_near(const struct told *t, size_t a, size_t b)
{
	uint32_t one = t->l.steps.at[a].event, other = t->l.steps.at[b].event;
	return (one < other ? other - one : one - other) <= NEAR;
}

static bool is_asked(const struct slice *s, const struct told *t, uint64_t place)
{
	for (size_t i = 0; i < s->asked.n; i++)
		if (told_event(t, s->asked.at[i])->object == place)
			return true;
	return false;
}

/* The last write of a thread to what was read, before the step, which left something else there; SLICE_NONE. only: of this thread; UINT32_MAX: of any other than the reader's. */
static size_t changed(const struct told *t, const uint64_t *values, size_t read, size_t until, uint32_t only)
{
	const struct event *r = told_event(t, read);
	for (size_t i = until; i-- > read + 1;) {
		const struct event *e = told_event(t, i);
		if (e->object == r->object && told_writes(e) && !t->l.steps.at[i].visible)
			return e->thread != r->thread && (only == UINT32_MAX || e->thread == only) && e->size == r->size && !event_is_by_free(&t->x, e) &&
					       values[e->written] != values[r->read]
				       ? i
				       : SLICE_NONE;
	}
	return SLICE_NONE;
}

/* ---- a copy ---- */

/* Small numbers are the same by chance. */
static bool is_telling(uint64_t value)
{
	return value + 1 > 2;
}

static bool look_at_copy(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values, size_t read, size_t wrote, bool certain)
{
	const struct event *w = told_event(t, wrote);
	struct table seen = {0}; /* places that the thread has been at since */
	bool found = false;
	for (size_t i = wrote; i-- > 0 && wrote - i < BACK && !found;) {
		const struct event *e = told_event(t, i);
		if (e->thread != w->thread || !told_accesses(e))
			continue;
		if (!are_near(t, i, wrote))
			break;
		if (events_overlap(e, w) || table_at(&seen, e->object | 1)[0]++ || e->kind != EVENT_READ || e->size != w->size || values[e->read] != values[w->written])
			continue;
		size_t other = changed(t, values, i, wrote, UINT32_MAX);
		if (other == SLICE_NONE || (certain ? !is_asked(s, t, e->object) : !is_telling(values[e->read]) || !same_function(t, i, wrote)))
			continue;
		*out = (struct stale){i, other, wrote, SLICE_NONE, SLICE_NONE, read, UINT32_MAX, certain, true, false};
		found = true;
	}
	table_release(&seen);
	return found;
}

bool outdated_find_copy(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values, bool certain)
{
	bool found = false;
	for (size_t i = 0; i < s->asked.n && !found; i++) {
		size_t read = s->asked.at[i], saw = read < t->l.needed ? s->saw[read] : SLICE_NONE;
		found = saw != SLICE_NONE && told_event(t, saw)->kind == EVENT_WRITE && !event_is_by_free(&t->x, told_event(t, saw)) &&
			look_at_copy(out, s, t, values, read, saw, certain);
	}
	if (found)
		stale_find_lock(out, t);
	return found;
}

/* ---- two places ---- */

/* Are they parts of one variable, or one block? Those are read with one another, and told of as such (stale.h). */
static bool is_same_object(const struct told *t, const struct event *a, const struct event *b)
{
	const struct place_name *p = execution_place(&t->x, a->object), *q = execution_place(&t->x, b->object);
	size_t n = p ? strcspn(p->name, "+") : 0;
	return p && q && n == strcspn(q->name, "+") && !strncmp(p->name, q->name, n);
}

static bool look_at_pair(struct stale *out, const struct told *t, const uint64_t *values, size_t read, size_t wrote)
{
	const struct event *r = told_event(t, read), *w = told_event(t, wrote);
	struct table seen = {0};
	bool found = false;
	for (size_t i = read; i-- > 0 && read - i < BACK && !found;) {
		const struct event *e = told_event(t, i);
		if (e->thread != r->thread || !told_accesses(e))
			continue;
		if (!are_near(t, i, read))
			break;
		if (events_overlap(e, r) || table_at(&seen, e->object | 1)[0]++ || e->kind != EVENT_READ || !same_function(t, i, read) || is_same_object(t, e, r))
			continue;
		size_t other = changed(t, values, i, read, w->thread);
		if (other == SLICE_NONE || !are_near(t, other, wrote) || !same_function(t, other, wrote) || wrote < i)
			continue;
		*out = (struct stale){i, other, read, wrote, SLICE_NONE, SLICE_NONE, UINT32_MAX, false, false, false};
		found = true;
	}
	table_release(&seen);
	return found;
}

bool outdated_find_pair(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values)
{
	bool found = false;
	for (size_t i = 0; i < s->asked.n && !found; i++) {
		size_t read = s->asked.at[i], saw = read < t->l.needed ? s->saw[read] : SLICE_NONE;
		found = saw != SLICE_NONE && told_event(t, saw)->thread != told_event(t, read)->thread && !event_is_by_free(&t->x, told_event(t, saw)) &&
			midway_changes(&t->x, &t->l, saw, values) && look_at_pair(out, t, values, read, saw);
	}
	if (found)
		stale_find_lock(out, t);
	return found;
}
