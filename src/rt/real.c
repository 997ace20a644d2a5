#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/real.h"

#include <dlfcn.h>
#include <string.h>

struct rt_real rt_real;

void rt_real_init(void)
{
	static const char *const names[] = {
#define X(result, name, parameters) #name,
		RT_REAL_FUNCTIONS(X)
#undef X
	};
	void *found[sizeof names / sizeof *names];

	if (rt_real.pthread_create)
		return;
	_Static_assert(sizeof found == sizeof rt_real, "rt_real is an array of pointers");
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		found[i] = dlsym(RTLD_NEXT, names[i]);
	memcpy(&rt_real, found, sizeof rt_real);
}
