#include "infer/overposted.h"

#include <stdlib.h>

/* What a thread did with the semaphore so far. */
struct account {
	int64_t has;           /* taken, less posted */
	size_t posted, taken;  /* its last steps; SLICE_NONE */
	bool ever_took;
};

static uint32_t failing_thread(const struct told *t)
{
	for (uint32_t i = 0; i < t->x.threads.n; i++) {
		const struct execution_thread *e = &t->x.threads.at[i];
		if (e->count && t->x.events.at[e->first + e->count - 1].flags & EVENT_FAILS)
			return i;
	}
	return UINT32_MAX;
}

/* Plays the steps on one semaphore. */
static bool play(struct overposted *out, const struct told *t, uint64_t semaphore, uint32_t failing)
{
	struct account *all = xcalloc(t->x.threads.n + 1, sizeof *all);
	bool gives_back = true, found = false;
	*out = (struct overposted){SLICE_NONE, SLICE_NONE, SLICE_NONE};
	for (uint32_t i = 0; i < t->x.threads.n; i++)
		all[i].posted = all[i].taken = SLICE_NONE;
	for (size_t i = 0; i < t->l.needed; i++) {
		const struct event *e = told_event(t, i);
		if (e->object != semaphore || !(e->flags & (EVENT_POSTS | EVENT_TAKES)))
			continue;
		struct account *a = &all[e->thread];
		if (e->flags & EVENT_TAKES) {
			a->has++;
			a->taken = i;
			a->ever_took = true;
			continue;
		}
		gives_back &= a->ever_took;
		if (a->has <= 0 && a->posted != SLICE_NONE && out->post == SLICE_NONE)
			*out = (struct overposted){a->posted, i, SLICE_NONE};
		a->has -= a->has > 0;
		a->posted = i;
	}
	const struct account *f = &all[failing];
	if (gives_back && out->post != SLICE_NONE && f->has > 0 && f->taken != SLICE_NONE && f->taken > out->post) {
		out->take = f->taken;
		found = true;
	}
	free(all);
	return found;
}

bool overposted_find(struct overposted *out, const struct told *t)
{
	uint32_t failing = failing_thread(t);
	bool found = false;
	if (failing == UINT32_MAX || t->x.notes_lost)
		return false;
	/* Of those that the failing thread took, the last first. */
	for (size_t i = t->l.needed; i-- > 0 && !found;) {
		const struct event *e = told_event(t, i);
		if (e->thread == failing && e->flags & EVENT_TAKES)
			found = play(out, t, e->object, failing);
	}
	return found;
}
