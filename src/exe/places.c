#include "exe/places.h"

#include <rethread/instrument.h>

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_table(Elf_Scn *section, const GElf_Shdr *header, uint64_t **at, size_t *n)
{
	const Elf_Data *data = elf_getdata(section, NULL);
	if (!data || !data->d_buf)
		return;
	const int32_t *places = data->d_buf;
	*n = data->d_size / sizeof *places;
	*at = xcalloc(*n + 1, sizeof **at);
	for (size_t i = 0; i < *n; i++)
		if (places[i])
			(*at)[i] = header->sh_addr + (uint64_t)(int64_t)places[i];
}

bool places_read(const char *path, uint64_t **at, size_t *n, struct error *err)
{
	size_t names;
	*at = NULL;
	*n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = fd >= 0 && elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	bool ok = elf && !elf_getshdrstrndx(elf, &names);
	if (!ok)
		fail(err, "cannot read the sections of %s: %s", path, fd < 0 ? strerror(errno) : elf_errmsg(-1));
	for (Elf_Scn *s = NULL; ok && (s = elf_nextscn(elf, s));) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(s, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		if (name && !strcmp(name, RT_SECTION_PLACES))
			read_table(s, &header, at, n);
	}
	if (elf)
		elf_end(elf);
	if (fd >= 0)
		close(fd);
	return ok;
}
