#include "infer/stale.h"

#include "infer/locks.h"

#include <string.h>

/* Steps that are looked at backwards for where a pointer was read. */
enum { BACK = 200000 };

static const struct event *event_at(const struct told *t, size_t step)
{
	return &t->x.events.at[t->l.steps.at[step].event];
}

static bool writes(const struct event *e)
{
	return (e->kind == EVENT_WRITE || e->kind == EVENT_UPDATE) && e->written;
}

/* ---- pointers ---- */

/* What a step read or wrote. */
static expr value_of(const struct event *e)
{
	return e->kind == EVENT_READ ? e->read : e->kind == EVENT_WRITE ? e->written : EXPR_NONE;
}

/* Is that a pointer to the block, and kept elsewhere? */
static bool points_in(const struct event *e, const uint64_t *values, uint64_t start, uint64_t size)
{
	expr value = value_of(e);
	uint64_t v = value ? values[value] : 0;
	return v && e->size == 8 && (v - start < size || v == start) && !(e->object - start < size);
}

static bool is_by_free(const struct told *t, const struct event *e)
{
	const char *what = t->x.sites.at[e->site].what;
	return !strcmp(what, "free") || !strcmp(what, "realloc");
}

void stale_pointer(const struct told *t, const uint64_t *values, size_t use, uint64_t start, uint64_t size, size_t *got, size_t *gone)
{
	uint32_t thread = event_at(t, use)->thread;
	*got = *gone = SLICE_NONE;
	for (size_t i = use; i-- > 0 && use - i < BACK && *got == SLICE_NONE;)
		if (event_at(t, i)->thread == thread && points_in(event_at(t, i), values, start, size))
			*got = i;
	for (size_t i = *got; *got != SLICE_NONE && ++i < use && *gone == SLICE_NONE;) {
		const struct event *e = event_at(t, i), *kept = event_at(t, *got);
		if (e->thread != thread && writes(e) && e->object == kept->object && !is_by_free(t, e) && values[e->written] != values[value_of(kept)])
			*gone = i;
	}
}

/* The read sees what somebody wrote after he had put another pointer in the place of the one that led there. */
static bool is_replaced(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values, size_t read)
{
	const struct place_name *p = execution_place(&t->x, event_at(t, read)->object);
	size_t got, gone, saw = s->saw[read];
	if (!p || !p->block_size || saw == SLICE_NONE)
		return false;
	stale_pointer(t, values, read, p->block, p->block_size, &got, &gone);
	if (gone == SLICE_NONE || saw < gone || event_at(t, saw)->thread != event_at(t, gone)->thread)
		return false;
	*out = (struct stale){got, gone, read, SLICE_NONE, UINT32_MAX};
	return true;
}

/* ---- two values ---- */

/* The thread read the one, then somebody wrote both, then the thread read the other as he left it. */
static bool is_torn(struct stale *out, const struct slice *s, const struct told *t, size_t one, size_t other)
{
	const struct event *a = event_at(t, one), *b = event_at(t, other);
	size_t saw = s->saw[other];
	if (one >= other || a->thread != b->thread || a->object == b->object || a->kind != EVENT_READ || b->kind != EVENT_READ ||
	    saw == SLICE_NONE || saw <= one || event_at(t, saw)->thread == a->thread)
		return false;
	for (size_t i = one; ++i < other;) {
		const struct event *e = event_at(t, i);
		if (e->thread == event_at(t, saw)->thread && writes(e) && e->object == a->object && !is_by_free(t, e)) {
			*out = (struct stale){one, i, other, saw, UINT32_MAX};
			return true;
		}
	}
	return false;
}

/* ---- all of it ---- */

static void find_lock(struct stale *f, const struct told *t)
{
	struct locks_index index;
	const struct event *a = event_at(t, f->first), *c = event_at(t, f->second);
	locks_init(&index, &t->x);
	locks then = locks_at(&index, a, true);
	for (size_t i = 0; i < then.n && f->given_up == UINT32_MAX; i++)
		if (!locks_kept(&index, then.at[i], a, c))
			f->given_up = locks_event(&t->x, then.at[i]);
	vec_free(&then);
	locks_release(&index);
}

bool stale_find(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values)
{
	bool found = false;
	for (size_t i = 0; i < s->asked.n && !found; i++) {
		size_t read = s->asked.at[i];
		found = read < t->l.needed && is_replaced(out, s, t, values, read);
		for (size_t k = 0; k < s->asked.n && !found; k++)
			found = s->asked.at[k] < t->l.needed && read < t->l.needed && is_torn(out, s, t, read, s->asked.at[k]);
	}
	if (found)
		find_lock(out, t);
	return found;
}
