#include "exe/origin.h"

#include "exe/elf_file.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

/* The run path of the program; malloc'ed, or NULL. */
static char *run_path(const char *program)
{
	struct elf e;
	char *path = NULL;
	if (!elf_open(&e, program, O_RDONLY, NULL))
		return NULL;
	const Elf64_Shdr *dynamic = elf_find(&e, ".dynamic"), *strings = elf_find(&e, ".dynstr");
	for (uint64_t at = 0; dynamic && strings && at + sizeof(Elf64_Dyn) <= dynamic->sh_size; at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn d;
		if (!elf_get(&e, &d, sizeof d, dynamic->sh_offset + at))
			break;
		if ((d.d_tag != DT_RUNPATH && d.d_tag != DT_RPATH) || d.d_un.d_val >= strings->sh_size)
			continue;
		uint64_t room = strings->sh_size - d.d_un.d_val;
		free(path);
		path = xcalloc(room + 1, 1);
		if (!elf_get(&e, path, room, strings->sh_offset + d.d_un.d_val))
			*path = 0;
	}
	elf_close(&e);
	return path;
}

/* $ORIGIN and ${ORIGIN} in it; malloc'ed. */
static char *expand(const char *path, const char *origin)
{
	char *text = xstrdup("");
	while (*path) {
		size_t n = strcspn(path, "$");
		size_t skip = !strncmp(path + n, "$ORIGIN", 7) ? 7 : !strncmp(path + n, "${ORIGIN}", 9) ? 9 : 0;
		size_t kept = skip || !path[n] ? n : n + 1;
		char *longer = xasprintf("%s%.*s%s", text, (int)kept, path, skip ? origin : "");
		free(text);
		text = longer;
		path += kept + skip;
	}
	return text;
}

char *origin_setting(const char *program, const char *before)
{
	char *path = run_path(program), *setting = NULL;
	if (path && strstr(path, "ORIGIN")) {
		char *copy = xstrdup(program), *all = expand(path, dirname(copy));
		bool more = before && *before;
		setting = xasprintf("LD_LIBRARY_PATH=%s%s%s", all, more ? ":" : "", more ? before : "");
		free(copy);
		free(all);
	}
	free(path);
	return setting;
}
