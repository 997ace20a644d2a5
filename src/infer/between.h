/*
 * Who came in between: two accesses of a thread to the same memory, one after the other, between which another thread
 * got at it in such a way that the two threads one after the other would not have had the same effect (AVIO's
 * unserializable interleavings). Most are harmless, so they are ranked. The first is often what a programmer calls the
 * cause, where what the failure itself reads is only how it was noticed. For explanations only.
 */
#ifndef RETHREAD_BETWEEN_H
#define RETHREAD_BETWEEN_H

#include "infer/other_way.h"
#include "infer/slice.h"

struct between {
	size_t first, other, second; /* steps: the thread's own two, and another thread's between them: the last, or the first since which the thread would have gone another way */
	enum other_way overtaken;    /* would the thread have gone another way after its first access with what the other wrote? */
	size_t undisturbed;          /* how often threads did the same two and nobody came in between */
	uint32_t lock;               /* an event of the lock which one of the three went without; UINT32_MAX: there is none */
	size_t unlocked;             /* with a lock: the one of the three */
	bool as_reader;              /* ... which had it, but for reading only */
	bool apart;                  /* where they raced, each had a lock, but not the same, and neither guards the place */
	uint32_t apart_by[2];        /* those, the thread's and the other's, as `object` of their events, of which there may be none */
	bool bare;                   /* none of the three had any lock */
	uint32_t given_up;           /* an event of a lock that all three had, and that the thread gave up between its two; UINT32_MAX: there is none */
	bool late;                   /* ... and all that tells is that the failure depends on the second, which found something else than the first */
};

/* The most telling. symbols: their values in this order; the same again afterwards. False: none tells enough, or stores were delayed, which is an explanation of its own. */
bool between_find(struct between *b, const struct slice *s, const struct execution *x, const struct linear *l,
		  uint64_t *symbols);

#endif
