#include "exe/dynamic.h"

#include "exe/elf_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static const Elf64_Shdr *find_type(const struct elf *e, Elf64_Word type)
{
	for (size_t i = 1; i < e->header.e_shnum; i++)
		if (e->sections[i].sh_type == type)
			return &e->sections[i];
	return NULL;
}

/* Contents of a section with a NUL behind them, or NULL. */
static char *contents(const struct elf *e, const Elf64_Shdr *s)
{
	if (!s || s->sh_type == SHT_NOBITS || s->sh_size > e->size)
		return NULL;
	char *data = xcalloc(s->sh_size + 1, 1);
	if (elf_get(e, data, s->sh_size, s->sh_offset))
		return data;
	free(data);
	return NULL;
}

static void read_entries(struct dynamic *d, const Elf64_Dyn *at, size_t n, uint64_t text_size)
{
	for (size_t i = 0; i < n && at[i].d_tag != DT_NULL; i++) {
		uint64_t value = at[i].d_un.d_val;
		const char *text = value < text_size ? d->text + value : "";
		switch (at[i].d_tag) {
		case DT_NEEDED:
			*vec_push(&d->needed) = text;
			break;
		case DT_SONAME:
			d->soname = text;
			break;
		case DT_RPATH:
			d->runpath = d->runpath ? d->runpath : text;
			break;
		case DT_RUNPATH:
			d->runpath = text;
			break;
		case DT_SYMBOLIC:
			d->symbolic = true;
			break;
		case DT_FLAGS:
			d->symbolic = d->symbolic || (value & DF_SYMBOLIC);
			break;
		}
	}
}

static void read_symbols(struct dynamic *d, const struct elf *e, uint64_t text_size)
{
	const Elf64_Shdr *s = find_type(e, SHT_DYNSYM);
	Elf64_Sym *symbols = (Elf64_Sym *)contents(e, s);
	size_t n = symbols ? s->sh_size / sizeof *symbols : 0;
	for (size_t i = 1; i < n; i++) {
		unsigned bind = ELF64_ST_BIND(symbols[i].st_info);
		if (bind == STB_LOCAL || symbols[i].st_name >= text_size)
			continue;
		bool defined = symbols[i].st_shndx != SHN_UNDEF;
		*vec_push(&d->symbols) = (struct dynamic_symbol){d->text + symbols[i].st_name, defined, bind == STB_GLOBAL};
	}
	free(symbols);
}

bool dynamic_read(struct dynamic *d, const char *path)
{
	struct elf e;
	*d = (struct dynamic){0};
	if (!elf_open(&e, path, O_RDONLY, NULL))
		return false;
	const Elf64_Shdr *s = find_type(&e, SHT_DYNAMIC);
	Elf64_Dyn *entries = (Elf64_Dyn *)contents(&e, s);
	bool is_file = e.header.e_type == ET_DYN || e.header.e_type == ET_EXEC;
	const Elf64_Shdr *text = s && s->sh_link < e.header.e_shnum ? &e.sections[s->sh_link] : NULL;
	if (entries && is_file && (d->text = contents(&e, text))) {
		read_entries(d, entries, s->sh_size / sizeof *entries, text->sh_size);
		read_symbols(d, &e, text->sh_size);
	}
	free(entries);
	elf_close(&e);
	return d->text;
}

void dynamic_release(struct dynamic *d)
{
	vec_free(&d->needed);
	vec_free(&d->symbols);
	free(d->text);
	*d = (struct dynamic){0};
}

static bool has(const struct dynamic *d, const char *name, bool defined)
{
	for (size_t i = 0; i < d->symbols.n; i++)
		if (d->symbols.at[i].defined == defined && !strcmp(d->symbols.at[i].name, name))
			return true;
	return false;
}

bool dynamic_defines(const struct dynamic *d, const char *name)
{
	return has(d, name, true);
}

bool dynamic_uses(const struct dynamic *d, const char *name)
{
	return has(d, name, false);
}

bool dynamic_needs(const struct dynamic *d, const char *soname)
{
	for (size_t i = 0; i < d->needed.n; i++)
		if (!strcmp(d->needed.at[i], soname))
			return true;
	return false;
}
