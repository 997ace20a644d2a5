/*
 * Deadlocks are seen when they happen, by the thread that closes the cycle.
 *
 * A thread that is about to block publishes what it waits for (a mutex, a read-write lock, or the end of a
 * thread) and then follows: who holds that, what does that one wait for, and so on. A lock for reading may
 * be held by several, each of whom keeps a writer out. Every thread publishes
 * before it looks, so the last one to block sees the whole cycle. A cycle that is found is followed
 * a second time: if every thread in it is still in the same wait and every mutex still has the same
 * owner, all of it held at one moment in between, and a deadlock does not go away. Nothing is
 * guessed from time.
 *
 * What is found goes to the log as RT_FAIL_DEADLOCK; the threads stay blocked, as they would
 * without us, and whoever reads the log ends the process.
 */
#ifndef RETHREAD_RT_DEADLOCK_H
#define RETHREAD_RT_DEADLOCK_H

#include "rt/objects.h"
#include "rt/peers.h"

#pragma GCC visibility push(hidden)

/* The calling thread is going to block until the lock is free, or until the other thread has
 * ended. */
void rt_blocks_on_mutex(struct rt_self *self, const pthread_mutex_t *m, const void *from);
void rt_blocks_on_rwlock(struct rt_self *self, const pthread_rwlock_t *l, bool writes, const void *from);
void rt_blocks_on_thread(struct rt_self *self, struct rt_peer *other, const void *from);
/* It does not any more. */
void rt_unblocked(struct rt_self *self);

/* It holds the lock for reading; it is about to give one up that it may hold for reading. */
static inline void rt_begins_to_read(struct rt_self *self, const pthread_rwlock_t *l)
{
	for (unsigned i = 0; i < RT_READ_LOCKS; i++)
		if (!self->peer->reads[i]) {
			__atomic_store_n(&self->peer->reads[i], l, __ATOMIC_RELEASE);
			return;
		}
}

static inline void rt_ends_to_read(struct rt_self *self, const pthread_rwlock_t *l)
{
	for (unsigned i = 0; i < RT_READ_LOCKS; i++)
		if (self->peer->reads[i] == l) {
			__atomic_store_n(&self->peer->reads[i], NULL, __ATOMIC_RELEASE);
			return;
		}
}

#pragma GCC visibility pop

#endif
