#include "rt/objects.h"

#include "rt/log.h"

#include <sched.h>
#include <string.h>

/*
 * Tables of growing size. An address lives in a window of WINDOW slots from its hash on; a table is
 * asked only after the windows of all smaller ones were found full, and slots never become free, so
 * an address that is present is always found before a free slot for it is.
 */
#define WINDOW RT_OBJECT_WINDOW
#define TABLES 8u /* each 8 times the one before: 2^31 slots in the last */

struct rt_object rt_first_objects[(1u << RT_FIRST_BITS) + WINDOW];
static struct rt_object *tables[TABLES] = {rt_first_objects};
static uint32_t numbers;

static uint32_t table_bits(unsigned i)
{
	return RT_FIRST_BITS + 3 * i;
}

static struct rt_object *table(unsigned i)
{
	struct rt_object *t = __atomic_load_n(&tables[i], __ATOMIC_ACQUIRE), *made;
	size_t size = ((size_t)1 << table_bits(i)) + WINDOW;

	if (t)
		return t;
	made = rt_pages(size * sizeof *made);
	if (!made)
		return NULL;
	if (__atomic_compare_exchange_n(&tables[i], &t, made, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return made;
	rt_log_unmap(made, size * sizeof *made);
	return t;
}

/* The slot of the address in one table, claimed if free; NULL when its window is full of others. */
static struct rt_object *claim(struct rt_object *t, unsigned bits, const void *address)
{
	struct rt_object *o = t + ((uintptr_t)address * 0x9e3779b97f4a7c15ull >> (64 - bits));

	for (struct rt_object *end = o + WINDOW; o < end; o++) {
		const void *there = __atomic_load_n(&o->address, __ATOMIC_ACQUIRE);

		if (!there && __atomic_compare_exchange_n(&o->address, &there, address, false,
							  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			__atomic_store_n(&o->number,
					 __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED),
					 __ATOMIC_RELEASE);
			return o;
		}
		if (there == address)
			return o;
	}
	return NULL;
}

__attribute__((noinline, cold)) struct rt_object *rt_object_find(const void *address)
{
	for (unsigned i = 0; i < TABLES; i++) {
		struct rt_object *t = table(i), *o;

		if (!t)
			return NULL;
		o = claim(t, table_bits(i), address);
		if (!o)
			continue;
		/* Whoever claimed it is about to number it. */
		while (!__atomic_load_n(&o->number, __ATOMIC_ACQUIRE))
			sched_yield();
		return o;
	}
	return NULL;
}

void rt_objects_reset(void)
{
	memset(rt_first_objects, 0, sizeof rt_first_objects);
	for (unsigned i = 1; i < TABLES; i++) {
		rt_log_unmap(tables[i],
			     (((size_t)1 << table_bits(i)) + WINDOW) * sizeof *tables[i]);
		tables[i] = NULL;
	}
	numbers = 0;
}
