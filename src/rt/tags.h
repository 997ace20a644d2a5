/*
 * Who had a mutex last, and how often it was acquired, inside of the mutex.
 *
 * Threads that fight for a mutex pass its cache line to and fro. If its object (objects.h) changed with each owner, they would wait for two
 * lines; so mutexes carry a *tag*, in `__list`, which glibc uses of robust ones only (nptl, 2.34 to date).
 *
 * A tag can get lost: programs make mutexes anew by overwriting them (std::mutex knows no other way), move and copy them. The order of
 * the address has to go on all the same, without a gap. So each thread keeps what it wrote into tags in memory of its own as well, its
 * *holdings*, where whoever finds no tag looks it up.
 *
 * Invariants, of an address whose mutexes are tagged
 * - A tag with the address's key says how often it was acquired so far, and by whom last.
 * - The same number is the largest of those in the object, and in the holdings of its users (of all threads, where it is crowded).
 * - A thread's holdings are written by that thread alone, and stay mapped: the next thread gets them when it has ended.
 * What is not noticed: a mutex that is put back to what it was before another thread had it (a structure that is restored as a whole).
 */
#ifndef RETHREAD_RT_TAGS_H
#define RETHREAD_RT_TAGS_H

#include "rt/objects.h"
#include "rt/plain_mutex.h"

#pragma GCC visibility push(hidden)

#define RT_HOLDINGS_BITS 8u

struct rt_tag {
	uint32_t key;   /* of the address, in this process; anything else: there is no tag */
	uint32_t owner; /* as in struct rt_object */
	uint64_t order;
};
_Static_assert(sizeof(struct rt_tag) <= sizeof((pthread_mutex_t *)0)->__data.__list, "there is room for a tag");

struct rt_holding {
	const void *address; /* NULL: free */
	uint64_t order;      /* that the thread wrote into the tag; 0: none yet */
	struct rt_object *object;
};

/* Of threads that have none yet; always empty. */
extern struct rt_holding rt_no_holdings[1u << RT_HOLDINGS_BITS];
/* Makes keys differ from process to process. */
extern uint32_t rt_tags_secret;

/* Never 0, which is what new mutexes have there. */
static inline uint32_t rt_tag_key(const void *address)
{
	return ((uint32_t)((uintptr_t)address >> 3) * 0x9e3779b1u ^ rt_tags_secret) | 1;
}

/* No tag that there is now is known any more, and nobody is at work on holdings: at the start, and in the child after fork. */
void rt_tags_reset(void);
/* The calling thread ends: what it holds is known to the objects. */
void rt_tags_leave(struct rt_self *self);

/* Has the mutex room for a tag? Not so robust ones, and those with a protocol or shared between processes. */
static inline bool rt_is_tagged(const pthread_mutex_t *m)
{
	return rt_plain_mutexes && !(m->__data.__kind & ~3);
}

static inline struct rt_tag *rt_tag(pthread_mutex_t *m)
{
	return (struct rt_tag *)&m->__data.__list;
}

/* Of a tag that is there; a thread may look at one that others write. */
uint32_t rt_tag_owner(const pthread_mutex_t *m);

/* Which of a thread's holdings is the address's. */
static inline size_t rt_holding_place(const void *address)
{
	return (uintptr_t)address * 0x9e3779b97f4a7c15ull >> (64 - RT_HOLDINGS_BITS);
}

static inline struct rt_holding *rt_holding(struct rt_self *self, const void *address)
{
	return self->holdings + rt_holding_place(address);
}

/* Nothing but the number changes: the calling thread had it last. */
static inline bool rt_tag_again(const struct rt_self *self, struct rt_tag *tag, struct rt_holding *h, const void *address)
{
	if (rt_unlikely(tag->owner != self->number + 1 || h->address != address || h->order != tag->order))
		return false;
	h->order = ++tag->order;
	return true;
}

/* The calling thread has got the mutex, which is tagged; like rt_step_acquired (interpose.h). */
void rt_tag_acquired(struct rt_self *self, pthread_mutex_t *m, int result);
/* A thread that leaves no entries has got it. */
void rt_tag_unrecorded(pthread_mutex_t *m);

/* How often it was acquired so far, as object and threads know. */
uint64_t rt_tags_order(struct rt_object *o);
/* The object is about to be used without a tag: it learns the order so far. */
void rt_tags_give_back(struct rt_object *o);
/* The calling thread's holding of an address, which it does not have yet; NULL when memory is short. */
struct rt_holding *rt_tags_hold(struct rt_self *self, const void *address);

#pragma GCC visibility pop

#endif
