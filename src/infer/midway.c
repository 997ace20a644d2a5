#include "infer/midway.h"

static const struct event *event_at(const struct execution *x, const struct linear *l, size_t step)
{
	return &x->events.at[l->steps.at[step].event];
}

/* The thread's next event in the order. */
static const struct event *goes_on(const struct execution *x, const struct linear *l, size_t step, uint32_t thread)
{
	while (++step < l->steps.n)
		if (event_at(x, l, step)->thread == thread && !l->steps.at[step].visible)
			return event_at(x, l, step);
	return NULL;
}

uint32_t midway_lock(const struct execution *x, const struct linear *l, const struct slice *s, size_t read)
{
	size_t saw = s->saw[read];
	if (saw == SLICE_NONE || event_at(x, l, saw)->thread == event_at(x, l, read)->thread)
		return NO_LOCK;
	const struct event *w = event_at(x, l, saw), *r = event_at(x, l, read), *next = goes_on(x, l, read, w->thread);
	if (!next || next->kind == EVENT_UNLOCK)
		return NO_LOCK;
	struct locks_index index;
	locks_init(&index, x);
	locks had = locks_at(&index, w, false), mine = locks_at(&index, r, true);
	uint32_t lock = NO_LOCK;
	for (size_t i = 0; i < had.n && lock == NO_LOCK; i++)
		if (!locks_have(&mine, had.at[i]) && locks_kept(&index, had.at[i], w, next))
			lock = had.at[i];
	vec_free(&had);
	vec_free(&mine);
	locks_release(&index);
	return lock;
}

uint32_t midway_missing(const struct execution *x, const struct linear *l, const struct slice *s, size_t read, bool *readers)
{
	size_t saw = s->saw[read];
	if (saw == SLICE_NONE)
		return NO_LOCK;
	const struct event *w = event_at(x, l, saw), *r = event_at(x, l, read);
	if (w->thread == r->thread || (w->flags & r->flags & EVENT_NOTE) || w->kind != EVENT_WRITE || r->kind != EVENT_READ)
		return NO_LOCK;
	struct locks_index index;
	locks_init(&index, x);
	locks theirs = locks_at(&index, w, true), mine = locks_at(&index, r, true);
	uint32_t lock = NO_LOCK;
	*readers = mine.n;
	if (locks_common(&mine, &theirs) == NO_LOCK && !(mine.n && theirs.n))
		lock = mine.n ? mine.at[0] : theirs.n ? theirs.at[0] : NO_LOCK;
	vec_free(&theirs);
	vec_free(&mine);
	locks_release(&index);
	return lock;
}
