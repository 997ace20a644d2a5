#include "cli/libraries.h"

#include "exe/elf_file.h"
#include "exe/sections.h"

#include <rethread/instrument.h>
#include <rethread/trace.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static bool has_changed(const char *path, const char *id)
{
	struct elf e;
	uint8_t bytes[RT_BUILD_ID_SIZE];
	char hex[2 * RT_BUILD_ID_SIZE + 1] = "-";
	if (!elf_open(&e, path, O_RDONLY, NULL))
		return false; /* the program does not need it */
	size_t n = elf_build_id(&e, bytes, sizeof bytes);
	for (size_t i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	elf_close(&e);
	return strcmp(hex, id);
}

void libraries_warn_changed(const char *program)
{
	char *text, *line;
	size_t size;
	if (!sections_has(program, RT_SECTION_LIBRARIES) || !sections_read(program, RT_SECTION_LIBRARIES, &text, &size, NULL))
		return;
	for (char *rest = text; (line = strsep(&rest, "\n"));) {
		const char *id = strsep(&line, " ");
		if (line && has_changed(line, id))
			warn("%s was built anew after its code became part of %s, which still has the old code: link it again", line,
			     program);
	}
	free(text);
}

static const struct {
	const char *word, *before, *after;
} notes[] = {
	{"loaded ", "what ", " did is not recorded: its code is not part of the program, which was not linked against it (a plugin), or "
			     "was told to keep it shared"},
	{"twice ", "", " was loaded although its code is part of the program; if the two get in each other's way, link with "
		       "RETHREAD_KEEP_SHARED=all"},
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

void libraries_warn_unrecorded(const char *dir)
{
	char *path = xasprintf("%s/libraries", dir), *text, *line;
	size_t size;
	if (read_file(path, &text, &size, NULL)) {
		/* A program may load a library again and again. */
		for (char *rest = text; (line = strsep(&rest, "\n"));)
			if (!is_known(text, line))
				warn_of(line);
		free(text);
	}
	free(path);
}
