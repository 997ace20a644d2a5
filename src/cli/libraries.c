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
