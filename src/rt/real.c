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
 * C library refuses it), unless it gets more than the target asked for; what nobody touches costs nothing. In the place of a small stack of the
 * target's own (whose address is set) the thread gets one from the C library; a larger one stays as it is.
 */
static int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
enum { MORE = 128 << 10 };

/* The same but for the stack, which is of that size. */
static bool copy_attributes(pthread_attr_t *to, const pthread_attr_t *from, size_t size)
{
	struct sched_param scheduling;
	int detached, inherits, policy, scope;

	if (pthread_attr_init(to))
		return false;
	if (!pthread_attr_getdetachstate(from, &detached) && !pthread_attr_setdetachstate(to, detached) &&
	    !pthread_attr_getinheritsched(from, &inherits) && !pthread_attr_setinheritsched(to, inherits) &&
	    !pthread_attr_getschedpolicy(from, &policy) && !pthread_attr_setschedpolicy(to, policy) &&
	    !pthread_attr_getschedparam(from, &scheduling) && !pthread_attr_setschedparam(to, &scheduling) &&
	    !pthread_attr_getscope(from, &scope) && !pthread_attr_setscope(to, scope) && !pthread_attr_setstacksize(to, size))
		return true;
	pthread_attr_destroy(to);
	return false;
}

static int create_with_room(pthread_t *handle, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument)
{
	enum { SMALL = 1 << 20, SMALL_OWN = 64 << 10 };
	pthread_attr_t other;
	void *at = NULL;
	size_t size = 0;
	bool known = attributes && !pthread_attr_getstack(attributes, &at, &size) && size, is_own = known && (uintptr_t)at + size;
	int result;

	if (is_own && size < SMALL_OWN && copy_attributes(&other, attributes, size + MORE)) {
		result = create(handle, &other, routine, argument);
		pthread_attr_destroy(&other);
		return result;
	}
	if (known && !is_own && size < SMALL) {
		other = *attributes; /* what it points to is shared, and not destroyed */
		if (!pthread_attr_setstacksize(&other, size + MORE))
			attributes = &other;
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
