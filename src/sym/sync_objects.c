/* The objects that steps are counted on (sync.h): found by their address, numbered in the order they are met. */
#include "sym/sync.h"

#include <stdlib.h>

static struct {
	struct object **at; /* open addressing by address */
	size_t slots, n;
	vec(struct object *) all; /* by number */
	vec(uint64_t) recorded;   /* steps of recorded objects, by their number */
} objects;

static size_t object_slot(uint64_t address)
{
	size_t i = (size_t)(address * 0x9e3779b97f4a7c15ull >> 24) & (objects.slots - 1);
	while (objects.at[i] && objects.at[i]->address != address)
		i = (i + 1) & (objects.slots - 1);
	return i;
}

static struct object *object_new(uint64_t address)
{
	struct object *o = xcalloc(1, sizeof *o);
	*vec_push(&objects.all) = o;
	o->address = address;
	o->number = (uint32_t)objects.all.n;
	return o;
}

bool objects_any(void)
{
	return objects.n > 0;
}

struct object *object_known(const void *place)
{
	return objects.n ? objects.at[object_slot((uint64_t)(uintptr_t)place)] : NULL;
}

struct object *object_number(size_t i)
{
	return i < objects.all.n ? objects.all.at[i] : NULL;
}

void object_is(struct object *o, uint32_t recorded)
{
	if (o->recorded == recorded)
		return;
	while (objects.recorded.n <= recorded)
		*vec_push(&objects.recorded) = 0;
	if (!o->recorded)
		objects.recorded.at[recorded] += o->steps;
	o->recorded = recorded;
}

uint64_t *object_steps(struct object *o)
{
	return o->recorded ? &objects.recorded.at[o->recorded] : &o->steps;
}

void object_forget(const void *place)
{
	uint64_t address = (uint64_t)(uintptr_t)place;
	size_t i = objects.slots ? object_slot(address) : 0;
	if (objects.slots && objects.at[i])
		objects.at[i] = object_new(address);
}

struct object *object_at(const void *place)
{
	uint64_t address = (uint64_t)(uintptr_t)place;
	if (engine.lock_order)
		address = recall_place(address);
	if (objects.n * 2 >= objects.slots) {
		struct object **old = objects.at;
		size_t n = objects.slots;
		objects.slots = n ? n * 2 : 256;
		objects.at = xcalloc(objects.slots, sizeof *objects.at);
		for (size_t i = 0; i < n; i++)
			if (old[i])
				objects.at[object_slot(old[i]->address)] = old[i];
		free(old);
	}
	size_t i = object_slot(address);
	if (!objects.at[i]) {
		objects.at[i] = object_new(address);
		objects.at[i]->place = place;
		objects.n++;
		if (engine.lock_order)
			recall_check_place(address);
	}
	return objects.at[i];
}
