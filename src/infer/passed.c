#include "infer/passed.h"

#include "infer/locks.h"
#include "infer/table.h"

#include <stdlib.h>
#include <string.h>

/* Steps that are looked at backwards for the first place, and places of the thread's among them; how often threads have to have kept their order, if nothing else tells. */
enum { BACK = 20000, PLACES = 64, ENOUGH = 8 };

struct finder {
	const struct told *t;
	const uint64_t *values;
	/* What the failing thread found of what the two wrote, where it compares elements: a part, perhaps, of what was written at once. SLICE_NONE: it does not. */
	size_t found_other, found_second;
};

static bool same_line(const struct finder *f, size_t a, size_t b)
{
	const struct site_info *sites = f->t->x.sites.at;
	return !strcmp(sites[told_event(f->t, a)->site].where, sites[told_event(f->t, b)->site].where);
}

/* What it leaves there; of a read, what it found. */
static uint64_t value_at(const struct finder *f, size_t step)
{
	const struct event *e = told_event(f->t, step);
	return f->values[told_writes(e) ? e->written : e->read];
}

static bool is_access_of(const struct finder *f, size_t step, uint32_t thread, uint64_t place)
{
	const struct event *e = told_event(f->t, step);
	return e->thread == thread && e->object == place && told_accesses(e) && !f->t->l.steps.at[step].visible;
}

/* Does the thread access something there in that line? What belongs together may lie in another element for each thread. */
static bool is_in_line(const struct finder *f, size_t step, uint32_t thread, size_t line)
{
	const struct event *e = told_event(f->t, step);
	return e->thread == thread && told_accesses(e) && !f->t->l.steps.at[step].visible && same_line(f, step, line);
}

/* The other's last access to the place in the line of the thread's, before it wrote the second; SLICE_NONE: none, or it has not come to that by the thread's way. */
static size_t came_behind(const struct finder *f, size_t first, size_t other, size_t second)
{
	const struct event *a = told_event(f->t, first), *o = told_event(f->t, other);
	bool same_way = false;
	for (size_t i = other + 1; i-- > first + 1;) {
		same_way |= is_in_line(f, i, o->thread, second);
		if (is_access_of(f, i, o->thread, a->object) && same_line(f, i, first))
			return same_way && (told_writes(a) || told_writes(told_event(f->t, i))) ? i : SLICE_NONE;
	}
	return SLICE_NONE;
}

/* Did the thread of `from` find the value at the first place, in that line, or leave it there? */
static bool had_value(const struct finder *f, size_t from, uint64_t value, bool left)
{
	const struct event *e = told_event(f->t, from);
	for (size_t i = from + 1; i-- > 0 && from - i < BACK;) {
		const struct event *a = told_event(f->t, i);
		if (a->thread != e->thread)
			continue;
		if (!same_line(f, i, from))
			return false;
		if (is_access_of(f, i, e->thread, e->object) && (left ? told_writes(a) && f->values[a->written] == value : told_reads(a) && f->values[a->read] == value))
			return true;
	}
	return false;
}

/* Nought and one tell nothing, they are what flags are; nor does what both had, nor a character: there are too few. */
static bool is_by_value(const struct finder *f, const struct passed *p)
{
	const struct event *second = told_event(f->t, p->second);
	bool elements = f->found_other != SLICE_NONE;
	uint64_t value = told_event(f->t, p->other)->size > 1 ? value_at(f, elements ? f->found_other : p->other) : 0;
	value = value > 1 ? value : 0;
	bool only_writes = told_writes(second) && !told_reads(second), found = false;
	for (int left = 0; left < 2 && !found && value; left++)
		found = had_value(f, p->then, value, left) && !had_value(f, p->first, value, left) &&
			(!only_writes || had_value(f, p->first, value_at(f, elements ? f->found_second : p->second), left));
	return found;
}

/* How often a thread came from the first line to the second behind another, in the order in which they had been at the first; 0: once they did not. */
static size_t count_in_order(const struct finder *f, const struct passed *p)
{
	uint64_t one = told_event(f->t, p->first)->object;
	size_t *number = xcalloc(f->t->x.threads.n + 1, sizeof *number), last = 0, highest = 0, n = 0, out_of_order = 0;
	uint32_t before = UINT32_MAX; /* the thread that came there last */
	for (size_t i = 0; i < p->second; i++) {
		const struct event *e = told_event(f->t, i);
		if (is_access_of(f, i, e->thread, one) && same_line(f, i, p->first))
			number[e->thread] = ++last;
		if (!number[e->thread] || !is_in_line(f, i, e->thread, p->second))
			continue;
		n += number[e->thread] > highest && before != UINT32_MAX && before != e->thread;
		before = e->thread;
		out_of_order += number[e->thread] < highest;
		highest = number[e->thread] > highest ? number[e->thread] : highest;
		number[e->thread] = 0;
	}
	free(number);
	return out_of_order ? 0 : n;
}

/* References are counted by headers of the system wherever a shared pointer is copied: who was there first says nothing. */
static bool is_library_count(const struct finder *f, const struct event *e)
{
	return e->flags & EVENT_SYSTEM && (e->kind == EVENT_UPDATE || !strcmp(f->t->x.sites.at[e->site].what, "atomic"));
}

/* The thread's places before the second, each where it was last; the nearest that the values tell of, else the nearest of those where threads kept their order. */
static bool look_at(struct passed *out, const struct finder *f, size_t other, size_t second)
{
	const struct event *o = told_event(f->t, other), *s = told_event(f->t, second);
	struct table seen = {0};
	bool found = false;
	if (o->thread == s->thread || event_is_by_free(&f->t->x, o) || event_is_by_free(&f->t->x, s) || is_library_count(f, o) || is_library_count(f, s))
		return false;
	for (size_t i = second; i-- > 0 && second - i < BACK && seen.n < PLACES;) {
		const struct event *e = told_event(f->t, i);
		/* The same line twice is a loop that goes from element to element, not a second stage. */
		if (e->thread != s->thread || !told_accesses(e) || events_overlap(e, s) || same_line(f, i, second) || is_library_count(f, e) || table_at(&seen, e->object | 1)[0]++)
			continue;
		struct passed p = {i, came_behind(f, i, other, second), other, second, false, 0, UINT32_MAX};
		if (p.then == SLICE_NONE || is_library_count(f, told_event(f->t, p.then)))
			continue;
		p.by_value = is_by_value(f, &p);
		p.in_order = count_in_order(f, &p);
		if (!p.by_value && (found || p.in_order < ENOUGH))
			continue;
		*out = p;
		found = true;
		if (p.by_value)
			break;
	}
	table_release(&seen);
	return found;
}

static void find_lock(struct passed *p, const struct told *t)
{
	struct locks_index index;
	const struct event *a = told_event(t, p->first);
	locks_init(&index, &t->x);
	locks had = locks_at(&index, a, true), others = locks_at(&index, told_event(t, p->then), true);
	for (size_t i = 0; i < had.n && p->given_up == UINT32_MAX; i++)
		if (locks_have(&others, had.at[i]) && !locks_kept(&index, had.at[i], a, told_event(t, p->second)))
			p->given_up = locks_event(&t->x, had.at[i]);
	vec_free(&had);
	vec_free(&others);
	locks_release(&index);
}

/* The last write to the place before the step, of another thread than the step's; SLICE_NONE. */
static size_t overwritten(const struct finder *f, size_t step)
{
	const struct event *e = told_event(f->t, step);
	for (size_t i = step; i-- > 0 && step - i < BACK;) {
		const struct event *w = told_event(f->t, i);
		if (w->object == e->object && told_writes(w) && !f->t->l.steps.at[i].visible)
			return w->thread != e->thread ? i : SLICE_NONE;
	}
	return SLICE_NONE;
}

/*
 * The failing thread goes from element to element, in one line, and compares each with the one before: who wrote that before the read's, in the line of that one's writer? Both came to the
 * second place, which is another element for each. SLICE_NONE: nobody.
 */
static size_t wrote_before(struct finder *f, const struct slice *s, size_t read)
{
	const struct event *r = told_event(f->t, read);
	size_t saw = s->saw[read];
	for (size_t i = read; i-- > 0 && read - i < BACK;) {
		const struct event *e = told_event(f->t, i);
		if (e->thread != r->thread || e->kind != EVENT_READ || e->object == r->object || e->size != r->size || !same_line(f, i, read))
			continue;
		size_t before = s->saw[i];
		bool other = before != SLICE_NONE && before < saw && told_event(f->t, before)->thread != told_event(f->t, saw)->thread && same_line(f, before, saw);
		f->found_other = other ? i : SLICE_NONE;
		f->found_second = read;
		return other ? before : SLICE_NONE;
	}
	return SLICE_NONE;
}

bool passed_find(struct passed *out, const struct slice *s, const struct told *t, const uint64_t *values)
{
	bool found = false;
	for (size_t i = 0; i < s->asked.n && !(found && out->by_value); i++) {
		struct finder f = {t, values, SLICE_NONE, SLICE_NONE};
		size_t read = s->asked.at[i], saw = read < t->l.needed ? s->saw[read] : SLICE_NONE, before = saw != SLICE_NONE ? overwritten(&f, saw) : SLICE_NONE;
		struct passed p;
		if ((saw != SLICE_NONE && look_at(&p, &f, saw, read)) || (before != SLICE_NONE && look_at(&p, &f, before, saw))) {
			*out = p;
			found = true;
		}
		size_t element = saw != SLICE_NONE && !(found && out->by_value) ? wrote_before(&f, s, read) : SLICE_NONE;
		if (element != SLICE_NONE && look_at(&p, &f, element, saw) && p.by_value) {
			*out = p;
			found = true;
		}
	}
	if (found)
		find_lock(out, t);
	return found;
}
