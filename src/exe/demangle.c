#include "exe/demangle.h"

#include "base/base.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Of the C++ runtime, which declares it in a header of C++ only. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

char *demangle(const char *symbol)
{
	int status;
	char *name = strncmp(symbol, "_Z", 2) ? NULL : __cxa_demangle(symbol, NULL, NULL, &status);
	return name ? name : xstrdup(symbol);
}

/* How far the name of a variable that ends the text goes back: past letters, digits and _. */
static const char *last_name(const char *text)
{
	const char *at = text + strlen(text);
	while (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
		at--;
	return at;
}

char *demangle_variable(const char *symbol)
{
	/* Tables of virtual functions and their kin, and guards of static variables, are none that a source names. */
	if (strncmp(symbol, "_Z", 2) || !strncmp(symbol, "_ZT", 3) || !strncmp(symbol, "_ZG", 3))
		return NULL;
	char *whole = demangle(symbol);
	const char *name = last_name(whole);
	char *result = name > whole && name[-1] == ':' && *name ? xstrdup(name) : NULL;
	free(whole);
	return result;
}
