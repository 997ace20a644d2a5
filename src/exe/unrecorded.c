#include "exe/unrecorded.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word, *before, *after;
} notes[] = {
	{"loaded ", "what ", " did is not recorded: its code is not part of the program, which was not linked against it (a plugin), or "
			     "was told to keep it shared"},
	{"twice ", "", " was loaded although its code is part of the program; if the two get in each other's way, link with "
		       "RETHREAD_KEEP_SHARED=all"},
	{"own ", "what ", " did is not recorded: the C library makes them itself; what a thread of the program does that waits for a timer (timerfd, sigwait) is"},
	{"thread ", "what threads did in ", " is not recorded: it was not built with rethread cc"},
};

static void warn_of(const char *line)
{
	for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
		if (!strncmp(line, notes[i].word, strlen(notes[i].word)))
			warn("%s%s%s", notes[i].before, line + strlen(notes[i].word), notes[i].after);
}

/* Is the line in the text before, or is a note of another kind about the same file in it? */
static bool is_known(const char *text, const char *line)
{
	const char *path = strchr(line, ' ');
	bool is_thread = !strncmp(line, "thread ", 7);
	for (const char *at = text; at < line; at += strlen(at) + 1) {
		const char *other = strchr(at, ' ');
		if (!strcmp(at, line) || (is_thread && path && other && !strcmp(path, other)))
			return true;
	}
	return false;
}

/* The notes of the trace, each ended by a zero; NULL when there are none. */
static char *read_notes(const char *dir, size_t *size)
{
	char *path = xasprintf("%s/libraries", dir), *text = NULL;
	if (!read_file(path, &text, size, NULL))
		text = NULL;
	for (size_t i = 0; text && i < *size; i++)
		if (text[i] == '\n')
			text[i] = 0;
	free(path);
	return text;
}

void unrecorded_warn(const char *dir)
{
	size_t size;
	char *text = read_notes(dir, &size);
	/* A program may load a library again and again. */
	for (const char *line = text; text && line < text + size; line += strlen(line) + 1)
		if (!is_known(text, line))
			warn_of(line);
	free(text);
}

char *unrecorded_first(const char *dir)
{
	size_t size;
	char *text = read_notes(dir, &size), *first = NULL;
	for (const char *line = text; text && !first && line < text + size; line += strlen(line) + 1)
		if (*line && strncmp(line, "twice ", 6))
			first = xstrdup(strchr(line, ' ') ? strchr(line, ' ') + 1 : line);
	free(text);
	return first;
}
