#include "exe/files.h"

#include "base/base.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Does the path end with the whole name? */
static bool ends_with(const char *path, const char *name)
{
	size_t n = strlen(path), m = strlen(name);
	return n > m && path[n - m - 1] == '/' && !strcmp(path + n - m, name);
}

static char *file_of_unit(Dwarf_Die *unit, const char *name)
{
	Dwarf_Files *files;
	size_t n;
	if (dwarf_getsrcfiles(unit, &files, &n))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const char *path = dwarf_filesrc(files, i, NULL, NULL);
		if (path && ends_with(path, name) && !access(path, R_OK))
			return xstrdup(path);
	}
	return NULL;
}

char *source_file(const char *program, const char *name)
{
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	Dwarf *dwarf = fd >= 0 ? dwarf_begin(fd, DWARF_C_READ) : NULL;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, sub;
	uint8_t type;
	char *found = NULL;
	while (dwarf && !found && !dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, &sub))
		found = file_of_unit(&unit, name);
	if (dwarf)
		dwarf_end(dwarf);
	if (fd >= 0)
		close(fd);
	return found;
}
