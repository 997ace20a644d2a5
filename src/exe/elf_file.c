#include "exe/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void elf_close(struct elf *e)
{
	free(e->sections);
	free(e->names);
	if (e->fd >= 0)
		close(e->fd);
}

bool elf_get(const struct elf *e, void *to, uint64_t size, uint64_t offset)
{
	if (offset > e->size || size > e->size - offset)
		return false;
	for (char *at = to; size;) {
		ssize_t got = pread(e->fd, at, size, (off_t)offset);
		if (got <= 0)
			return false;
		at += got;
		offset += (uint64_t)got;
		size -= (uint64_t)got;
	}
	return true;
}

static bool elf_read_tables(struct elf *e)
{
	Elf64_Ehdr *h = &e->header;
	if (!elf_get(e, h, sizeof *h, 0) || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
	    h->e_shentsize != sizeof(Elf64_Shdr) || !h->e_shnum || h->e_shstrndx >= h->e_shnum)
		return false;
	e->sections = xcalloc(h->e_shnum, sizeof *e->sections);
	if (!elf_get(e, e->sections, h->e_shnum * sizeof *e->sections, h->e_shoff))
		return false;
	const Elf64_Shdr *names = &e->sections[h->e_shstrndx];
	if (names->sh_size > e->size)
		return false;
	e->names_size = names->sh_size;
	e->names = xcalloc(names->sh_size + 1, 1);
	return elf_get(e, e->names, names->sh_size, names->sh_offset);
}

bool elf_open(struct elf *e, const char *path, int mode, struct error *err)
{
	struct stat st;
	*e = (struct elf){.path = path, .fd = open(path, mode | O_CLOEXEC)};
	if (e->fd < 0)
		return fail(err, "cannot open %s: %s", path, strerror(errno));
	if (fstat(e->fd, &st) || !S_ISREG(st.st_mode)) {
		elf_close(e);
		return fail(err, "%s is no regular file", path);
	}
	e->size = (uint64_t)st.st_size;
	if (elf_read_tables(e))
		return true;
	elf_close(e);
	return fail(err, "%s is no executable (ELF, 64 bits, with section headers)", path);
}

const Elf64_Shdr *elf_find(const struct elf *e, const char *name)
{
	for (size_t i = 1; i < e->header.e_shnum; i++) {
		const Elf64_Shdr *s = &e->sections[i];
		if (s->sh_name < e->names_size && !strcmp(e->names + s->sh_name, name))
			return s;
	}
	return NULL;
}

/* ---------------------------------------------------------------- writing */

bool elf_put(struct elf *e, const void *data, uint64_t size, uint64_t offset, struct error *err)
{
	for (const char *at = data; size;) {
		ssize_t put = pwrite(e->fd, at, size, (off_t)offset);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return fail(err, "cannot write %s: %s", e->path, strerror(errno));
		at += put;
		offset += (uint64_t)put;
		size -= (uint64_t)put;
	}
	return true;
}

/* At the end of the file, aligned; the place goes to *offset. */
bool elf_append(struct elf *e, const void *data, uint64_t size, uint64_t *offset, struct error *err)
{
	*offset = (e->size + 15) & ~(uint64_t)15;
	e->size = *offset + size;
	return elf_put(e, data, size, *offset, err);
}

bool elf_append_section(struct elf *e, const char *name, Elf64_Shdr section, const void *data, struct error *err)
{
	size_t n = e->header.e_shnum, length = strlen(name) + 1;
	if (n + 1 >= SHN_LORESERVE)
		return fail(err, "%s has too many sections to add one", e->path);
	section.sh_name = (Elf64_Word)e->names_size;
	if (!elf_append(e, data, section.sh_size, &section.sh_offset, err))
		return false;
	e->names = xrealloc(e->names, e->names_size + length);
	memcpy(e->names + e->names_size, name, length);
	e->names_size += length;
	e->sections = xrealloc(e->sections, (n + 1) * sizeof *e->sections);
	e->sections[n] = section;
	e->header.e_shnum++;
	return true;
}

bool elf_finish(struct elf *e, struct error *err)
{
	Elf64_Ehdr *h = &e->header;
	Elf64_Shdr *names = &e->sections[h->e_shstrndx];
	names->sh_size = e->names_size;
	return elf_append(e, e->names, e->names_size, &names->sh_offset, err) &&
	       elf_append(e, e->sections, h->e_shnum * sizeof *e->sections, &h->e_shoff, err) &&
	       elf_put(e, h, sizeof *h, 0, err);
}

size_t elf_build_id(const struct elf *e, uint8_t *to, size_t size)
{
	const Elf64_Shdr *s = elf_find(e, ".note.gnu.build-id");
	Elf64_Nhdr note;
	if (!s || s->sh_size < sizeof note || !elf_get(e, &note, sizeof note, s->sh_offset) || note.n_namesz != 4 ||
	    note.n_descsz > size || s->sh_size < sizeof note + 4 + note.n_descsz)
		return 0;
	return elf_get(e, to, note.n_descsz, s->sh_offset + sizeof note + 4) ? note.n_descsz : 0;
}
