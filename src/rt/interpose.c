#include "rt/interpose.h"

__attribute__((noinline, cold)) void rt_unrecorded_acquired(const void *object)
{
	struct rt_object *o = rt_self.paused ? NULL : rt_object_find(object);

	if (o) {
		rt_tags_give_back(o);
		o->order++;
		o->owner = 0;
	}
	if (!rt_self.paused)
		rt_log_drop();
}

__attribute__((noinline, cold)) void rt_unrecorded_ordered(const void *object)
{
	struct rt_object *o = rt_self.paused ? NULL : rt_object_find(object);
	const uint64_t mask = (1ull << RT_TAKEN_BITS) - 1;

	if (o) {
		uint64_t old = __atomic_load_n(&o->taken, __ATOMIC_RELAXED);

		while (!__atomic_compare_exchange_n(&o->taken, &old, ~mask | ((old & mask) + 1),
						    true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			;
	}
	if (!rt_self.paused)
		rt_log_drop();
}
