#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/real.h"

#include "rt/inputs.h"
#include "rt/lookup.h"

#include <string.h>

struct rt_real rt_real;
struct rt_input_real rt_input_real;

static void find(const struct rt_lookup *lookup, const char *const *names, unsigned count, void *into)
{
	void *found;

	for (unsigned i = 0; i < count; i++) {
		found = rt_lookup(lookup, names[i]);
		memcpy((char *)into + i * sizeof found, &found, sizeof found);
	}
}

/*
 * The runtimes' thread-local memory and frames are on the thread's stack, too. One that is as small as it may be has no room for them (the
 * C library refuses it), unless it gets more than the target asked for; what nobody touches costs nothing. A stack of the target's own
 * (whose address is set) stays as it is.
 */
static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static int create_with_room(pthread_t *handle, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument)
{
	enum { SMALL = 1 << 20, MORE = 128 << 10 };
	pthread_attr_t larger;
	void *at;
	size_t size;

	if (attributes && !pthread_attr_getstack(attributes, &at, &size) && !((uintptr_t)at + size) && size && size < SMALL) {
		larger = *attributes; /* what it points to is shared, and not destroyed */
		if (!pthread_attr_setstacksize(&larger, size + MORE))
			attributes = &larger;
	}
	return create(handle, attributes, routine, argument);
}

void rt_real_init(void)
{
	static const char *const names[] = {
#define X(result, name, parameters) #name,
		RT_REAL_FUNCTIONS(X)
#undef X
	};
	static const char *const inputs[] = {
#define INPUT(flags, type, name, ...) #name,
#include <rethread/inputs.def>
#undef INPUT
	};
	static struct rt_real real;
	struct rt_lookup lookup;

	if (rt_real.pthread_create)
		return;
	_Static_assert(sizeof names == sizeof rt_real, "rt_real is an array of pointers");
	_Static_assert(sizeof inputs == sizeof rt_input_real, "rt_input_real is an array of pointers");
	rt_lookup_init(&lookup);
	find(&lookup, inputs, sizeof inputs / sizeof *inputs, &rt_input_real);
	find(&lookup, names, sizeof names / sizeof *names, &real);
	create = real.pthread_create;
	real.pthread_create = create_with_room;
	rt_real = real;
}
