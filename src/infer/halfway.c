#include "infer/halfway.h"

#include "infer/locks.h"
#include "infer/rests.h"
#include "model/tied.h"

#include <stdlib.h>
#include <string.h>

/* Places that are looked at, the last ones that were read; steps backwards; times that are enough to say what is usual. */
enum { PLACES = 8, BACK = 200000, ENOUGH = 2, NEAR = 32 };

/* A lock that the other had at its first write and the failing thread at both of its reads, all the time, and that the other gave up between its two the time before. */
static bool gives_up_lock(struct halfway *h, const struct told *t, size_t before)
{
	struct locks_index index;
	locks_init(&index, &t->x);
	const struct event *seen = told_event(t, h->seen), *read = told_event(t, h->read);
	locks had = locks_at(&index, told_event(t, h->wrote), false), reads = locks_at(&index, seen, true);
	h->given_up = UINT32_MAX;
	for (size_t i = 0; i < had.n && h->given_up == UINT32_MAX; i++)
		if (locks_have(&reads, had.at[i]) && locks_kept(&index, had.at[i], h->seen < h->read ? seen : read, h->seen < h->read ? read : seen) &&
		    !locks_kept(&index, had.at[i], told_event(t, before), told_event(t, h->usual)))
			h->given_up = locks_event(&t->x, had.at[i]);
	vec_free(&had);
	vec_free(&reads);
	locks_release(&index);
	return h->given_up != UINT32_MAX;
}

static bool has_none(struct locks_index *index, const struct event *e)
{
	locks had = locks_at(index, e, true);
	size_t n = had.n;
	vec_free(&had);
	return !n;
}

/* Has the other no lock for the one, now and the time before, or the failing thread none for either? Then it reads the two near one another, for what it computes of them. */
static bool is_bare(struct halfway *h, const struct told *t, size_t before)
{
	struct locks_index index;
	const struct event *seen = told_event(t, h->seen), *read = told_event(t, h->read);
	bool bare = (seen->sap > read->sap ? seen->sap - read->sap : read->sap - seen->sap) < NEAR;
	locks_init(&index, &t->x);
	bool looks_bare = has_none(&index, seen) && has_none(&index, read);
	bare = bare && (looks_bare || (has_none(&index, told_event(t, h->wrote)) && has_none(&index, told_event(t, before))));
	locks_release(&index);
	h->given_up = UINT32_MAX;
	return bare;
}

static bool same_line(const struct told *t, size_t a, size_t b)
{
	return !strcmp(t->x.sites.at[told_event(t, a)->site].where, t->x.sites.at[told_event(t, b)->site].where);
}

/* Does the thread always write the one place and then the other, but the last time, if it is that of `wrote`? Another does so in the same line. `before`: the last time that it did. */
static bool is_usual(struct halfway *h, const struct told *t, uint32_t thread, size_t *before)
{
	const struct event *one = told_event(t, h->seen), *other = told_event(t, h->read);
	bool writer = thread == told_event(t, h->wrote)->thread;
	size_t end = h->seen > h->read ? h->seen : h->read, pending = SLICE_NONE;
	/* What comes behind the failure, as far as the log goes, tells what is usual, too. */
	for (size_t i = end > BACK ? end - BACK : 0; i < t->l.steps.n; i++) {
		const struct event *e = told_event(t, i);
		if (i == end && writer && pending != h->wrote)
			return false;
		if (e->thread != thread || !told_writes(e) || t->l.steps.at[i].visible)
			continue;
		bool first = events_overlap(e, one), second = events_overlap(e, other);
		if (!writer && (first ? !same_line(t, i, h->wrote) : pending == SLICE_NONE)) /* that is how it is at first, or something else */
			continue;
		/* The one twice in a row, or both at once; or the second without the first. */
		if ((first && (second || pending != SLICE_NONE)) || (second && pending == SLICE_NONE)) {
			if (i < end)
				return false;
			break;
		}
		if (second) {
			*before = pending;
			pending = SLICE_NONE;
			h->usual = i;
			h->times++;
		} else if (first) {
			pending = i;
		}
	}
	return true;
}

/* Does the thread that wrote what `seen` found always write the one place and then the other, but the last time? If it has not done so often, do all the others that write there? */
static bool is_halfway(struct halfway *h, const struct told *t, bool by_way)
{
	uint32_t thread = told_event(t, h->wrote)->thread;
	size_t before = SLICE_NONE;
	h->times = 0;
	bool usual = is_usual(h, t, thread, &before);
	h->by_all = usual && h->times < ENOUGH && before == SLICE_NONE;
	for (uint32_t k = 0; k < t->x.threads.n && usual && h->by_all; k++)
		usual = k == thread || is_usual(h, t, k, &before);
	return usual && h->times >= ENOUGH && ((!by_way && gives_up_lock(h, t, before)) || is_bare(h, t, before));
}

/* What the failure is computed of, each place once, the last ones that were read. */
struct reads {
	size_t at[PLACES], n;
};

static bool is_of(const struct reads *r, const struct told *t, const struct event *e)
{
	for (size_t i = 0; i < r->n; i++)
		if (events_overlap(e, told_event(t, r->at[i])))
			return true;
	return false;
}

/* Of a thread: its last write that was the first of two; SLICE_NONE: it has done both. */
struct turns {
	size_t pending;
	bool any;   /* it has written in the first line */
	bool other; /* ... or in another one before: which of the two is the first is not known */
};

/* Do threads write such places in two lines in turns, the first of which is that of `wrote`, every time, and its thread was behind the first? */
static bool is_in_turns(struct halfway *h, const struct told *t, const struct reads *r)
{
	struct turns *all = xcalloc(t->x.threads.n + 1, sizeof *all);
	size_t end = h->seen > h->read ? h->seen : h->read, before = SLICE_NONE, second = SLICE_NONE;
	bool is = true;
	h->times = 0;
	uint32_t thread = told_event(t, h->wrote)->thread;
	/* What comes behind the failure, as far as the log goes, tells what is usual, too. */
	for (size_t i = end > BACK ? end - BACK : 0; i < t->l.steps.n && is; i++) {
		const struct event *e = told_event(t, i);
		struct turns *of = &all[e->thread];
		if (i == end)
			is = all[thread].pending == h->wrote;
		if (!told_writes(e) || t->l.steps.at[i].visible || !is_of(r, t, e))
			continue;
		bool first = same_line(t, i, h->wrote);
		if (first) {
			is = !of->other && (!of->any || of->pending == SLICE_NONE);
			*of = (struct turns){i, true, false};
		} else if (of->any) {
			is = of->pending != SLICE_NONE && (second == SLICE_NONE || same_line(t, i, second));
			before = of->pending;
			of->pending = SLICE_NONE;
			h->usual = second = i;
			h->times++;
		} else {
			of->other = true;
		}
	}
	free(all);
	h->in_turns = true;
	return is && h->times >= ENOUGH && gives_up_lock(h, t, before);
}

/* The last write of each thread to one of the places. */
static bool find_in_turns(struct halfway *out, const struct told *t, const struct reads *r)
{
	for (size_t k = 0; k < t->x.threads.n; k++)
		for (size_t i = r->n ? r->at[r->n - 1] : 0; i-- > 0;) {
			const struct event *e = told_event(t, i);
			if (e->thread != k || !told_writes(e) || t->l.steps.at[i].visible || !is_of(r, t, e))
				continue;
			for (size_t a = 0; a < r->n; a++)
				for (size_t b = 0; b < r->n; b++) {
					*out = (struct halfway){.wrote = i, .seen = r->at[a], .read = r->at[b]};
					if (a != b && events_overlap(e, told_event(t, r->at[a])) && told_event(t, r->at[a])->thread != k && is_in_turns(out, t, r))
						return true;
				}
			break;
		}
	return false;
}

/*
 * Does every thread that writes in the line of `wrote` write next the place of `read` in the line that this found, another one for each, and its thread alone had not come to that? So is a total that
 * each adds to when it has said that it is done.
 */
static bool is_last_of_many(struct halfway *h, const struct told *t, size_t found)
{
	const struct event *wrote = told_event(t, h->wrote), *read = told_event(t, h->read);
	size_t *pending = xmalloc((t->x.threads.n + 1) * sizeof *pending), before = SLICE_NONE; /* by thread: SLICE_NONE: it is not between the two */
	memset(pending, 0xff, (t->x.threads.n + 1) * sizeof *pending);
	bool is = true;
	for (size_t i = 0; i < t->l.steps.n && is; i++) {
		const struct event *e = told_event(t, i);
		if (i == h->read)
			is = pending[wrote->thread] == h->wrote;
		if (!told_writes(e) || t->l.steps.at[i].visible || e->thread == read->thread)
			continue;
		if (e->object == wrote->object && same_line(t, i, h->wrote)) {
			is = pending[e->thread] == SLICE_NONE;
			pending[e->thread] = i;
		} else if (events_overlap(e, read) && same_line(t, i, found)) {
			is = pending[e->thread] != SLICE_NONE;
			h->times += is && e->thread != wrote->thread;
			before = e->thread != wrote->thread ? pending[e->thread] : before;
			h->usual = e->thread != wrote->thread ? i : h->usual;
			pending[e->thread] = SLICE_NONE;
		}
	}
	free(pending);
	h->in_turns = true;
	return is && h->times >= ENOUGH && gives_up_lock(h, t, before);
}

/* What the failing thread looked at shortly before a read that it fails by. */
static bool find_last_of_many(struct halfway *out, const struct slice *s, const struct told *t, const struct reads *r)
{
	for (size_t k = 0; k < r->n; k++) {
		size_t found = s->saw[r->at[k]];
		uint32_t thread = told_event(t, r->at[k])->thread;
		for (size_t i = r->at[k], n = 0; i-- > 0 && n < PLACES && told_event(t, found)->thread != thread;) {
			size_t saw = told_event(t, i)->thread == thread && told_reads(told_event(t, i)) ? s->saw[i] : SLICE_NONE;
			if (saw == SLICE_NONE || told_event(t, saw)->thread == thread || !told_writes(told_event(t, saw)))
				continue;
			n++;
			*out = (struct halfway){.wrote = saw, .seen = i, .read = r->at[k]};
			if (told_event(t, saw)->thread != told_event(t, found)->thread && is_last_of_many(out, t, found))
				return true;
		}
	}
	return false;
}

bool halfway_find(struct halfway *out, const struct slice *s, const struct told *t, const uint8_t *how)
{
	struct reads r = {.n = 0}, led = {.n = 0}; /* led: pointers that led there */
	for (size_t i = t->l.needed; i-- > 0 && r.n < PLACES;)
		if (how[i] & TIED_BY_VALUE && s->saw[i] != SLICE_NONE && !is_of(&r, t, told_event(t, i)))
			r.at[r.n++] = i;
	/* Who faults at an address computes nothing more of it: that it had read, when it had looked of which kind it is. */
	const uint8_t leads = r.n ? TIED_BY_WAY : TIED_BY_WAY | TIED_BY_BRANCH;
	for (size_t i = t->l.needed; i-- > 0 && !r.n;)
		if (how[i] != RESTS_UNKNOWN && how[i] & TIED_BY_WAY && s->saw[i] != SLICE_NONE)
			r.at[r.n++] = i;
	for (size_t i = t->l.needed; i-- > 0 && led.n < PLACES;)
		if (how[i] != RESTS_UNKNOWN && how[i] & leads && s->saw[i] != SLICE_NONE && !is_of(&r, t, told_event(t, i)) && !is_of(&led, t, told_event(t, i)))
			led.at[led.n++] = i;
	for (size_t i = 0; i < r.n; i++)
		for (size_t k = 0; k < r.n + led.n; k++) {
			*out = (struct halfway){.wrote = s->saw[r.at[i]], .seen = r.at[i], .read = k < r.n ? r.at[k] : led.at[k - r.n]};
			if (i != k && told_event(t, out->wrote)->thread != told_event(t, out->seen)->thread && is_halfway(out, t, k >= r.n))
				return true;
		}
	return find_in_turns(out, t, &r) || find_last_of_many(out, s, t, &r);
}
