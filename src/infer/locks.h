/* Which locks threads had at a step: for explanations. */
#ifndef RETHREAD_LOCKS_H
#define RETHREAD_LOCKS_H

#include "model/execution.h"

typedef vec(uint32_t) locks;

/* Locks are counted from 1. */
#define NO_LOCK 0u

struct locks_index {
	const struct execution *x;
	struct held_lock *held; /* by thread, then by the end */
};

void locks_init(struct locks_index *l, const struct execution *x);
void locks_release(struct locks_index *l);

/* Those that the event's thread has there, the one first that it gives up first; to be freed. As a reader, too, or not. */
locks locks_at(const struct locks_index *l, const struct event *e, bool readers);
bool locks_have(const locks *v, uint32_t lock);
/* The first of the locks that is among the others; NO_LOCK: none. */
uint32_t locks_common(const locks *some, const locks *others);
/* Has the thread had the lock all the time between two events of it? */
bool locks_kept(const struct locks_index *l, uint32_t lock, const struct event *first, const struct event *second);
/* An event of the lock, which it is called by, where it is taken if there is one; UINT32_MAX: none. */
uint32_t locks_event(const struct execution *x, uint32_t lock);

#endif
