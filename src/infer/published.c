#include "infer/published.h"

#include "infer/locks.h"
#include "model/tied.h"

#include <stdlib.h>
#include <string.h>

/* Steps that are looked at, backwards for who has shown it, and forwards for who fills it; and what was read from others in those, at most. */
enum { BACK = 20000, AHEAD = 200000, LOOKED_AT = 16 };

/* Other times that are enough to say how it is meant; and how much longer than in those it may take to be filled, in SAPs: so many times, and so many more. */
enum { ENOUGH = 2, TIMES = 2, MORE = 16 };

/* Events of a thread that are near one another. */
enum { NEAR = 32 };

static bool same_line(const struct told *t, const struct event *a, const struct event *b)
{
	return a->site == b->site || !strcmp(t->x.sites.at[a->site].where, t->x.sites.at[b->site].where);
}

/* The first write of the thread to the place of a read, among these steps; SLICE_NONE: there is none, or it is freed. */
static size_t write_of(const struct told *t, uint32_t thread, size_t read, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct event *e = told_event(t, i);
		if (e->thread == thread && told_writes(e) && !t->l.steps.at[i].visible && events_overlap(e, told_event(t, read)))
			return event_is_by_free(&t->x, e) ? SLICE_NONE : i;
	}
	return SLICE_NONE;
}

/* ---- is it meant to be filled by then? ---- */

/* A pointer into the block of the place, in which that thread has not written the place yet. */
static bool leads_to_nothing(const struct published *p, const struct slice *s, const struct told *t, const uint64_t *values)
{
	const struct event *shown = told_event(t, p->shown), *read = told_event(t, p->read);
	const struct place_name *place = execution_place(&t->x, read->object);
	size_t saw = s->saw[p->read];
	bool blank = saw == SLICE_NONE || !strcmp(t->x.sites.at[told_event(t, saw)->site].what, "calloc");
	return blank && place && place->block_size && shown->size == 8 && values[shown->written] - place->block < place->block_size;
}

/*
 * Did the thread show it and fill it in one function, and only write in between? Who gives up a lock by hand has to look before he writes again. What is read in
 * one line are parts of one thing rather, of which none leads to another.
 */
static bool belong_together(const struct published *p, const struct told *t)
{
	uint32_t from = t->l.steps.at[p->shown].event, to = t->l.steps.at[p->filled].event; /* a thread's events stand together */
	const struct event *shown = told_event(t, p->shown), *filled = told_event(t, p->filled);
	bool together = !same_line(t, told_event(t, p->seen), told_event(t, p->read)) && from < to && to - from <= NEAR && !strcmp(t->x.sites.at[shown->site].function, t->x.sites.at[filled->site].function);
	for (uint32_t i = from + 1; i < to && together; i++)
		together = t->x.events.at[i].kind == EVENT_WRITE;
	return together;
}

/* Counts how often, in the same lines, the place was found as it was filled behind what had been shown. The longest that this took, in SAPs of who did. */
static uint64_t count_others(struct published *p, const struct slice *s, const struct told *t)
{
	const struct event *shown = told_event(t, p->shown), *seen = told_event(t, p->seen), *read = told_event(t, p->read), *filled = told_event(t, p->filled);
	size_t *last = xcalloc(t->x.threads.n + 1, sizeof *last); /* by thread: where it was seen, + 1 */
	uint64_t longest = 0;
	for (size_t i = 0; i < t->l.needed; i++) {
		const struct event *e = told_event(t, i);
		if (!told_reads(e) || s->saw[i] == SLICE_NONE || t->l.steps.at[i].visible)
			continue;
		const struct event *saw = told_event(t, s->saw[i]);
		if (saw->thread != e->thread && same_line(t, e, seen) && same_line(t, saw, shown))
			last[e->thread] = i + 1;
		if (!last[e->thread] || !same_line(t, e, read) || !same_line(t, saw, filled))
			continue;
		const struct event *by = told_event(t, s->saw[last[e->thread] - 1]);
		if (saw->thread != by->thread || saw->sap <= by->sap)
			continue;
		p->in_time++;
		longest = saw->sap - by->sap > longest ? saw->sap - by->sap : longest;
		last[e->thread] = 0;
	}
	free(last);
	return longest;
}

/* Parts of one thing that is assigned at once, in words: whoever has seen the one wants the other, too. led: the one is known to have led to the other. */
static bool is_one_statement(const struct told *t, const struct event *shown, const struct event *filled, bool led)
{
	enum { WORDS = 4, LARGEST = 64 }; /* SAPs, bytes */
	uint64_t apart = shown->object < filled->object ? filled->object - shown->object : shown->object - filled->object;
	return same_line(t, shown, filled) && filled->sap > shown->sap && filled->sap - shown->sap < WORDS && (led || apart < LARGEST);
}

/* Has the reader left something there itself before, and the other overwritten that? Then nothing was shown to it. */
static bool is_overwritten(const struct published *p, const struct told *t)
{
	const struct event *seen = told_event(t, p->seen);
	for (size_t i = p->shown; i-- > 0 && p->shown - i < BACK;) {
		const struct event *e = told_event(t, i);
		if (told_writes(e) && !t->l.steps.at[i].visible && events_overlap(e, seen))
			return e->thread == seen->thread;
	}
	return false;
}

/* What the library counts for itself, the references to an object, is as it is meant to be at any time. */
static bool is_account(const struct published *p, const struct told *t)
{
	return (told_event(t, p->read)->flags | told_event(t, p->filled)->flags) & EVENT_ACCOUNT;
}

/*
 * Does the one fill it in a later round of a loop? It showed the like again by then, or has to go back in the code for that: sites are numbered in its order. What other
 * times tell is then how the rounds happened to fall.
 */
static bool is_next_round(const struct published *p, const struct told *t)
{
	const struct event *shown = told_event(t, p->shown), *filled = told_event(t, p->filled);
	const struct site_info *from = &t->x.sites.at[shown->site], *to = &t->x.sites.at[filled->site];
	if (from->number && to->number && to->number < from->number && !strcmp(from->function, to->function))
		return true;
	for (uint32_t i = t->l.steps.at[p->shown].event + 1; i < t->l.steps.at[p->filled].event; i++)
		if (told_writes(&t->x.events.at[i]) && same_line(t, &t->x.events.at[i], shown))
			return true;
	return false;
}

/* Who counts as the other did need not have gone by that. */
static bool is_count(const struct published *p, const struct told *t)
{
	return told_event(t, p->shown)->kind == EVENT_UPDATE && told_event(t, p->seen)->kind == EVENT_UPDATE;
}

/* The thread's access to the same place that comes next, or came last; UINT32_MAX: none near. */
static uint32_t near_access(const struct told *t, uint32_t event, bool next)
{
	const struct event *e = &t->x.events.at[event];
	const struct execution_thread *by = &t->x.threads.at[e->thread];
	for (uint32_t i = 1; i <= NEAR; i++) {
		if (next ? event + i >= by->first + by->count : event < by->first + i)
			return UINT32_MAX;
		uint32_t at = next ? event + i : event - i;
		if (told_accesses(&t->x.events.at[at]) && events_overlap(&t->x.events.at[at], e))
			return at;
	}
	return UINT32_MAX;
}

/* Do both change the place by what they find there, in one line each (`missing--`)? Who loses one of two such changes did not look too early. */
static bool both_change(const struct published *p, const struct told *t)
{
	const struct event *read = told_event(t, p->read), *filled = told_event(t, p->filled);
	uint32_t then = near_access(t, t->l.steps.at[p->read].event, true), before = near_access(t, t->l.steps.at[p->filled].event, false);
	return then != UINT32_MAX && told_writes(&t->x.events.at[then]) && same_line(t, &t->x.events.at[then], read) && before != UINT32_MAX && told_reads(&t->x.events.at[before]) &&
	       same_line(t, &t->x.events.at[before], filled);
}

/* Was the reader created when that had been shown? Then it has been there for it all the time, and what is filled later is filled for some other reason. */
static bool is_known_from_birth(const struct published *p, const struct told *t)
{
	const struct event *shown = told_event(t, p->shown);
	uint32_t reader = told_event(t, p->seen)->thread;
	for (size_t i = p->shown; i < p->seen; i++)
		if (told_event(t, i)->kind == EVENT_CREATE && told_event(t, i)->object == reader)
			return told_event(t, i)->thread == shown->thread;
	return false;
}

static bool is_late(struct published *p, const struct slice *s, const struct told *t, const uint64_t *values)
{
	uint64_t longest = count_others(p, s, t), took = told_event(t, p->filled)->sap - told_event(t, p->shown)->sap;
	return leads_to_nothing(p, s, t, values) || (p->in_time >= ENOUGH && took <= TIMES * longest + MORE && !is_next_round(p, t) && !is_count(p, t) &&
					       !is_known_from_birth(p, t));
}

/*
 * Who read both did so in one section of a lock, and then wrote what the failure found; the one showed the first with that lock, gave it up, and shortly afterwards changed the
 * second: a section too short.
 */
static bool are_halves(struct published *p, const struct told *t, const uint64_t *values)
{
	const struct event *shown = told_event(t, p->shown), *seen = told_event(t, p->seen), *read = told_event(t, p->read), *filled = told_event(t, p->filled);
	uint32_t from = t->l.steps.at[p->shown].event, to = t->l.steps.at[p->filled].event; /* a thread's events stand together */
	if (from > to || to - from > NEAR || values[filled->written] == values[read->read])
		return false;
	struct locks_index index;
	locks_init(&index, &t->x);
	locks had = locks_at(&index, shown, false);
	bool halves = false;
	for (size_t i = 0; i < had.n && !halves; i++) {
		halves = locks_kept(&index, had.at[i], seen, told_event(t, p->led)) && !locks_kept(&index, had.at[i], shown, filled);
		p->given_up = halves ? locks_event(&t->x, had.at[i]) : UINT32_MAX;
	}
	vec_free(&had);
	locks_release(&index);
	return halves;
}

/* ---- all of it ---- */

/*
 * What was shown is looked for from the read on backwards; what other times or a pointer tell comes first. led: what the thread of the read wrote then, and the failure depends on;
 * SLICE_NONE: it depends on the read.
 */
static bool look_at(struct published *p, const struct slice *s, const struct told *t, const uint64_t *values, const uint8_t *how, size_t read, size_t led)
{
	const struct event *e = told_event(t, read);
	struct published together = {.filled = SLICE_NONE};
	unsigned looked = 0;
	for (size_t i = read; i-- > 0 && read - i < BACK && looked < LOOKED_AT;) {
		const struct event *v = told_event(t, i);
		size_t shown = v->thread == e->thread && told_reads(v) && !events_overlap(v, e) ? s->saw[i] : SLICE_NONE;
		if (shown == SLICE_NONE || told_event(t, shown)->thread == e->thread || (how && how[read] && !how[i]))
			continue;
		looked++;
		uint32_t other = told_event(t, shown)->thread;
		size_t end = t->l.steps.n - read > AHEAD ? read + AHEAD : t->l.steps.n;
		if (write_of(t, other, read, shown, read) != SLICE_NONE)
			continue;
		size_t filled = write_of(t, other, read, read, end);
		if (filled == SLICE_NONE)
			continue;
		*p = (struct published){shown, i, read, filled, 0, led, UINT32_MAX};
		if (led != SLICE_NONE && are_halves(p, t, values))
			return true;
		if (led != SLICE_NONE)
			continue;
		if (is_one_statement(t, told_event(t, shown), told_event(t, filled), how && how[i] & (TIED_BY_WAY | TIED_BY_BRANCH)) && !is_overwritten(p, t))
			return true;
		if (same_line(t, told_event(t, shown), told_event(t, filled)) || both_change(p, t) || is_account(p, t))
			continue;
		if (is_late(p, s, t, values))
			return true;
		if (together.filled == SLICE_NONE && belong_together(p, t))
			together = *p;
	}
	*p = together;
	return together.filled != SLICE_NONE;
}

/* What who wrote that had read shortly before. */
static bool look_behind(struct published *p, const struct slice *s, const struct told *t, const uint64_t *values, size_t wrote)
{
	const struct event *w = told_event(t, wrote);
	for (size_t i = wrote; i-- > 0 && wrote - i < BACK;) {
		const struct event *e = told_event(t, i);
		if (e->thread != w->thread)
			continue;
		if (t->l.steps.at[wrote].event - t->l.steps.at[i].event > NEAR)
			break;
		if (told_reads(e) && e->object != w->object && look_at(p, s, t, values, NULL, i, wrote))
			return true;
	}
	return false;
}

bool published_find(struct published *out, const struct slice *s, const struct told *t, const uint64_t *values, const uint8_t *how)
{
	for (size_t i = 0; i < s->asked.n; i++) {
		size_t read = s->asked.at[i];
		if (read < t->l.needed && !slice_is_beside(s, i) && ((how && look_at(out, s, t, values, how, read, SLICE_NONE)) || look_at(out, s, t, values, NULL, read, SLICE_NONE)))
			return true;
	}
	return false;
}

bool published_find_behind(struct published *out, const struct slice *s, const struct told *t, const uint64_t *values)
{
	for (size_t i = 0; i < s->asked.n; i++) {
		size_t read = s->asked.at[i], saw = read < t->l.needed ? s->saw[read] : SLICE_NONE;
		if (saw != SLICE_NONE && told_event(t, saw)->thread != told_event(t, read)->thread && look_behind(out, s, t, values, saw) &&
		    told_event(t, out->shown)->thread == told_event(t, read)->thread)
			return true;
	}
	return false;
}
