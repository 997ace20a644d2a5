/* Which source files are not the program's own. For the pass as well, which has nothing else of this folder. */
#ifndef RETHREAD_BASE_SOURCES_H
#define RETHREAD_BASE_SOURCES_H

#include <rethread/instrument.h>
#include <stdbool.h>
#include <string.h>

/* A header of the system, or what comes with rethread in the place of a library's functions. */
static inline bool is_system_source(const char *file)
{
	if (strstr(file, RT_SOURCE_PREFIX "library/"))
		return true;
	return !strncmp(file, "/usr/", 5) && strncmp(file, "/usr/src/", 9) && strncmp(file, "/usr/local/src/", 15) &&
	       strstr(file, "/include/");
}

#endif
