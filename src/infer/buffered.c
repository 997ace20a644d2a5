#include "infer/buffered.h"

#include "infer/other_way.h"

#include <stdlib.h>
#include <string.h>

/* How long a store may be delayed, and how far before its look the other's store is looked for, in steps; steps that are looked at in all. */
enum { LONGEST = 20000, BACK = 2000, MOST = 50000000 };

struct finder {
	const struct told *t;
	const uint64_t *values;
	uint64_t *symbols;
	size_t *executed; /* by event: the step; of those that are delayed */
	size_t *visible;  /* by event: where others see it */
	size_t looked;
};

static bool is_read(const struct finder *f, size_t step)
{
	return told_event(f->t, step)->kind == EVENT_READ && told_event(f->t, step)->read;
}

/* Does it matter to the thread that it has not seen the store? */
static bool is_missed(const struct finder *f, size_t read, size_t store)
{
	const struct event *r = told_event(f->t, read), *w = told_event(f->t, store);
	return r->object == w->object && r->size == w->size && f->values[r->read] != f->values[w->written] &&
	       goes_another_way(&f->t->x, f->t->l.steps.at[read].event, UINT32_MAX, f->values[w->written], f->symbols);
}

/* The store of the thread of `look`, before that, which `missed` would have seen if it had been visible. */
static size_t store_before(struct finder *f, size_t look, size_t missed)
{
	uint32_t thread = told_event(f->t, look)->thread;
	for (size_t i = look; i-- > 0 && look - i < BACK; f->looked++) {
		const struct event *e = told_event(f->t, i);
		if (e->thread != thread || f->t->l.steps.at[i].visible || e->kind != EVENT_WRITE || !events_overlap(e, told_event(f->t, missed)))
			continue;
		return f->visible[f->t->l.steps.at[i].event] > missed ? i : SLICE_NONE;
	}
	return SLICE_NONE;
}

/* Both look while the store of the one is in its buffer. */
static bool look_at(struct buffered *out, struct finder *f, size_t store, size_t seen)
{
	const struct event *s = told_event(f->t, store);
	for (size_t i = store + 1; i < seen; i++, f->looked++) {
		const struct event *e = told_event(f->t, i);
		if (e->thread == s->thread || !is_read(f, i) || !events_overlap(e, s) || !is_missed(f, i, store))
			continue;
		for (size_t k = store + 1; k < seen; k++, f->looked++) {
			if (told_event(f->t, k)->thread != s->thread || !is_read(f, k) || events_overlap(told_event(f->t, k), s))
				continue;
			size_t other = store_before(f, i, k);
			if (other == SLICE_NONE || !is_missed(f, k, other))
				continue;
			*out = (struct buffered){{store, other}, {k, i}};
			return true;
		}
	}
	return false;
}

bool buffered_find(struct buffered *out, const struct told *t, const uint64_t *values, uint64_t *symbols)
{
	struct finder f = {t, values, symbols, xcalloc(t->x.events.n + 1, sizeof *f.executed), xcalloc(t->x.events.n + 1, sizeof *f.visible), 0};
	for (size_t i = 0; i < t->l.steps.n; i++) {
		uint32_t event = t->l.steps.at[i].event;
		if (!t->l.steps.at[i].visible)
			f.executed[event] = i;
		f.visible[event] = i; /* the later of both */
	}
	bool found = false;
	for (size_t i = t->l.needed; i-- > 0 && !found && f.looked < MOST;) {
		uint32_t event = t->l.steps.at[i].event;
		if (t->l.steps.at[i].visible && i - f.executed[event] < LONGEST)
			found = look_at(out, &f, f.executed[event], i);
	}
	free(f.executed);
	free(f.visible);
	return found;
}
