#include "sym/externals.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Sorted by name, as strcmp does. */
static const struct external {
	const char *name;
	enum external_class class;
} table[] = {
	{ "_Exit", EXTERNAL_ENDS },
	{ "_ZNSo3putEc", EXTERNAL_OUTPUT },
	{ "_ZNSo5flushEv", EXTERNAL_OUTPUT },
	{ "_ZNSolsEi", EXTERNAL_OUTPUT },
	{ "__assert_fail", EXTERNAL_ENDS },
	{ "_exit", EXTERNAL_ENDS },
	{ "abort", EXTERNAL_ENDS },
	{ "clock_nanosleep", EXTERNAL_SLEEPS },
	{ "exit", EXTERNAL_ENDS },
	{ "fflush", EXTERNAL_OUTPUT },
	{ "fprintf", EXTERNAL_OUTPUT },
	{ "fputc", EXTERNAL_OUTPUT },
	{ "fputs", EXTERNAL_OUTPUT },
	{ "fwrite", EXTERNAL_OUTPUT },
	{ "nanosleep", EXTERNAL_SLEEPS },
	{ "perror", EXTERNAL_OUTPUT },
	{ "printf", EXTERNAL_OUTPUT },
	{ "putc", EXTERNAL_OUTPUT },
	{ "putchar", EXTERNAL_OUTPUT },
	{ "puts", EXTERNAL_OUTPUT },
	{ "quick_exit", EXTERNAL_ENDS },
	{ "sched_yield", EXTERNAL_SLEEPS },
	{ "sleep", EXTERNAL_SLEEPS },
	{ "usleep", EXTERNAL_SLEEPS },
	{ "vfprintf", EXTERNAL_OUTPUT },
	{ "vprintf", EXTERNAL_OUTPUT },
};

static int compare(const void *name, const void *entry)
{
	return strcmp(name, ((const struct external *)entry)->name);
}

enum external_class external_class(const char *name)
{
	const struct external *e =
		name ? bsearch(name, table, sizeof table / sizeof *table, sizeof *table, compare) : NULL;
	return e ? e->class : EXTERNAL_OTHER;
}
