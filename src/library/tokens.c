/*
 * strtok as glibc has it, as bitcode like the program's own code (src/cc/link.c): a thread that gets another one's text read it
 * from a variable that all threads share and nothing outside of the C library sees. Here it is one of the program's.
 * Weak: a program that brings its own keeps it.
 */
#include <stdbool.h>
#include <string.h>

#define WEAK __attribute__((weak))

/*
 * How many characters the text begins with that are in the set, or are not. By hand: a call of strspn or strcspn is one step to a replay, and counts as
 * a look at all of the text, of which other threads may be changing the rest.
 */
static size_t span(const char *text, const char *set, bool in)
{
	size_t n = 0;
	while (text[n]) {
		size_t k = 0;
		while (set[k] && set[k] != text[n])
			k++;
		if ((set[k] != '\0') != in)
			break;
		n++;
	}
	return n;
}

WEAK char *strtok_r(char *text, const char *delimiters, char **rest)
{
	if (!text)
		text = *rest;
	text += span(text, delimiters, true);
	if (!*text) {
		*rest = text;
		return NULL;
	}
	char *end = text + span(text, delimiters, false);
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
