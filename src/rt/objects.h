/*
 * Synchronization objects by address: a lock-free hash table that only grows.
 *
 * An object keeps who had it last and how often it was acquired; both are read and written only by
 * the thread that holds it, so they need no synchronization of their own (thesis, fig. 3.8). (A
 * blocked thread looks at `owner` as a hint, see deadlock.c.) Most mutexes keep both themselves (tags.h). Objects that several threads can have
 * at once use `taken` instead, which they advance atomically. An address that is freed and used for
 * another object later keeps its number: the order per address stays a true order.
 */
#ifndef RETHREAD_RT_OBJECTS_H
#define RETHREAD_RT_OBJECTS_H

#include "rt/self.h"

#pragma GCC visibility push(hidden)

#define RT_NOBODY UINT32_MAX
#define RT_TAKEN_BITS 40
#define RT_OBJECT_WINDOW 16u
#define RT_FIRST_BITS 10u
#define RT_USERS 5u

/* A cache line each, so that threads that use different locks do not share one. */
struct rt_object {
	const void *address; /* NULL: free slot; never changes afterwards */
	uint32_t number;     /* from 1 */
	uint32_t owner;      /* who acquired it last: the thread's number + 1, or 0 for nobody */
	uint64_t order;      /* acquisitions so far */
	uint64_t taken; /* ordered steps so far, RT_TAKEN_BITS, and above them who took the last one
			 */
	uint32_t users[RT_USERS]; /* tags.h: threads that hold it, number + 1, or 0 */
	uint32_t tag_lock;        /* who makes a tag that several threads use (shared_tags.h) */
	bool crowded;             /* there were more than that at a time */
	bool tagged;              /* mutexes there have, or had, tags: `order` may be behind */
} __attribute__((aligned(64)));

/* The object of this address, made if needed; NULL when memory is short. */
struct rt_object *rt_object_find(const void *address);

/* In the child after fork: no object is known. */
void rt_objects_reset(void);

/* Which place of the thread's small cache is the address's. */
static inline unsigned rt_object_place(const void *address)
{
	uintptr_t a = (uintptr_t)address;

	return (unsigned)(a >> 4 ^ a >> 7) % RT_CACHE_SIZE;
}

/* The first of the tables, and the slot in it at which the address is looked for first: most objects are there. */
extern struct rt_object rt_first_objects[(1u << RT_FIRST_BITS) + RT_OBJECT_WINDOW];

static inline struct rt_object *rt_object_first(const void *address)
{
	return rt_first_objects + ((uintptr_t)address * 0x9e3779b97f4a7c15ull >> (64 - RT_FIRST_BITS));
}

/* The line is about to be written: asked for once, instead of once to read and once more to write. */
static inline void rt_will_write(const void *at)
{
#if defined(__x86_64__)
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)at));
#else
	__builtin_prefetch(at, 1);
#endif
}

/* There, or through the cache. */
static inline struct rt_object *rt_object(struct rt_self *self, const void *address)
{
	struct rt_object *first = rt_object_first(address);
	unsigned i = rt_object_place(address);

	/* Whoever has just claimed it is about to number it. */
	if (rt_likely(__atomic_load_n(&first->address, __ATOMIC_ACQUIRE) == address &&
		      __atomic_load_n(&first->number, __ATOMIC_ACQUIRE)))
		return first;
	if (rt_unlikely(self->cache[i].address != address)) {
		struct rt_object *o = rt_object_find(address);

		if (!o)
			return NULL;
		self->cache[i].object = o;
		self->cache[i].address = address;
	}
	return self->cache[i].object;
}

#pragma GCC visibility pop

#endif
