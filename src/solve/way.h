/*
 * The longest way that a search (walk.h) of a large problem has come in its round, while it takes things for granted that are mostly so: that
 * what is written is what is read back (machine_trust), and that stores become visible at once. Where it is stuck, one of these is not so, most likely
 * near the last steps of some thread. Then the search goes back a little way, and around there stores may be delayed, or under SC be of any value; if
 * that does not help, further around. So only few places have much to choose from.
 *
 * Before that, what a thread stands before is looked at: a read that missed the value it wants, because another write came right after the one that
 * has it, although that other one could have come first. Then it does, from there on: however long ago it was, and however much was run since. Or, if it
 * could not, it waits until the read has come.
 */
#ifndef RETHREAD_WAY_H
#define RETHREAD_WAY_H

#include "model/problem.h"
#include "solve/machine.h"

struct way {
	vec(uint32_t) nodes;
	size_t same;    /* steps that the search's path has in common with it, from the start */
	size_t lead;    /* so many steps are followed again */
	uint64_t stuck; /* dead ends since it was found */
	uint32_t level; /* how little is taken for granted there */
	struct way_swap {
		uint32_t first, then; /* a write or a read, and a write: so they have to come, and came the other way round */
		size_t at;            /* so many steps before they did; SIZE_MAX: nothing is to be swapped */
	} swap;                 /* at its end */
	uint32_t *held;         /* by event: what has to come first + 1, or 0 */
	uint32_t last;          /* event that was held back last, while that has not led further, or UINT32_MAX */
};

/* Another round: no way, and no store is delayed. What is in doubt stays so. */
void way_begin(struct way *y, const struct problem *p, struct machine *m);
/* A round that takes nothing for granted: no way leads it, and any store may be delayed. */
void way_end(struct way *y, struct machine *m);
void way_release(struct way *y);

/* What the search's path does: a step more, and back to n steps. */
void way_step(struct way *y, size_t n, uint32_t node);
void way_back(struct way *y, size_t n);
/* A dead end after these n steps, of which the machine is the state. Is it stuck? */
bool way_ends(struct way *y, const struct problem *p, const struct machine *m, const uint32_t *path, size_t n);
/* Two writes are to come the other way round. The search goes on from this many steps of the way, or fewer; SIZE_MAX: there are none. */
size_t way_swap(struct way *y);
/* Has the node, a write, to wait for another? */
bool way_holds(const struct way *y, const struct problem *p, const struct machine *m, uint32_t node);

/* Takes less for granted. The search goes on from this many steps of the way, or fewer, and follows it so far; SIZE_MAX: it is enough. */
size_t way_loosen(struct way *y, const struct problem *p, struct machine *m);
/* Was less taken for granted, last of all, behind so many steps, and has that not led further yet? */
bool way_is_loose(const struct way *y, size_t n);
/* Is the node the next step to follow, after n steps? */
bool way_leads(const struct way *y, size_t n, uint32_t node);

#endif
