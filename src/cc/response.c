#include "cc/response.h"

#include <ctype.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The kernel takes 2 MiB with the environment, or more. */
enum { LONGEST = 1 << 20 };

/* One word as the linker splits them: blanks separate, quotes and backslashes protect; malloc'ed, NULL at the end. */
static char *next_word(const char **text)
{
	const char *p = *text;
	while (isspace((unsigned char)*p))
		p++;
	if (!*p)
		return NULL;
	char *word = xmalloc(strlen(p) + 1), *to = word;
	char quote = 0;
	for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
		if (*p == '\\' && p[1])
			*to++ = *++p;
		else if (quote ? *p == quote : *p == '"' || *p == '\'')
			quote = quote ? 0 : *p;
		else
			*to++ = *p;
	}
	*to = 0;
	*text = p;
	return word;
}

void response_expand(strings *argv)
{
	/* A file may name another, or itself: that is left to the linker to complain about. */
	for (size_t i = 1, files = 0; i < argv->n && files < 1000; i++) {
		char *text;
		size_t size, at = i;
		if (argv->at[i][0] != '@' || !read_file(argv->at[i] + 1, &text, &size, NULL))
			continue;
		strings_remove(argv, i);
		const char *p = text;
		for (char *word; (word = next_word(&p)); free(word))
			strings_insert(argv, at++, word);
		free(text);
		files++;
		i--;
	}
}

static char *quoted(const char *word)
{
	char *text = xmalloc(2 * strlen(word) + 4), *to = text;
	*to++ = '"';
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			*to++ = '\\';
		*to++ = *word;
	}
	memcpy(to, "\"\n", 3);
	return text;
}

char **response_shorten(char **argv)
{
	size_t length = 0;
	for (size_t i = 0; argv[i]; i++)
		length += strlen(argv[i]) + 1 + sizeof argv[i];
	if (length <= LONGEST)
		return argv;
	int fd = memfd_create("arguments", 0);
	FILE *file = fd < 0 ? NULL : fdopen(dup(fd), "w");
	if (!file)
		return argv;
	for (size_t i = 1; argv[i]; i++) {
		char *text = quoted(argv[i]);
		fputs(text, file);
		free(text);
	}
	if (fclose(file))
		return argv;
	char **shorter = xcalloc(3, sizeof *shorter);
	shorter[0] = argv[0];
	shorter[1] = xasprintf("@/proc/self/fd/%d", fd);
	return shorter;
}
