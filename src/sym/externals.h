/*
 * External functions (include/rethread/externals.def): what the executor does with a call of one. Names that are not in
 * the table are called as they are.
 */
#ifndef RETHREAD_EXTERNALS_H
#define RETHREAD_EXTERNALS_H

#include "base/base.h"
#include "rt/effects.h"

enum external_class {
	EXTERNAL_OTHER,
	EXTERNAL_PURE,
	EXTERNAL_MEMORY,
	EXTERNAL_COPIES,     /* memcpy, memmove */
	EXTERNAL_FILLS,      /* memset */
	EXTERNAL_OUTPUT,     /* shows something; its parameters influence nothing */
	EXTERNAL_ENDS,       /* does not return: the thread's path ends with it */
	EXTERNAL_SLEEPS,     /* only passes time: answered with 0 */
	EXTERNAL_ALLOCATES,
	EXTERNAL_CALLS_BACK,
};

struct external {
	const char *name;
	enum external_class class;
	const char *effects;
};

/* NULL when the table has none of that name, or name is NULL. */
const struct external *external_find(const char *name);

#endif
