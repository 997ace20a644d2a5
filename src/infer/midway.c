#include "infer/midway.h"

#include "infer/told.h"

#include <string.h>

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

/* Was the write there before the thread of the read began? */
static bool is_from_before(const struct execution *x, const struct linear *l, size_t write, const struct event *r)
{
	size_t i = 0;
	while (i < l->steps.n && event_at(x, l, i)->thread != r->thread)
		i++;
	return write < i;
}

/* Has the writer given up a lock since, which the reader got after that, or ended, and the reader has waited for that? Then the one comes after the other. */
static bool is_handed_over(const struct execution *x, const struct linear *l, size_t write, size_t read)
{
	uint32_t writer = event_at(x, l, write)->thread, reader = event_at(x, l, read)->thread;
	vec(uint64_t) given_up = {0};
	bool handed = false;
	for (size_t i = write; ++i < read && !handed;) {
		const struct event *e = event_at(x, l, i);
		if (l->steps.at[i].visible)
			continue;
		if (e->thread == writer && e->kind == EVENT_UNLOCK)
			*vec_push(&given_up) = e->object;
		handed = e->thread == reader && e->kind == EVENT_JOIN && e->object == writer;
		for (size_t k = 0; e->thread == reader && e->kind == EVENT_LOCK && k < given_up.n && !handed; k++)
			handed = given_up.at[k] == e->object;
	}
	vec_free(&given_up);
	return handed;
}

uint32_t midway_missing(const struct execution *x, const struct linear *l, const struct slice *s, size_t read, bool *readers)
{
	size_t saw = s->saw[read];
	if (saw == SLICE_NONE)
		return NO_LOCK;
	const struct event *w = event_at(x, l, saw), *r = event_at(x, l, read);
	if (w->thread == r->thread || (w->flags & r->flags & EVENT_NOTE) || w->kind != EVENT_WRITE || r->kind != EVENT_READ || is_from_before(x, l, saw, r) || is_handed_over(x, l, saw, read))
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

bool midway_apart(const struct execution *x, const struct linear *l, size_t one, size_t other, uint32_t by[2])
{
	struct locks_index index;
	const struct event *a = event_at(x, l, one), *b = event_at(x, l, other);
	locks_init(&index, x);
	locks mine = locks_at(&index, a, true), theirs = locks_at(&index, b, true);
	bool apart = !(a->flags & b->flags & EVENT_NOTE) && mine.n && theirs.n && locks_common(&mine, &theirs) == NO_LOCK;
	by[0] = apart ? mine.at[0] : NO_LOCK;
	by[1] = apart ? theirs.at[0] : NO_LOCK;
	vec_free(&mine);
	vec_free(&theirs);
	locks_release(&index);
	return apart;
}

static bool same_line(const struct execution *x, const struct event *a, const struct event *b)
{
	return !strcmp(x->sites.at[a->site].where, x->sites.at[b->site].where);
}

static bool same_function(const struct execution *x, const struct event *a, const struct event *b)
{
	return !strcmp(x->sites.at[a->site].function, x->sites.at[b->site].function);
}

/* Is there an access of the thread to the place among these steps, in that line or any? */
static bool looks_between(const struct execution *x, const struct linear *l, size_t from, size_t to, const struct event *r, const struct event *line)
{
	for (size_t i = from; i < to; i++) {
		const struct event *e = event_at(x, l, i);
		if (e->thread == r->thread && told_accesses(e) && e->object == r->object && (!line || same_line(x, e, line)))
			return true;
	}
	return false;
}

bool midway_changes(const struct execution *x, const struct linear *l, size_t write, const uint64_t *values)
{
	const struct event *w = event_at(x, l, write);
	for (size_t i = write; i-- > 0;) {
		const struct event *e = event_at(x, l, i);
		if (told_accesses(e) && e->object == w->object && e->size == w->size && !l->steps.at[i].visible)
			return values[told_writes(e) ? e->written : e->read] != values[w->written];
	}
	return true;
}

size_t midway_wait(const struct execution *x, const struct linear *l, const struct slice *s, size_t read, const uint64_t *values, bool *looked, bool *still)
{
	enum { NEAR = 6 };
	const struct event *r = event_at(x, l, read);
	size_t waited = read;
	while (waited-- > 0 && !(event_at(x, l, waited)->thread == r->thread && event_at(x, l, waited)->flags & EVENT_WAITED))
		;
	if (waited == SIZE_MAX || s->saw[read] == SLICE_NONE)
		return SLICE_NONE;
	for (size_t i = waited; i-- > 0;) {
		const struct event *e = event_at(x, l, i);
		if (e->thread != r->thread || !told_accesses(e) || e->object != r->object)
			continue;
		if (!told_reads(e)) /* what it put there itself it had not looked at */
			return SLICE_NONE;
		const struct event *back = event_at(x, l, waited);
		*still = s->saw[read] < i;
		if (e->sap > back->before || (*still ? e->sap + NEAR < back->before || r->sap > back->sap + NEAR : !midway_changes(x, l, s->saw[read], values)))
			return SLICE_NONE;
		*looked = looks_between(x, l, waited + 1, read, r, NULL);
		/* The line that it looked in before: a loop, which has gone round. */
		return same_line(x, r, e) || (*looked && (looks_between(x, l, waited + 1, read, r, e) || !same_function(x, r, e))) ? SLICE_NONE : waited;
	}
	return SLICE_NONE;
}
