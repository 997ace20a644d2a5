#include "sym/externals.h"

#include <stdlib.h>
#include <string.h>

static struct external table[] = {
#define EXTERNAL(name, class, effects) { #name, EXTERNAL_##class, effects },
#include <rethread/externals.def>
#undef EXTERNAL
};
#define ENTRIES (sizeof table / sizeof *table)

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct external *)a)->name, ((const struct external *)b)->name);
}

static int compare(const void *name, const void *entry)
{
	return strcmp(name, ((const struct external *)entry)->name);
}

const struct external *external_find(const char *name)
{
	static bool sorted;
	if (!sorted) {
		qsort(table, ENTRIES, sizeof *table, by_name);
		sorted = true;
	}
	return name ? bsearch(name, table, ENTRIES, sizeof *table, compare) : NULL;
}

static int number(const char **p)
{
	if (**p < '0' || **p > '9')
		return -1;
	int n = 0;
	while (**p >= '0' && **p <= '9')
		n = n * 10 + *(*p)++ - '0';
	return n;
}

bool effect_next(const char **effects, struct effect *e)
{
	const char *p = *effects;
	while (*p == ' ')
		p++;
	if (!*p)
		return false;
	*e = (struct effect){ .kind = *p++, .first = -1, .second = -1 };
	e->parameter = (unsigned)number(&p);
	e->measure = *p++;
	e->first = number(&p);
	if (*p == '*') {
		p++;
		e->second = number(&p);
	}
	*effects = p;
	return true;
}
