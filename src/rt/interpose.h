/*
 * What interposed functions are made of: the steps of "Order of synchronization" in
 * include/rethread/trace.h.
 *
 *     int f(T *object) { return rt_after_ordered(object, RT_REAL(f)(object)); }
 *
 * Threads that have no number (not active) leave no entry; what they did to an object still
 * advances its order, under nobody's name, so that the next thread's step is logged.
 */
#ifndef RETHREAD_RT_INTERPOSE_H
#define RETHREAD_RT_INTERPOSE_H

#include "rt/log.h"
#include "rt/objects.h"
#include "rt/real.h"
#include "rt/shared_tags.h"

#include <errno.h>

/* The C library's function, also when a library calls it before we have started. */
#define RT_REAL(name) ((rt_likely(rt_real.name) ? (void)0 : rt_real_init()), rt_real.name)

/* ------------------------------------------------------------------ steps ------------------- */

/* The calling thread has got the object, alone. Only a change of owner is logged: else it costs a
 * compare. */
static inline void rt_step_acquired(struct rt_self *self, const void *object, int result)
{
	struct rt_object *o = rt_object(self, object);

	if (rt_likely(o)) {
		if (rt_unlikely(o->tagged))
			rt_tags_give_back(o);
		o->order++;
		if (rt_unlikely(o->owner != self->number + 1 || result)) {
			o->owner = self->number + 1;
			if (rt_unlikely(result))
				rt_self_sync(self, o->number, o->order, (uint32_t)result);
			else
				rt_self_acquired(self, o->number, o->order);
		}
	}
	rt_self_done(self);
}

/* A step on an object that several threads can use at once. */
static inline void rt_step_ordered(struct rt_self *self, const void *object, int result)
{
	struct rt_object *o = rt_object(self, object);
	const uint64_t me = (uint64_t)self->number << RT_TAKEN_BITS,
		       mask = (1ull << RT_TAKEN_BITS) - 1;

	if (rt_likely(o)) {
		if (rt_unlikely(o->tagged))
			rt_shared_tags_give_back(o);
		uint64_t old = __atomic_load_n(&o->taken, __ATOMIC_RELAXED), next;

		do
			next = me | ((old & mask) + 1);
		while (!__atomic_compare_exchange_n(&o->taken, &old, next, true, __ATOMIC_ACQ_REL,
						    __ATOMIC_RELAXED));
		if (rt_unlikely(!old || (old & ~mask) != me || result))
			rt_self_sync(self, o->number, next & mask, (uint32_t)result);
	}
	rt_self_done(self);
}

/* The same of one that has room for a tag. */
static inline void rt_step_tagged(struct rt_self *self, struct rt_shared_tag tag, const void *object, bool alone)
{
	struct rt_holding *h = rt_holding(self, object);
	uint64_t old;

	if (rt_unlikely(h->address != object || !rt_shared_tag_is_there(tag, object)) ||
	    !rt_shared_tag_advance(self, tag, h, alone, &old)) {
		h = rt_shared_tag_advance_lost(self, tag, object, &old);
		if (!h) {
			rt_log_drop();
			rt_self_done(self);
			return;
		}
	}
	if (rt_taken_by(old) != self->number)
		rt_self_acquired(self, h->object->number, h->order);
	rt_self_done(self);
}

static inline void rt_step_failed(struct rt_self *self, int result)
{
	rt_self_sync(self, 0, 1, (uint32_t)result);
	rt_self_done(self);
}

/* ------------------------------------------------------------------ around the real call ---- */

/* Steps that leave no entry. */
void rt_unrecorded_acquired(const void *object);
void rt_unrecorded_ordered(const void *object);

/* Has the program called pthread_cancel? (cancel.c) */
extern bool rt_cancels __attribute__((visibility("hidden")));

static inline bool rt_is_acquisition(int result)
{
	return result == 0 || result == EOWNERDEAD;
}

/* After a call that may have got the object alone; gives back its result. */
static inline int rt_after_acquire(const void *object, int result)
{
	struct rt_self *self = &rt_self;

	if (rt_likely(self->active)) {
		if (rt_likely(rt_is_acquisition(result)))
			rt_step_acquired(self, object, result);
		else
			rt_step_failed(self, result);
	} else if (rt_log.header && rt_is_acquisition(result)) {
		rt_unrecorded_acquired(object);
	}
	return result;
}

/* Before a call that gives it up. */
static inline void rt_before_release(void)
{
	struct rt_self *self = &rt_self;

	if (rt_likely(self->active))
		rt_self_done(self);
}

/* Before a call that gives it up and waits, or wakes others up: when that was is worth knowing. */
static inline void rt_before_waking(void)
{
	struct rt_self *self = &rt_self;

	if (rt_likely(self->active)) {
		if (rt_log.scheme == RT_SCHEME_PATH)
			rt_self_stamp(self);
		rt_self_done(self);
	}
}

/* After, or before (result 0), a call that is ordered with the others of its object. */
static inline int rt_after_ordered(const void *object, int result)
{
	struct rt_self *self = &rt_self;

	if (rt_likely(self->active)) {
		if (rt_likely(!result))
			rt_step_ordered(self, object, 0);
		else
			rt_step_failed(self, result);
	} else if (rt_log.header && !result) {
		rt_unrecorded_ordered(object);
	}
	return result;
}

static inline void rt_before_ordered(const void *object)
{
	rt_after_ordered(object, 0);
}

/* The same of an object that has room for a tag. */
static inline __attribute__((always_inline)) int rt_after_tagged(struct rt_shared_tag tag, const void *object, bool alone, int result)
{
	struct rt_self *self = &rt_self;

	if (rt_unlikely(result || !tag.key || !self->active)) {
		if (!result && tag.key && rt_log.header && !self->paused)
			rt_shared_tag_unrecorded(tag, object);
		else
			rt_after_ordered(object, result);
		return result;
	}
	rt_step_tagged(self, tag, object, alone);
	return 0;
}

#endif
