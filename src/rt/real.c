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
	rt_real = real;
}
