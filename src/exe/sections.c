#include "exe/sections.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* The parts of an ELF file that name its sections. */
struct elf {
	const char *path;
	int fd;
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Shdr *sections; /* header.e_shnum of them */
	char *names;          /* section names, NUL-terminated beyond their size */
	uint64_t names_size;
};

static void elf_close(struct elf *e)
{
	free(e->sections);
	free(e->names);
	if (e->fd >= 0)
		close(e->fd);
}

static bool read_at(const struct elf *e, void *to, uint64_t size, uint64_t offset)
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
	if (!read_at(e, h, sizeof *h, 0) || memcmp(h->e_ident, ELFMAG, SELFMAG) ||
	    h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
	    h->e_shentsize != sizeof(Elf64_Shdr) || !h->e_shnum || h->e_shstrndx >= h->e_shnum)
		return false;
	e->sections = xcalloc(h->e_shnum, sizeof *e->sections);
	if (!read_at(e, e->sections, h->e_shnum * sizeof *e->sections, h->e_shoff))
		return false;
	const Elf64_Shdr *names = &e->sections[h->e_shstrndx];
	if (names->sh_size > e->size)
		return false;
	e->names_size = names->sh_size;
	e->names = xcalloc(names->sh_size + 1, 1);
	return read_at(e, e->names, names->sh_size, names->sh_offset);
}

static bool elf_open(struct elf *e, const char *path, int mode, struct error *err)
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

static const Elf64_Shdr *elf_find(const struct elf *e, const char *name)
{
	for (size_t i = 1; i < e->header.e_shnum; i++) {
		const Elf64_Shdr *s = &e->sections[i];
		if (s->sh_name < e->names_size && !strcmp(e->names + s->sh_name, name))
			return s;
	}
	return NULL;
}

/* ---------------------------------------------------------------- writing */

static bool write_at(struct elf *e, const void *data, uint64_t size, uint64_t offset, struct error *err)
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
static bool append(struct elf *e, const void *data, uint64_t size, uint64_t *offset, struct error *err)
{
	*offset = (e->size + 15) & ~(uint64_t)15;
	e->size = *offset + size;
	return write_at(e, data, size, *offset, err);
}

static bool append_compressed(struct elf *e, Elf64_Shdr *section, const char *file, struct error *err)
{
	char *data;
	size_t size;
	if (!read_file(file, &data, &size, err))
		return false;
	size_t bound = ZSTD_compressBound(size);
	char *packed = xmalloc(bound);
	size_t n = ZSTD_compress(packed, bound, data, size, ZSTD_CLEVEL_DEFAULT);
	bool ok = !ZSTD_isError(n);
	if (!ok)
		fail(err, "cannot compress %s: %s", file, ZSTD_getErrorName(n));
	section->sh_size = n;
	ok = ok && append(e, packed, n, &section->sh_offset, err);
	free(packed);
	free(data);
	return ok;
}

static bool append_all(struct elf *e, const struct new_section *new, size_t n, struct error *err)
{
	Elf64_Ehdr *h = &e->header;
	size_t old = h->e_shnum;
	if (old + n >= SHN_LORESERVE)
		return fail(err, "%s has too many sections to add one", e->path);
	e->sections = xrealloc(e->sections, (old + n) * sizeof *e->sections);
	for (size_t i = 0; i < n; i++) {
		Elf64_Shdr *s = &e->sections[old + i];
		*s = (Elf64_Shdr){.sh_name = (Elf64_Word)e->names_size, .sh_type = SHT_PROGBITS,
				  .sh_addralign = 1};
		size_t length = strlen(new[i].name) + 1;
		e->names = xrealloc(e->names, e->names_size + length);
		memcpy(e->names + e->names_size, new[i].name, length);
		e->names_size += length;
		if (!append_compressed(e, s, new[i].file, err))
			return false;
	}
	Elf64_Shdr *names = &e->sections[h->e_shstrndx];
	names->sh_size = e->names_size;
	if (!append(e, e->names, e->names_size, &names->sh_offset, err))
		return false;
	h->e_shnum = (Elf64_Half)(old + n);
	return append(e, e->sections, h->e_shnum * sizeof *e->sections, &h->e_shoff, err) &&
	       write_at(e, h, sizeof *h, 0, err);
}

bool sections_append(const char *path, const struct new_section *sections, size_t n,
		     struct error *err)
{
	struct elf e;
	if (!elf_open(&e, path, O_RDWR, err))
		return false;
	bool ok = append_all(&e, sections, n, err);
	elf_close(&e);
	return ok;
}

/* ---------------------------------------------------------------- reading */

bool sections_has(const char *path, const char *name)
{
	struct elf e;
	if (!elf_open(&e, path, O_RDONLY, NULL))
		return false;
	bool has = elf_find(&e, name) != NULL;
	elf_close(&e);
	return has;
}

static bool decompress(const char *packed, size_t n, char **data, size_t *size)
{
	unsigned long long full = ZSTD_getFrameContentSize(packed, n);
	if (full == ZSTD_CONTENTSIZE_ERROR || full == ZSTD_CONTENTSIZE_UNKNOWN || full >> 40)
		return false;
	*data = malloc(full + 1);
	if (!*data)
		return false;
	*size = ZSTD_decompress(*data, full, packed, n);
	if (ZSTD_isError(*size)) {
		free(*data);
		return false;
	}
	(*data)[*size] = 0;
	return true;
}

bool sections_read(const char *path, const char *name, char **data, size_t *size, struct error *err)
{
	struct elf e;
	if (!elf_open(&e, path, O_RDONLY, err))
		return false;
	const Elf64_Shdr *s = elf_find(&e, name);
	bool ok = s != NULL;
	if (!ok)
		fail(err, "%s has no section %s: build it with rethread cc, and do not strip that section",
		     path, name);
	char *packed = NULL;
	if (ok && s->sh_size <= e.size) {
		packed = xmalloc(s->sh_size);
		ok = read_at(&e, packed, s->sh_size, s->sh_offset) &&
		     decompress(packed, s->sh_size, data, size);
	} else {
		ok = false;
	}
	if (!ok && s)
		fail(err, "the section %s of %s is damaged", name, path);
	free(packed);
	elf_close(&e);
	return ok;
}
