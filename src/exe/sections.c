#include "exe/sections.h"

#include "exe/companion.h"
#include "exe/elf_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <zstd.h>

static char *compressed(const char *file, size_t *n, struct error *err)
{
	char *data;
	size_t size;
	if (!read_file(file, &data, &size, err))
		return NULL;
	size_t bound = ZSTD_compressBound(size);
	char *packed = xmalloc(bound);
	*n = ZSTD_compress(packed, bound, data, size, ZSTD_CLEVEL_DEFAULT);
	free(data);
	if (!ZSTD_isError(*n))
		return packed;
	fail(err, "cannot compress %s: %s", file, ZSTD_getErrorName(*n));
	free(packed);
	return NULL;
}

static bool append_one(struct elf *e, const struct new_section *new, struct error *err)
{
	size_t n;
	char *packed = compressed(new->file, &n, err);
	if (!packed)
		return false;
	Elf64_Shdr s = {.sh_type = SHT_PROGBITS, .sh_addralign = 1, .sh_size = n};
	bool ok = elf_append_section(e, new->name, s, packed, err);
	free(packed);
	return ok;
}

bool sections_append(const char *path, const struct new_section *sections, size_t n,
		     struct error *err)
{
	struct elf e;
	if (!elf_open(&e, path, O_RDWR, err))
		return false;
	bool ok = true;
	for (size_t i = 0; i < n && ok; i++)
		ok = append_one(&e, &sections[i], err);
	ok = ok && elf_finish(&e, err);
	elf_close(&e);
	return ok;
}

/* ---------------------------------------------------------------- reading */

/* The program when it has the section, else its companion. */
static bool open_with(struct elf *e, const char *path, const char *name, struct error *err)
{
	if (!elf_open(e, path, O_RDONLY, err))
		return false;
	return elf_find(e, name) || companion_open(e, name, err);
}

bool sections_has(const char *path, const char *name)
{
	struct elf e;
	if (!open_with(&e, path, name, NULL))
		return false;
	elf_close(&e);
	return true;
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
	if (!open_with(&e, path, name, err))
		return false;
	const Elf64_Shdr *s = elf_find(&e, name);
	char *packed = s->sh_size <= e.size ? xmalloc(s->sh_size) : NULL;
	bool ok = packed && elf_get(&e, packed, s->sh_size, s->sh_offset) && decompress(packed, s->sh_size, data, size);
	if (!ok)
		fail(err, "the section %s of %s is damaged", name, path);
	free(packed);
	elf_close(&e);
	return ok;
}
