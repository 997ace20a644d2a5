#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/shared_tags.h"

#include "rt/interpose.h"
#include "rt/lookup.h"

#include <gnu/libc-version.h>
#include <string.h>

bool rt_tagged_semaphores, rt_tagged_rwlocks;

/* ------------------------------------------------------------------ is there room? ---------- */

static bool are_glibcs(void *const *functions, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!rt_same_library(functions[i], (void *)gnu_get_libc_version))
			return false;
	return true;
}

/* Whether a semaphore is what struct rt_semaphore says, and its last words nobody's. */
static bool semaphores_have_room(void)
{
	struct rt_semaphore s = {.key = 3, .taken = 5};
	sem_t *as = (sem_t *)(void *)&s;
	bool ok = !rt_real.sem_init(as, 1, 7) && s.shared;

	ok = ok && !rt_real.sem_init(as, 0, 7) && !s.shared && (uint32_t)s.value == 7;
	ok = ok && !rt_real.sem_post(as) && (uint32_t)s.value == 8 && !rt_real.sem_trywait(as) && (uint32_t)s.value == 7;
	return ok && s.key == 3 && s.taken == 5;
}

static bool rwlocks_have_room(void)
{
	pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
	struct rt_shared_tag t = rt_rwlock_tag(&l);

	if (!t.key)
		return false;
	*t.key = 3;
	*t.taken = 5;
	return !rt_real.pthread_rwlock_tryrdlock(&l) && !rt_real.pthread_rwlock_unlock(&l) && !rt_real.pthread_rwlock_trywrlock(&l) &&
	       rt_rwlock_writes(&l, (uint32_t)syscall(SYS_gettid)) && !rt_real.pthread_rwlock_unlock(&l) && rt_rwlock_writes(&l, 0) &&
	       *t.key == 3 && *t.taken == 5;
}

void rt_shared_tags_init(void)
{
	void *const semaphores[] = {(void *)rt_real.sem_wait, (void *)rt_real.sem_trywait, (void *)rt_real.sem_post,
				    (void *)rt_real.sem_init};
	void *const rwlocks[] = {(void *)rt_real.pthread_rwlock_tryrdlock, (void *)rt_real.pthread_rwlock_trywrlock,
				 (void *)rt_real.pthread_rwlock_unlock};
	int saved = errno;

	rt_tagged_semaphores = rt_plain_mutexes && are_glibcs(semaphores, 4) && semaphores_have_room();
	rt_tagged_rwlocks = rt_plain_mutexes && are_glibcs(rwlocks, 3);
	rt_tagged_rwlocks = rt_tagged_rwlocks && rwlocks_have_room();
	errno = saved;
}

/* ------------------------------------------------------------------ lost tags --------------- */

/*
 * For who has the object's tag_lock: the tag is there, with an order that is not behind what anybody knows. Those who find it there go on
 * meanwhile.
 */
static void make(struct rt_shared_tag tag, struct rt_object *o)
{
	bool is_there = rt_shared_tag_is_there(tag, o->address);
	uint64_t old = __atomic_load_n(tag.taken, __ATOMIC_ACQUIRE), most;

	/* Whoever acquires it without a tag sees that somebody else had it. */
	__atomic_store_n(&o->owner, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&o->tagged, true, __ATOMIC_RELAXED);
	do {
		uint64_t before = __atomic_load_n(&o->taken, __ATOMIC_ACQUIRE) & RT_TAKEN_MASK;

		most = rt_tags_order(o);
		most = before > most ? before : most;
		if (is_there && (old & RT_TAKEN_MASK) > most)
			most = old & RT_TAKEN_MASK;
	} while (!__atomic_compare_exchange_n(tag.taken, &old, RT_TAKEN_NOBODY << RT_TAKEN_BITS | most, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE));
	__atomic_store_n(tag.key, rt_shared_key(o->address), __ATOMIC_RELEASE);
}

__attribute__((noinline, cold)) struct rt_holding *rt_shared_tag_advance_lost(struct rt_self *self, struct rt_shared_tag tag,
									      const void *address, uint64_t *old)
{
	struct rt_holding *h = rt_holding(self, address);
	struct rt_guard saved;

	if (h->address != address && !(h = rt_tags_hold(self, address)))
		return NULL;
	while (!rt_shared_tag_is_there(tag, address) || !rt_shared_tag_advance(self, tag, h, false, old)) {
		bool lost;

		rt_guard_lock(&h->object->tag_lock, &saved);
		/* Somebody else may have made it by now; one that was put back is there. */
		*old = __atomic_load_n(tag.taken, __ATOMIC_ACQUIRE);
		lost = !rt_shared_tag_is_there(tag, address) ||
		       (rt_taken_by(*old) == self->number && h->order && h->order != (*old & RT_TAKEN_MASK));
		if (lost)
			make(tag, h->object);
		rt_guard_unlock(&h->object->tag_lock, &saved);
	}
	return h;
}

static void raise_order(struct rt_object *o, uint64_t to)
{
	uint64_t was = __atomic_load_n(&o->order, __ATOMIC_RELAXED);

	while (was < to && !__atomic_compare_exchange_n(&o->order, &was, to, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		;
}

__attribute__((noinline, cold)) void rt_shared_tag_unrecorded(struct rt_shared_tag tag, const void *address)
{
	struct rt_object *o = rt_object_find(address);
	struct rt_guard saved;
	uint64_t old, next;

	rt_log_drop();
	if (!o)
		return;
	rt_guard_lock(&o->tag_lock, &saved);
	if (!rt_shared_tag_is_there(tag, address))
		make(tag, o);
	old = __atomic_load_n(tag.taken, __ATOMIC_RELAXED);
	do
		next = RT_TAKEN_NOBODY << RT_TAKEN_BITS | ((old & RT_TAKEN_MASK) + 1);
	while (!__atomic_compare_exchange_n(tag.taken, &old, next, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	raise_order(o, next & RT_TAKEN_MASK);
	rt_guard_unlock(&o->tag_lock, &saved);
}

__attribute__((noinline, cold)) void rt_shared_tags_give_back(struct rt_object *o)
{
	uint64_t old = __atomic_load_n(&o->taken, __ATOMIC_RELAXED), order = rt_tags_order(o);

	while ((old & RT_TAKEN_MASK) < order &&
	       !__atomic_compare_exchange_n(&o->taken, &old, RT_TAKEN_NOBODY << RT_TAKEN_BITS | order, true, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED))
		;
}
