/*
 * strtok as glibc has it, as bitcode like the program's own code (src/cc/link.c): a thread that gets another one's text read it
 * from a variable that all threads share and nothing outside of the C library sees. Here it is one of the program's.
 * Weak: a program that brings its own keeps it.
 */
#include <string.h>

#define WEAK __attribute__((weak))

WEAK char *strtok_r(char *text, const char *delimiters, char **rest)
{
	if (!text)
		text = *rest;
	text += strspn(text, delimiters);
	if (!*text) {
		*rest = text;
		return NULL;
	}
	char *end = text + strcspn(text, delimiters);
	if (*end)
		*end++ = '\0';
	*rest = end;
	return text;
}

WEAK char *strtok(char *text, const char *delimiters)
{
	static char *rest;
	return strtok_r(text, delimiters, &rest);
}
