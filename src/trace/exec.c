#include "trace/exec.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The strings from `at` on, as far as `end`; malloc'ed, with NULL behind the last. */
static char **words(char *at, const char *end)
{
	vec(char *) found = {0};
	for (; at < end; at += strlen(at) + 1)
		*vec_push(&found) = at;
	*vec_push(&found) = NULL;
	return found.at;
}

bool exec_read(struct exec_command *c, const char *dir, pid_t pid)
{
	char *path = xasprintf("%s/command.%d", dir, (int)pid), *at, *end;
	uint64_t arguments;
	size_t size;
	*c = (struct exec_command){0};
	bool there = read_file(path, &c->bytes, &size, NULL);
	free(path);
	if (!there)
		return false;
	end = c->bytes + size;
	if (size > sizeof arguments) {
		memcpy(&arguments, c->bytes, sizeof arguments);
		c->program = c->bytes + sizeof arguments;
		c->cwd = c->program + strlen(c->program) + 1;
		at = c->cwd < end ? c->cwd + strlen(c->cwd) + 1 : end;
		if (at < end && arguments && arguments <= (size_t)(end - at)) {
			c->argv = words(at, at + arguments);
			c->environment = words(at + arguments, end);
			return true;
		}
	}
	exec_release(c);
	return false;
}

void exec_release(struct exec_command *c)
{
	free(c->argv);
	free(c->environment);
	free(c->bytes);
	*c = (struct exec_command){0};
}

void exec_forget(const char *dir)
{
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));)
		if (!strncmp(e->d_name, "command.", 8))
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}
