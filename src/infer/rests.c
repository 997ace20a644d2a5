#include "infer/rests.h"

#include "infer/midway.h"
#include "infer/table.h"
#include "solve/solver.h"

#include <stdlib.h>
#include <string.h>

/* Shared access points of the failing thread that are looked at, from its end; reads near its end that something is looked for before;
 * steps between two that are of one look. */
enum { WINDOW = 20000, TRIED = 8, NEAR = 1000 };

/*
 * Seconds that a run of the executor may have taken on average: else another one takes too long. And those for all questions together, besides as many as it took to find
 * the interleaving: where what is read is followed, laps of threads that poll are not left out, so that a run may take far longer than the others did.
 */
#define LONGEST 5.0
#define ALL_QUESTIONS 3.0

/* ---- asking ---- */

/* The first SAP of a thread whose reads are followed, for something at that SAP. */
static uint64_t first_followed(uint64_t sap)
{
	return sap > WINDOW ? sap - WINDOW : 0;
}

static const struct execution_thread *failing_thread(const struct execution *x)
{
	const struct execution_thread *found = NULL;
	for (size_t i = 0; i < x->threads.n; i++) {
		const struct execution_thread *t = &x->threads.at[i];
		if (!t->count || !(x->events.at[t->first + t->count - 1].flags & EVENT_FAILS))
			continue;
		if (found)
			return NULL; /* they wait for one another */
		found = t;
	}
	return found;
}

static tied_list ask_thread(const struct rests_source *source, const struct ties_asked *asked, const ties_values *values)
{
	tied_list tied = {0};
	struct error err;
	double left = ALL_QUESTIONS + source->stats->seconds - *source->spent, start = solver_clock();
	if (asked->thread == UINT32_MAX || !source->stats->runs || source->stats->seconds > LONGEST * source->stats->runs || left <= 0)
		return tied;
	if (!explorer_ties(source->e, asked, values, source->x, source->symbols, left < 2 * LONGEST ? left : 2 * LONGEST, &tied, &err))
		vec_free(&tied);
	*source->spent += solver_clock() - start;
	return tied;
}

static tied_list ask(const struct rests_source *source, enum ties_what what, const ties_values *values)
{
	const struct execution_thread *t = failing_thread(source->x);
	struct ties_asked asked = {.thread = t ? t->log_number : UINT32_MAX, .what = what, .from = t ? first_followed(t->saps) : 0};
	return ask_thread(source, &asked, values);
}

static struct ties_asked about_write(const struct rests_source *source, const struct event *write, enum ties_what what)
{
	return (struct ties_asked){source->x->threads.at[write->thread].log_number, what, first_followed(write->sap), write->sap, write->object};
}

tied_list rests_ask_write(const struct rests_source *source, const struct event *write)
{
	struct ties_asked asked = about_write(source, write, TIES_FAILURE);
	return ask_thread(source, &asked, &(ties_values){0});
}

bool rests_would_not(const struct rests_source *source, const struct event *write, const struct ties_value *other)
{
	struct ties_asked asked = about_write(source, write, TIES_IF);
	ties_values values = {0};
	*vec_push(&values) = *other;
	tied_list answer = ask_thread(source, &asked, &values);
	bool otherwise = answer.n != 0;
	vec_free(&answer);
	vec_free(&values);
	return otherwise;
}

tied_list rests_ask(const struct rests_source *source)
{
	return ask(source, TIES_FAILURE, &(ties_values){0});
}

/* ---- steps ---- */

static int by_sap(const void *p, const void *q)
{
	const struct tied *a = p, *b = q;
	return a->sap != b->sap ? a->sap < b->sap ? -1 : 1 : a->address != b->address ? a->address < b->address ? -1 : 1 : 0;
}

static uint8_t *steps_of(const struct told *t, const tied_list *tied, const struct execution_thread *thread, uint64_t from, uint64_t to)
{
	uint8_t *how = xcalloc(t->l.steps.n + 1, sizeof *how);
	if (!thread || !tied->n)
		return how;
	struct tied *all = xmalloc(tied->n * sizeof *all);
	memcpy(all, tied->at, tied->n * sizeof *all);
	qsort(all, tied->n, sizeof *all, by_sap);
	for (size_t i = 0; i < t->l.needed; i++) {
		const struct event *e = told_event(t, i);
		const struct tied key = {e->sap, e->object, 0, 0}, *is;
		if (&t->x.threads.at[e->thread] != thread || !told_reads(e) || e->sap > to)
			continue;
		is = bsearch(&key, all, tied->n, sizeof *all, by_sap);
		how[i] = e->sap < from ? RESTS_UNKNOWN : is ? (uint8_t)is->how : 0;
	}
	free(all);
	return how;
}

uint8_t *rests_steps(const struct told *t, const tied_list *tied)
{
	const struct execution_thread *failing = failing_thread(&t->x);
	return steps_of(t, tied, failing, failing ? first_followed(failing->saps) : 0, UINT64_MAX);
}

uint8_t *rests_write_steps(const struct told *t, const tied_list *tied, const struct event *write)
{
	return steps_of(t, tied, &t->x.threads.at[write->thread], first_followed(write->sap), write->sap);
}

/* ---- what it went by ---- */

/* Does the thread have a lock at the one step that it gives up before the other? */
static bool is_another_section(struct stale *f, const struct told *t)
{
	stale_find_lock(f, t);
	return f->given_up != UINT32_MAX;
}

/* What was read, with what the write left of it: a copy of a table reads it in larger pieces than others write it. */
static uint64_t with_write(uint64_t value, const struct event *write, const struct event *read, const uint64_t *values)
{
	for (uint64_t i = 0; i < write->size; i++) {
		uint64_t at = write->object + i - read->object, byte = values[write->written] >> 8 * i & 255;
		if (at < read->size)
			value = (value & ~(UINT64_C(255) << 8 * at)) | byte << 8 * at;
	}
	return value;
}

/* Did the write leave something else there than was read? */
static bool is_changed(const struct event *write, const struct event *read, const uint64_t *values)
{
	return with_write(values[read->read], write, read, values) != values[read->read];
}

/* By word of memory: the last write to it, step + 1. */
static uint64_t *last_write(struct table *last, uint64_t address)
{
	return table_at(last, address >> 2 | UINT64_C(1) << 63);
}

static void note_write(struct table *last, const struct event *e, size_t step)
{
	for (uint64_t at = e->object & ~UINT64_C(3); at < e->object + e->size; at += 4)
		if (!*last_write(last, at))
			*last_write(last, at) = step + 1;
}

/* The last write to what was read, step + 1, or 0. */
static size_t written_last(struct table *last, const struct told *t, const struct event *e)
{
	for (uint64_t at = e->object & ~UINT64_C(3); at < e->object + e->size; at += 4) {
		size_t is = *last_write(last, at);
		if (is && events_overlap(told_event(t, is - 1), e))
			return is;
	}
	return 0;
}

/* The thread has written it itself in the end: had another changed it before that? Then what the thread had read was outdated by then. The write, step + 1, or 0. */
static size_t written_first(const struct told *t, size_t read, size_t until)
{
	const struct event *r = told_event(t, read);
	for (size_t i = read + 1; i < until && i - read < WINDOW; i++) {
		const struct event *e = told_event(t, i);
		if (told_writes(e) && !t->l.steps.at[i].visible && events_overlap(e, r))
			return e->thread != r->thread ? i + 1 : 0;
	}
	return 0;
}

/* Does the thread read the same place in the same line? A loop has gone round. */
static bool is_same_look(const struct told *t, size_t first, size_t second)
{
	const struct event *a = told_event(t, first), *b = told_event(t, second);
	return b->thread == a->thread && told_reads(b) && a->object == b->object && !strcmp(t->x.sites.at[a->site].where, t->x.sites.at[b->site].where);
}

static bool looks_again(const struct told *t, size_t first, size_t second)
{
	for (size_t i = first + 1; i <= second; i++)
		if (is_same_look(t, first, i))
			return true;
	return false;
}

/*
 * The last read that led to what the failure rests on, or else without which the thread would not have come there, and that the thread which wrote what `second` saw has
 * changed since. Two values that are only computed with are no such: which of them is the old one nobody can tell.
 */
static bool look_back(struct stale *out, const struct told *t, const uint64_t *values, const uint8_t *how, size_t second, size_t wrote)
{
	const struct event *w = told_event(t, wrote);
	uint32_t self = told_event(t, second)->thread;
	struct table last = {0}, others = {0}; /* last_write; of other threads than that */
	bool found = false, waited = false;
	for (size_t i = second; i-- > 0;) {
		const struct event *e = told_event(t, i);
		waited |= e->thread == self && e->flags & EVENT_WAITED;
		if (!told_accesses(e) || t->l.steps.at[i].visible)
			continue;
		if (told_writes(e))
			note_write(&last, e, i);
		if (told_writes(e) && e->thread != self)
			note_write(&others, e, i);
		bool led = how[i] & TIED_BY_WAY;
		size_t is = led ? written_last(&last, t, e) : how[i] & TIED_BY_BRANCH ? written_last(&others, t, e) : 0;
		if (is && led && told_event(t, is - 1)->thread == self)
			is = written_first(t, i, second);
		if (!is || e->kind != EVENT_READ || e->flags & EVENT_ACCOUNT || i > wrote || (found && !led))
			continue;
		const struct event *o = told_event(t, is - 1);
		/* It goes by what it found when it looked again, or came back from a wait; but for what it had computed before. */
		if (is_same_look(t, i, second) || (!led && (waited || looks_again(t, i, second))))
			continue;
		struct stale f = {i, is - 1, second, wrote, SLICE_NONE, SLICE_NONE, UINT32_MAX, led, false, true};
		if (o->thread != w->thread || event_is_by_free(&t->x, o) || !is_changed(o, e, values) || !is_another_section(&f, t))
			continue;
		*out = f;
		found = true;
		if (f.certain)
			break;
	}
	table_release(&last);
	table_release(&others);
	return found;
}

/* Had it read what was there at the second step, would it have come to its failure? */
static bool comes_there_anyway(const struct stale *f, const struct told *t, const uint64_t *values, const struct rests_source *source)
{
	const struct event *first = told_event(t, f->first), *last = NULL;
	uint64_t now = values[first->read];
	bool seen = true; /* the thread has read what `last` left */
	for (size_t i = f->first + 1; i < f->second; i++) {
		const struct event *e = told_event(t, i);
		bool own = e->thread == first->thread;
		if (!told_accesses(e) || t->l.steps.at[i].visible || !events_overlap(e, first))
			continue;
		seen |= own && told_reads(e);
		if (!told_writes(e))
			continue;
		if (own && !seen)
			break; /* it overwrote that without a look: what was there then counts */
		now = with_write(now, e, first, values);
		last = e;
		seen = own;
	}
	/* What the thread has changed itself since (an entry that it took) it knows. */
	if (!last || last->thread == first->thread)
		return true;
	ties_values other = {0};
	*vec_push(&other) = (struct ties_value){first->sap, first->object, now};
	tied_list answer = ask(source, TIES_IF, &other);
	bool otherwise = answer.n != 0;
	vec_free(&answer);
	vec_free(&other);
	return !otherwise;
}

bool rests_find(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values, const uint8_t *how, const struct rests_source *source)
{
	struct stale f;
	bool found = false;
	unsigned tried = 0;
	for (size_t i = t->l.needed; i-- > 0 && tried < TRIED && !(found && out->certain);) {
		size_t saw = how[i] ? s->saw[i] : SLICE_NONE;
		if (saw == SLICE_NONE || told_event(t, i)->flags & EVENT_ACCOUNT || told_event(t, saw)->thread == told_event(t, i)->thread || event_is_by_free(&t->x, told_event(t, saw)) ||
		    !midway_changes(&t->x, &t->l, saw, values))
			continue;
		tried++;
		if (!look_back(&f, t, values, how, i, saw) || (found && !f.certain))
			continue;
		*out = f;
		found = true;
	}
	return found && (out->certain || !comes_there_anyway(out, t, values, source));
}

/* The write of the thread that changed what was read, before the step; SLICE_NONE. */
static size_t changed_by(const struct told *t, const uint64_t *values, size_t read, size_t until, uint32_t thread)
{
	const struct event *r = told_event(t, read);
	for (size_t i = read + 1; i < until; i++) {
		const struct event *e = told_event(t, i);
		if (e->thread == thread && told_writes(e) && !t->l.steps.at[i].visible && e->object == r->object)
			return is_changed(e, r, values) ? i : SLICE_NONE;
	}
	return SLICE_NONE;
}

bool rests_find_torn(struct stale *out, const struct slice *s, const struct told *t, const uint64_t *values, const uint8_t *how)
{
	size_t tried = 0;
	for (size_t i = t->l.needed; i-- > 0 && tried < TRIED;) {
		size_t saw = how[i] & TIED_BY_VALUE ? s->saw[i] : SLICE_NONE;
		if (saw == SLICE_NONE || told_event(t, saw)->thread == told_event(t, i)->thread || !midway_changes(&t->x, &t->l, saw, values))
			continue;
		tried++;
		for (size_t k = i; k-- > 0 && i - k < NEAR;) {
			bool both = how[k] & TIED_BY_VALUE && k < saw && !events_overlap(told_event(t, k), told_event(t, i));
			size_t other = both ? changed_by(t, values, k, i, told_event(t, saw)->thread) : SLICE_NONE;
			if (other == SLICE_NONE)
				continue;
			*out = (struct stale){k, other, i, saw, SLICE_NONE, SLICE_NONE, UINT32_MAX, false, false, false};
			stale_find_lock(out, t);
			return true;
		}
	}
	return false;
}
