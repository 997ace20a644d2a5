/*
 * The environment as glibc keeps it, as bitcode like the program's own code (src/cc/link.c): who looks for a variable while others set
 * it finds what it does by reads and writes that are SAPs. Values that were set are never given back, as POSIX asks, but the
 * same one is made only once. Weak: a program that brings its own keeps them.
 */
#define _GNU_SOURCE /* environ */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WEAK __attribute__((weak))

enum { BUCKETS = 64 };

/* All "NAME=VALUE" texts that setenv made. */
struct made {
	struct made *next;
	char text[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of those who change something; who looks takes none */
static struct made *made[BUCKETS];
static char **own; /* the array that `environ` is since there were more variables than at the start */

/* Its place among the variables; or that of the NULL at the end. */
static char **find(const char *name, size_t length)
{
	char **at = environ;
	while (*at && (strncmp(*at, name, length) || (*at)[length] != '='))
		at++;
	return at;
}

static char *make(const char *name, size_t length, const char *value)
{
	size_t n = strlen(value);
	unsigned hash = 0;
	for (size_t i = 0; i < n; i++)
		hash = hash * 31 + (unsigned char)value[i];
	struct made **first = &made[hash % BUCKETS];
	for (struct made *m = *first; m; m = m->next)
		if (!strncmp(m->text, name, length) && m->text[length] == '=' && !strcmp(m->text + length + 1, value))
			return m->text;
	struct made *m = malloc(sizeof *m + length + n + 2);
	if (!m)
		return NULL;
	memcpy(m->text, name, length);
	m->text[length] = '=';
	memcpy(m->text + length + 1, value, n + 1);
	m->next = *first;
	*first = m;
	return m->text;
}

/* One more variable at the end. */
static int append(char *variable)
{
	size_t n = 0;
	while (environ && environ[n])
		n++;
	char **larger = realloc(own, (n + 2) * sizeof *larger);
	if (!larger)
		return -1;
	if (environ != own && n)
		memcpy(larger, environ, n * sizeof *larger);
	larger[n] = variable;
	larger[n + 1] = NULL;
	own = environ = larger;
	return 0;
}

/* variable: the whole text, or NULL: it is made of name and value. */
static int put(const char *name, size_t length, const char *value, char *variable, int overwrite)
{
	int status = 0;
	pthread_mutex_lock(&lock);
	char **at = environ ? find(name, length) : NULL;
	if (!at || !*at || overwrite) {
		char *text = variable ? variable : make(name, length, value);
		if (!text)
			status = -1;
		else if (at && *at)
			*at = text;
		else
			status = append(text);
	}
	pthread_mutex_unlock(&lock);
	return status;
}

static int is_name(const char *name)
{
	return name && *name && !strchr(name, '=');
}

WEAK char *getenv(const char *name)
{
	size_t length = strlen(name);
	if (!environ || !length)
		return NULL;
	char *variable = *find(name, length);
	return variable ? variable + length + 1 : NULL;
}

WEAK int setenv(const char *name, const char *value, int overwrite)
{
	if (!is_name(name)) {
		errno = EINVAL;
		return -1;
	}
	return put(name, strlen(name), value, NULL, overwrite);
}

WEAK int unsetenv(const char *name)
{
	if (!is_name(name)) {
		errno = EINVAL;
		return -1;
	}
	pthread_mutex_lock(&lock);
	size_t length = strlen(name);
	for (char **at = environ ? find(name, length) : NULL; at && *at; at = find(name, length))
		for (char **to = at; (to[0] = to[1]); to++)
			;
	pthread_mutex_unlock(&lock);
	return 0;
}

WEAK int putenv(char *variable)
{
	char *end = strchr(variable, '=');
	return end ? put(variable, (size_t)(end - variable), NULL, variable, 1) : unsetenv(variable);
}

WEAK int clearenv(void)
{
	pthread_mutex_lock(&lock);
	if (environ == own) {
		free(own);
		own = NULL;
	}
	environ = NULL;
	pthread_mutex_unlock(&lock);
	return 0;
}
