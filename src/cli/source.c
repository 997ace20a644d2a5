#include "cli/source.h"
#include "exe/files.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_file(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* name in the folder, or in one of those above; malloc'ed or NULL. */
static char *find_above(const char *folder, const char *name)
{
	char *at = xstrdup(folder), *found = NULL;
	for (char *end = at + strlen(at); !found && end; end = strrchr(at, '/')) {
		*end = 0;
		char *path = xasprintf("%s/%s", at, name);
		if (is_file(path))
			found = path;
		else
			free(path);
	}
	free(at);
	return found;
}

/* What is left of "../../src/file.c" and "./file.h": compilers that run in a folder of a larger project give such names. */
static const char *without_ups(const char *name)
{
	for (;;) {
		if (!strncmp(name, "../", 3))
			name += 3;
		else if (!strncmp(name, "./", 2))
			name += 2;
		else
			return name;
	}
}

static char *find_source(const char *name, const char *program)
{
	char here[PATH_MAX];
	if (*name == '/')
		return is_file(name) ? xstrdup(name) : NULL;
	name = without_ups(name);
	char *found = getcwd(here, sizeof here) ? find_above(here, name) : NULL;
	if (!found && program) {
		char *folder = xstrdup(program), *slash = strrchr(folder, '/');
		if (slash)
			*slash = 0;
		found = find_above(folder, name);
		free(folder);
		if (!found)
			found = source_file(program, name);
	}
	return found;
}

static char *trimmed(char *line)
{
	while (isspace((unsigned char)*line))
		line++;
	size_t n = strlen(line);
	while (n && isspace((unsigned char)line[n - 1]))
		n--;
	line[n] = 0;
	return xstrdup(line);
}

char *source_line(const char *where, const char *program)
{
	const char *colon = strrchr(where, ':');
	long wanted = colon ? strtol(colon + 1, NULL, 10) : 0;
	if (wanted <= 0)
		return NULL;
	char *name = xasprintf("%.*s", (int)(colon - where), where), *path = find_source(name, program);
	free(name);
	FILE *f = path ? fopen(path, "re") : NULL;
	free(path);
	char *line = NULL, *result = NULL;
	size_t size = 0;
	long n = 0;
	while (f && n < wanted && getline(&line, &size, f) >= 0)
		n++;
	if (f && n == wanted)
		result = trimmed(line);
	free(line);
	if (f)
		fclose(f);
	return result;
}
