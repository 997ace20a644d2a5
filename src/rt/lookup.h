/*
 * Looking up functions as dlsym(RTLD_NEXT, ...) in the program would, at a tenth of its cost: the runtimes ask for several
 * hundred each time a program starts.
 *
 *     struct rt_lookup l;
 *     rt_lookup_init(&l);
 *     void *f = rt_lookup(&l, "pthread_create");
 *
 * Neither allocates nor exits. Only for the start: libraries that are loaded later are not seen.
 */
#ifndef RETHREAD_RT_LOOKUP_H
#define RETHREAD_RT_LOOKUP_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define RT_LOOKUP_LIBRARIES 64u

/* A library: the tables of its dynamic section. */
struct rt_library {
	uintptr_t base;
	const uint32_t *hash; /* DT_GNU_HASH */
	const Elf64_Sym *symbols;
	const char *strings;
	const uint16_t *versions; /* or NULL */
};

struct rt_lookup {
	struct rt_library libraries[RT_LOOKUP_LIBRARIES]; /* in the order of search */
	unsigned count;
	bool complete; /* else dlsym is asked */
};

void rt_lookup_init(struct rt_lookup *l);
/* NULL when there is no such function. */
void *rt_lookup(const struct rt_lookup *l, const char *name);
/* Are both addresses in the same library or program? */
bool rt_same_library(const void *a, const void *b);

#pragma GCC visibility pop

#endif
