/*
 * What went wrong in the last steps of an attempt, with what they read and wrote: what src/infer finds in an order. They are those at places that several threads had been at by
 * then, and the last of who had been there alone, so what needs to be certain that nobody has written a place before is not looked for (`published_find` in infer/published.h).
 */
#ifndef RETHREAD_RECENT_H
#define RETHREAD_RECENT_H

#include "infer/again.h"
#include "infer/passed.h"
#include "infer/published.h"
#include "infer/spins.h"
#include "infer/stale.h"
#include "infer/undone.h"
#include "search/trail.h"

/* Steps are places in the trail; so are events of locks. */
struct recent {
	bool came_again, was_stale, was_undone, was_passed, too_early;
	struct again again;
	struct stale stale;
	struct undone undone;
	struct passed passed;
	struct published published;
};

/*
 * names: what is known of the places, by address. asked: steps, the last reads of the thread that failed. between: was found already, so what only may be the cause is
 * left out. False: nothing was found.
 */
bool recent_find(struct recent *r, const struct trail *t, const struct place_name *names, size_t nnames, const uint64_t *asked, size_t nasked, bool between);

/* Does the thread go round at the end? Steps are places in the trail; older ones count, too. */
bool recent_spins(struct spin *out, const struct trail *t, uint32_t thread);

#endif
