#include "sym/externals.h"

#include <rethread/instrument.h>
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
	static const struct external machine = { RT_MACHINE_PREFIX, EXTERNAL_PURE, "" };
	if (name && !strncmp(name, RT_MACHINE_PREFIX, strlen(RT_MACHINE_PREFIX)))
		return &machine;
	return name ? bsearch(name, table, ENTRIES, sizeof *table, compare) : NULL;
}
