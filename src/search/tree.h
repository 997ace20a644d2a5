/*
 * The attempts that are worth going on with, and which race of theirs to exchange next: PRES's ReplayStack and RaceStack in
 * one. A node is an attempt; its children have one wait more.
 */
#ifndef RETHREAD_SEARCH_TREE_H
#define RETHREAD_SEARCH_TREE_H

#include "search/attempt.h"

/* How an attempt is made. */
struct recipe {
	uint32_t policy, changes, delays;
	uint64_t seed;
	uint64_t length;
	vec(struct schedule_wait) waits;
	uint32_t depth;   /* races exchanged */
	uint32_t idle;    /* the last so many of them got no further */
	uint64_t matched; /* of the attempt it was made from; 0 for one from nothing */
};

void recipe_release(struct recipe *r);

struct tree; /* opaque */
struct tree *tree_new(void);
void tree_free(struct tree *t);

/* An attempt made by the recipe is over: is it to be gone on with? */
void tree_add(struct tree *t, const struct recipe *r, const struct rt_attempt *a);
/* Did the last one that was added get further than all before it? */
bool tree_progresses(const struct tree *t);
/* The next one to make: what the best attempt was made by, with one more race exchanged. False: there is none. */
bool tree_next(struct tree *t, struct recipe *out);

#endif
