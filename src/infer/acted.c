#include "infer/acted.h"

#include "infer/locks.h"

#include <stdlib.h>
#include <string.h>

/* Writes that are asked for, reads of the failing thread that are followed, reads of one write that are followed, questions about other values. */
enum { MOST_WRITES = 8, MOST_READS = 4, MOST_MORE = 2, MOST_QUESTIONS = 6 };

/* Seconds for all of it, by what a run has taken so far. */
#define LONGEST 4.0

struct finder {
	const struct told *t;
	const uint64_t *values;
	const struct rests_source *source;
	unsigned left; /* questions */
	uint32_t asked[MOST_QUESTIONS]; /* sites of the reads that were asked for, of the write that is looked at */
	size_t nasked;
};

/* ---- the writes that led to the failure ---- */

static unsigned runs_left(const struct rests_source *source)
{
	double each = source->stats->runs ? source->stats->seconds / source->stats->runs : LONGEST;
	return each * MOST_WRITES < LONGEST ? MOST_WRITES : (unsigned)(LONGEST / each);
}

static void add_write(struct acted_chain *c, const struct told *t, size_t step)
{
	const struct event *e = step != SLICE_NONE ? told_event(t, step) : NULL;
	if (!e || c->writes.n >= MOST_WRITES || event_is_by_free(&t->x, e) || t->x.threads.at[e->thread].log_number == UINT32_MAX)
		return;
	for (size_t i = 0; i < c->writes.n; i++)
		if (c->writes.at[i].step == step)
			return;
	*vec_push(&c->writes) = (struct acted_write){step, NULL};
}

/* The writes that the last of these reads found. */
static void add_found(struct acted_chain *c, const struct slice *s, const struct told *t, const uint8_t *how, uint8_t by, size_t most)
{
	for (size_t i = t->l.needed, n = 0; i-- > 0 && n < most;) {
		if (how[i] == RESTS_UNKNOWN || !(how[i] & by))
			continue;
		add_write(c, t, s->saw[i]);
		n++;
	}
}

void acted_init(struct acted_chain *c, const struct slice *s, const struct told *t, const uint8_t *how, const struct rests_source *source)
{
	unsigned left = runs_left(source);
	*c = (struct acted_chain){0};
	add_found(c, s, t, how, TIED_BY_VALUE, MOST_READS);
	add_found(c, s, t, how, TIED_BY_WAY, MOST_READS);
	for (size_t i = 0; i < c->writes.n; i++) {
		if (i >= left) {
			c->writes.n = i;
			return;
		}
		size_t step = c->writes.at[i].step;
		tied_list tied = rests_ask_write(source, told_event(t, step));
		uint8_t *rests = rests_write_steps(t, &tied, told_event(t, step));
		c->writes.at[i].how = rests;
		add_found(c, s, t, rests, TIED_BY_VALUE, MOST_MORE);
		add_found(c, s, t, rests, TIED_BY_WAY, MOST_MORE);
		vec_free(&tied);
	}
}

void acted_release(struct acted_chain *c)
{
	for (size_t i = 0; i < c->writes.n; i++)
		free(c->writes.at[i].how);
	vec_free(&c->writes);
}

/* ---- what a write was made for ---- */

/* The thread's last access to the place of a step before that; SLICE_NONE: none. */
static size_t last_own(const struct told *t, size_t step, uint64_t object, uint32_t thread)
{
	for (size_t i = step; i-- > 0;) {
		const struct event *e = told_event(t, i);
		if (e->thread == thread && told_accesses(e) && e->object == object && !t->l.steps.at[i].visible)
			return i;
	}
	return SLICE_NONE;
}

static bool same_line(const struct told *t, const struct event *a, const struct event *b)
{
	return !strcmp(t->x.sites.at[a->site].where, t->x.sites.at[b->site].where);
}

static bool is_alike(const struct told *t, size_t i, const struct event *act)
{
	const struct event *e = told_event(t, i);
	return e->thread != act->thread && told_writes(e) && e->object == act->object && same_line(t, e, act) && !t->l.steps.at[i].visible;
}

/* Another thread's write to the place in the same line, before it or else behind it; SLICE_NONE. */
static size_t done_alike(const struct told *t, size_t act)
{
	const struct event *a = told_event(t, act);
	for (size_t i = act; i-- > 0;)
		if (is_alike(t, i, a))
			return i;
	for (size_t i = act + 1; i < t->l.needed; i++)
		if (is_alike(t, i, a))
			return i;
	return SLICE_NONE;
}

/* The same for what the one did who wrote what was asked: next, and maybe elsewhere (the next element of a list); SLICE_NONE. */
static size_t done_next(const struct told *t, size_t saw, size_t act)
{
	enum { NEAR = 32 };
	const struct event *w = told_event(t, saw);
	for (size_t i = saw + 1; i < t->l.needed; i++) {
		const struct event *e = told_event(t, i);
		if (e->thread != w->thread)
			continue;
		if (e->sap > w->sap + NEAR)
			break;
		if (told_writes(e) && same_line(t, e, told_event(t, act)) && !t->l.steps.at[i].visible)
			return i;
	}
	return SLICE_NONE;
}

/* Would the thread have made the write all the same, had it read that? */
static bool acts_anyway(struct finder *f, size_t read, uint64_t value, size_t act)
{
	const struct event *r = told_event(f->t, read);
	if (!f->left)
		return true;
	f->left--;
	return !rests_would_not(f->source, told_event(f->t, act), &(struct ties_value){r->sap, r->object, value});
}

/* A lock that the thread had at the one step, and not all the time until the other. */
static uint32_t lock_given_up(const struct told *t, size_t first, size_t second)
{
	struct locks_index index;
	uint32_t found = UINT32_MAX;
	locks_init(&index, &t->x);
	locks had = locks_at(&index, told_event(t, first), true);
	for (size_t i = 0; i < had.n && found == UINT32_MAX; i++)
		if (!locks_kept(&index, had.at[i], told_event(t, first), told_event(t, second)))
			found = locks_event(&t->x, had.at[i]);
	vec_free(&had);
	locks_release(&index);
	return found;
}

/* Has the thread had a lock from the one step to the other? */
static bool in_one_section(const struct finder *f, size_t one, size_t other)
{
	const struct event *a = told_event(f->t, one), *b = told_event(f->t, other);
	struct locks_index index;
	bool kept = false;
	locks_init(&index, &f->t->x);
	locks had = locks_at(&index, a, true);
	for (size_t i = 0; i < had.n && !kept; i++)
		kept = locks_kept(&index, had.at[i], a, b);
	vec_free(&had);
	locks_release(&index);
	return kept;
}

/*
 * Does the write count on from what was there, for somebody to ask what that has come to? Not where a place is given a value; nor where the thread had asked
 * in the same line in the section in which it then wrote: what it asks later is for the next time.
 */
static bool counts_first(const struct finder *f, size_t first, const struct event *asks)
{
	enum { BACK = 8 };
	const struct event *w = told_event(f->t, first);
	size_t i = last_own(f->t, first, w->object, w->thread);
	bool counts = told_reads(w) || (i != SLICE_NONE && told_reads(told_event(f->t, i)) && (same_line(f->t, told_event(f->t, i), w) || in_one_section(f, i, first)));
	for (unsigned n = 0; counts && n < BACK && i != SLICE_NONE; n++) {
		const struct event *e = told_event(f->t, i);
		counts = !told_reads(e) || !same_line(f->t, e, asks) || !in_one_section(f, i, first);
		i = last_own(f->t, i, w->object, w->thread);
	}
	return counts;
}

/* A pointer that was put where none was, or taken away, counts nothing. */
static bool is_link(const struct finder *f, const struct event *write, const struct event *read)
{
	uint64_t one = f->values[write->written], other = f->values[read->read];
	return write->size == sizeof one && (one ? !other && one >> 32 : other >> 32);
}

/* Was it asked for what the thread read there in a later round? Those before would take all questions. */
static bool was_asked(struct finder *f, uint32_t site)
{
	for (size_t i = 0; i < f->nasked; i++)
		if (f->asked[i] == site)
			return true;
	if (f->nasked < MOST_QUESTIONS)
		f->asked[f->nasked++] = site;
	return false;
}

static bool is_late(struct finder *f, struct acted *out, const struct slice *s, size_t read, size_t act, size_t alike)
{
	const struct event *r = told_event(f->t, read);
	size_t saw = s->saw[read], first = saw != SLICE_NONE ? last_own(f->t, read, r->object, r->thread) : SLICE_NONE;
	if (first == SLICE_NONE || first > saw || told_event(f->t, saw)->thread == r->thread || r->kind != EVENT_READ || saw >= act)
		return false;
	size_t next = done_next(f->t, saw, act);
	alike = next != SLICE_NONE ? next : alike;
	const struct event *w = told_event(f->t, first);
	if (alike == SLICE_NONE || !told_writes(w) || w->size != r->size || f->values[w->written] == f->values[r->read] || same_line(f->t, w, r) || is_link(f, w, r) || !counts_first(f, first, r) ||
	    was_asked(f, r->site) || acts_anyway(f, read, f->values[w->written], act))
		return false;
	*out = (struct acted){first, saw, read, act, alike, lock_given_up(f->t, first, read), true, false};
	return true;
}

bool acted_find_late(struct acted *out, const struct acted_chain *c, const struct slice *s, const struct told *t, const uint64_t *values, const struct rests_source *source)
{
	struct finder f = {.t = t, .values = values, .source = source, .left = MOST_QUESTIONS};
	for (size_t i = 0; i < c->writes.n; i++) {
		size_t act = c->writes.at[i].step, alike = done_alike(t, act);
		f.nasked = 0;
		for (size_t k = act; k-- > 0;)
			if (c->writes.at[i].how[k] && c->writes.at[i].how[k] != RESTS_UNKNOWN && is_late(&f, out, s, k, act, alike))
				return true;
	}
	return false;
}

/* The last write to the place of a read before the step, if it is another thread's, and leaves something else there; SLICE_NONE. */
static size_t changed_since(const struct finder *f, size_t read, size_t until)
{
	const struct event *r = told_event(f->t, read);
	for (size_t i = until; i-- > read + 1;) {
		const struct event *e = told_event(f->t, i);
		if (!told_writes(e) || f->t->l.steps.at[i].visible || !events_overlap(e, r))
			continue;
		bool other = e->thread != r->thread && e->object == r->object && e->size == r->size && !event_is_by_free(&f->t->x, e);
		return other && f->values[e->written] != f->values[r->read] ? i : SLICE_NONE;
	}
	return SLICE_NONE;
}

/* Did the thread of the read create the other behind it? */
static bool is_created_since(const struct told *t, size_t read, size_t until, uint32_t thread)
{
	for (size_t i = read + 1; i < until; i++) {
		const struct event *e = told_event(t, i);
		if (e->kind == EVENT_CREATE && e->object == thread)
			return true;
	}
	return false;
}

/*
 * Did the thread neither write the place of the read before the act, nor look at it again? What it reads there only to have it (the head of a list, to be the new one's next) is no look: the
 * act does not rest on it. again: there may be such reads.
 */
static bool is_last_look(const struct finder *f, const uint8_t *how, size_t read, size_t act, bool again)
{
	const struct event *r = told_event(f->t, read);
	size_t i = last_own(f->t, act, r->object, r->thread);
	if (!again)
		return i == read;
	if (i == read)
		return false;
	while (i != SLICE_NONE && i > read && told_event(f->t, i)->kind == EVENT_READ && !(how[i] & (TIED_BY_WAY | TIED_BY_BRANCH | RESTS_UNKNOWN)))
		i = last_own(f->t, i, r->object, r->thread);
	return i == read;
}

static bool is_outdated(struct finder *f, struct acted *out, const uint8_t *how, size_t read, size_t act, bool again)
{
	const struct event *r = told_event(f->t, read);
	size_t other = r->kind == EVENT_READ && is_last_look(f, how, read, act, again) ? changed_since(f, read, act) : SLICE_NONE;
	if (other == SLICE_NONE || is_created_since(f->t, read, other, told_event(f->t, other)->thread) ||
	    acts_anyway(f, read, f->values[told_event(f->t, other)->written], act))
		return false;
	*out = (struct acted){read, other, SLICE_NONE, act, SLICE_NONE, lock_given_up(f->t, read, act), false, false};
	return true;
}

bool acted_find_outdated(struct acted *out, const struct acted_chain *c, const struct told *t, const uint64_t *values, const struct rests_source *source)
{
	struct finder f = {.t = t, .values = values, .source = source, .left = MOST_QUESTIONS};
	/* Questions are few: reads of what the thread did not touch again come first. */
	for (int again = 0; again < 2; again++)
		for (size_t i = 0; i < c->writes.n; i++)
			for (size_t k = c->writes.at[i].step; k-- > 0;)
				if (c->writes.at[i].how[k] & (TIED_BY_WAY | TIED_BY_BRANCH) && c->writes.at[i].how[k] != RESTS_UNKNOWN && is_outdated(&f, out, c->writes.at[i].how, k, c->writes.at[i].step, again))
					return true;
	return false;
}

/* Is the failure computed of that place, too, as it is when the thread fails? */
static bool is_compared(const struct finder *f, const uint8_t *how, size_t read)
{
	const struct event *r = told_event(f->t, read);
	for (size_t i = f->t->l.needed; i-- > read + 1;)
		if (how[i] & TIED_BY_VALUE && how[i] != RESTS_UNKNOWN && told_event(f->t, i)->object == r->object && f->values[told_event(f->t, i)->read] != f->values[r->read])
			return true;
	return false;
}

bool acted_find_computed(struct acted *out, const struct acted_chain *c, const struct told *t, const uint64_t *values, const uint8_t *how)
{
	struct finder f = {.t = t, .values = values};
	for (size_t i = 0; i < c->writes.n; i++)
		for (size_t k = c->writes.at[i].step; k-- > 0;) {
			const struct event *r = told_event(t, k), *act = told_event(t, c->writes.at[i].step);
			uint8_t by = c->writes.at[i].how[k];
			if (by == RESTS_UNKNOWN || !(by & TIED_BY_VALUE) || r->kind != EVENT_READ || events_overlap(r, act) || last_own(t, c->writes.at[i].step, r->object, r->thread) != k)
				continue;
			size_t other = changed_since(&f, k, c->writes.at[i].step);
			/* What is only copied is found elsewhere (outdated.c). */
			if (other == SLICE_NONE || values[act->written] == values[r->read] || !is_compared(&f, how, k))
				continue;
			*out = (struct acted){k, other, SLICE_NONE, c->writes.at[i].step, SLICE_NONE, lock_given_up(t, k, c->writes.at[i].step), false, true};
			return true;
		}
	return false;
}
