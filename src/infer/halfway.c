#include "infer/halfway.h"

#include "infer/locks.h"
#include "model/tied.h"

/* Places that are looked at, the last ones that were read; steps backwards; times that are enough to say what is usual. */
enum { PLACES = 8, BACK = 200000, ENOUGH = 2 };

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

/* Does the thread that wrote what `seen` found always write the one place and then the other, but the last time? */
static bool is_halfway(struct halfway *h, const struct told *t)
{
	const struct event *one = told_event(t, h->seen), *other = told_event(t, h->read);
	uint32_t thread = told_event(t, h->wrote)->thread;
	size_t end = h->seen > h->read ? h->seen : h->read, pending = SLICE_NONE, before = SLICE_NONE;
	h->times = 0;
	for (size_t i = end > BACK ? end - BACK : 0; i < end; i++) {
		const struct event *e = told_event(t, i);
		if (e->thread != thread || !told_writes(e) || t->l.steps.at[i].visible)
			continue;
		bool first = events_overlap(e, one), second = events_overlap(e, other);
		if (first && (second || pending != SLICE_NONE))
			return false; /* the one twice in a row, or both at once */
		if (second && pending == SLICE_NONE)
			return false;
		if (second) {
			before = pending;
			pending = SLICE_NONE;
			h->usual = i;
			h->times++;
		} else if (first) {
			pending = i;
		}
	}
	return pending == h->wrote && h->times >= ENOUGH && gives_up_lock(h, t, before);
}

bool halfway_find(struct halfway *out, const struct slice *s, const struct told *t, const uint8_t *how)
{
	size_t reads[PLACES], n = 0;
	for (size_t i = t->l.needed; i-- > 0 && n < PLACES;) {
		bool again = !(how[i] & TIED_BY_VALUE) || s->saw[i] == SLICE_NONE;
		for (size_t k = 0; k < n && !again; k++)
			again = events_overlap(told_event(t, i), told_event(t, reads[k]));
		if (!again)
			reads[n++] = i;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++) {
			*out = (struct halfway){.wrote = s->saw[reads[i]], .seen = reads[i], .read = reads[k]};
			if (i != k && told_event(t, out->wrote)->thread != told_event(t, out->seen)->thread && is_halfway(out, t))
				return true;
		}
	return false;
}
