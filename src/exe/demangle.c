#include "exe/demangle.h"

#include "base/base.h"

#include <string.h>

/* Of the C++ runtime, which declares it in a header of C++ only. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

char *demangle(const char *symbol)
{
	int status;
	char *name = strncmp(symbol, "_Z", 2) ? NULL : __cxa_demangle(symbol, NULL, NULL, &status);
	return name ? name : xstrdup(symbol);
}
