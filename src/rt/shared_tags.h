/*
 * Tags (tags.h) of what several threads can have at once: semaphores and read-write locks. A tag is a key and what struct rt_object has in
 * `taken`, advanced atomically, in words that glibc leaves alone: rt_shared_tags_init finds out whether it does.
 *
 * The invariants are those of tags.h. As nobody has the object alone, a tag that is lost is made anew under the object's tag_lock. Not tagged
 * are what processes share, and what may be gone when its step is done (barriers).
 */
#ifndef RETHREAD_RT_SHARED_TAGS_H
#define RETHREAD_RT_SHARED_TAGS_H

#include "rt/tags.h"

#include <limits.h>
#include <semaphore.h>

#pragma GCC visibility push(hidden)

/* Both NULL: there is no room for one. */
struct rt_shared_tag {
	uint64_t *key, *taken;
};

extern bool rt_tagged_semaphores, rt_tagged_rwlocks;
/* After rt_plain_mutexes_init. */
void rt_shared_tags_init(void);

/* As glibc's struct new_sem (2.21 to date). */
struct rt_semaphore {
	uint64_t value; /* in the lower half; how many wait in the upper */
	int shared, pad;
	uint64_t key, taken;
};
_Static_assert(sizeof(struct rt_semaphore) <= sizeof(sem_t), "there is room for a tag");

static inline struct rt_shared_tag rt_semaphore_tag(sem_t *s)
{
	struct rt_semaphore *t = (struct rt_semaphore *)(void *)s;

	if (rt_unlikely(!rt_tagged_semaphores || t->shared))
		return (struct rt_shared_tag){NULL, NULL};
	return (struct rt_shared_tag){&t->key, &t->taken};
}

/* As sem_trywait, and as sem_post where nobody waits, without the call, which costs as much as the rest; false: it is not done. */
static inline bool rt_semaphore_take(sem_t *s)
{
	uint64_t *value = &((struct rt_semaphore *)(void *)s)->value, old = __atomic_load_n(value, __ATOMIC_RELAXED);

	while ((uint32_t)old)
		if (__atomic_compare_exchange_n(value, &old, old - 1, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
	return false;
}

static inline bool rt_semaphore_give(sem_t *s)
{
	uint64_t *value = &((struct rt_semaphore *)(void *)s)->value, old = __atomic_load_n(value, __ATOMIC_RELAXED);

	while (old < SEM_VALUE_MAX)
		if (__atomic_compare_exchange_n(value, &old, old + 1, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return true;
	return false;
}

static inline struct rt_shared_tag rt_rwlock_tag(pthread_rwlock_t *l)
{
#if defined(__x86_64__)
	if (rt_likely(rt_tagged_rwlocks && !l->__data.__shared))
		return (struct rt_shared_tag){&l->__data.__pad2, (uint64_t *)(void *)&l->__data.__pad3};
#endif
	(void)l;
	return (struct rt_shared_tag){NULL, NULL};
}

/* Has the thread the lock for writing? */
static inline bool rt_rwlock_writes(const pthread_rwlock_t *l, uint32_t tid)
{
	return (uint32_t)__atomic_load_n(&l->__data.__cur_writer, __ATOMIC_RELAXED) == tid;
}

#define RT_TAKEN_MASK ((1ull << RT_TAKEN_BITS) - 1)
#define RT_TAKEN_NOBODY (~0ull >> RT_TAKEN_BITS)

static inline uint64_t rt_taken_by(uint64_t taken)
{
	return taken >> RT_TAKEN_BITS;
}

static inline uint64_t rt_shared_key(const void *address)
{
	return (uint64_t)rt_tag_key(address) << 32 | 0x5a17;
}

static inline bool rt_shared_tag_is_there(struct rt_shared_tag tag, const void *address)
{
	return __atomic_load_n(tag.key, __ATOMIC_ACQUIRE) == rt_shared_key(address);
}

/*
 * False where the tag is not the one that the calling thread left: the memory was put back to what it was. *old is what it was. `alone`: nobody else
 * can do a step on the object now, as of a read-write lock that the thread has for writing.
 */
static inline bool rt_shared_tag_advance(const struct rt_self *self, struct rt_shared_tag tag, struct rt_holding *h, bool alone,
					 uint64_t *old)
{
	const uint64_t me = (uint64_t)self->number << RT_TAKEN_BITS;
	uint64_t next;

	*old = __atomic_load_n(tag.taken, __ATOMIC_RELAXED);
	do {
		if (rt_unlikely(rt_taken_by(*old) == self->number && h->order && h->order != (*old & RT_TAKEN_MASK)))
			return false;
		next = me | ((*old & RT_TAKEN_MASK) + 1);
		if (alone) {
			__atomic_store_n(tag.taken, next, __ATOMIC_RELAXED);
			break;
		}
	} while (!__atomic_compare_exchange_n(tag.taken, old, next, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	h->order = next & RT_TAKEN_MASK;
	return true;
}

/* The same where the tag is lost, or the thread does not hold the address. NULL when memory is short. */
struct rt_holding *rt_shared_tag_advance_lost(struct rt_self *self, struct rt_shared_tag tag, const void *address, uint64_t *old);
/* A thread that leaves no entries did a step. */
void rt_shared_tag_unrecorded(struct rt_shared_tag tag, const void *address);
/* The object is about to be used without a tag, by several threads. */
void rt_shared_tags_give_back(struct rt_object *o);

#pragma GCC visibility pop

#endif
