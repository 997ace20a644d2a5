#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/lookup.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

/* ------------------------------------------------------------------ libraries --------------- */

/* The dynamic linker has made addresses of them in most libraries; the rest are offsets. */
static const void *table(uintptr_t base, uintptr_t value)
{
	return (const void *)(value < base ? base + value : value);
}

static bool read_dynamic(struct rt_library *library, const Elf64_Dyn *d)
{
	for (; d->d_tag != DT_NULL; d++) {
		const void *at = table(library->base, d->d_un.d_ptr);

		switch (d->d_tag) {
		case DT_GNU_HASH: library->hash = at; break;
		case DT_SYMTAB: library->symbols = at; break;
		case DT_STRTAB: library->strings = at; break;
		case DT_VERSYM: library->versions = at; break;
		}
	}
	return library->hash && library->symbols && library->strings;
}

static int add_library(struct dl_phdr_info *info, size_t size, void *data)
{
	struct rt_lookup *l = data;
	bool is_program = l->count == 0;
	struct rt_library library = {.base = info->dlpi_addr};

	(void)size;
	/* The kernel's own is not searched by dlsym either. */
	if (!is_program && info->dlpi_addr == getauxval(AT_SYSINFO_EHDR))
		return 0;
	if (l->count == RT_LOOKUP_LIBRARIES) {
		l->complete = false;
		return 1;
	}
	for (unsigned i = 0; !is_program && i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC &&
		    !read_dynamic(&library, (const Elf64_Dyn *)(library.base + info->dlpi_phdr[i].p_vaddr)))
			l->complete = false;
	if (!is_program && !library.hash)
		l->complete = false;
	l->libraries[l->count++] = library;
	return 0;
}

void rt_lookup_init(struct rt_lookup *l)
{
	l->count = 0;
	l->complete = true;
	dl_iterate_phdr(add_library, l);
}

/* ------------------------------------------------------------------ symbols ----------------- */

static uint32_t hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (uint8_t)*name;
	return h;
}

/* Older versions of a symbol, for programs that were linked against them, are hidden. */
static bool is_match(const struct rt_library *l, uint32_t i, const char *name)
{
	const Elf64_Sym *s = &l->symbols[i];

	return s->st_shndx != SHN_UNDEF && !(l->versions && l->versions[i] & 0x8000) &&
	       !strcmp(l->strings + s->st_name, name);
}

/* The table is: number of buckets, first symbol, words of the filter, its shift; filter, buckets, hashes of the symbols. */
static const Elf64_Sym *find_in(const struct rt_library *l, const char *name, uint32_t h)
{
	const uint32_t nbuckets = l->hash[0], first = l->hash[1], nfilter = l->hash[2], shift = l->hash[3];
	const uint64_t *filter = (const uint64_t *)(l->hash + 4);
	const uint32_t *buckets = (const uint32_t *)(filter + nfilter), *hashes = buckets + nbuckets;
	uint64_t word;

	if (!nbuckets || !nfilter)
		return NULL;
	word = filter[h / 64 % nfilter];
	if (!(word >> h % 64 & word >> (h >> shift) % 64 & 1))
		return NULL;
	for (uint32_t i = buckets[h % nbuckets]; i >= first; i++) {
		if ((hashes[i - first] | 1) == (h | 1) && is_match(l, i, name))
			return &l->symbols[i];
		if (hashes[i - first] & 1)
			break;
	}
	return NULL;
}

void *rt_lookup(const struct rt_lookup *l, const char *name)
{
	uint32_t h = hash_of(name);

	if (!l->complete)
		return dlsym(RTLD_NEXT, name);
	for (unsigned i = 1; i < l->count; i++) {
		const Elf64_Sym *s = find_in(&l->libraries[i], name, h);

		if (!s)
			continue;
		/* One that chooses among several when it is bound, and other rarities. */
		if (ELF64_ST_TYPE(s->st_info) != STT_FUNC && ELF64_ST_TYPE(s->st_info) != STT_NOTYPE)
			return dlsym(RTLD_NEXT, name);
		return (void *)(l->libraries[i].base + s->st_value);
	}
	return NULL;
}

/* ------------------------------------------------------------------ who has an address ------ */

struct question {
	uintptr_t address, found;
};

static int has_address(struct dl_phdr_info *info, size_t size, void *data)
{
	struct question *q = data;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && q->address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
			q->found = (uintptr_t)info->dlpi_phdr;
	}
	return q->found != 0;
}

bool rt_same_library(const void *a, const void *b)
{
	struct question qa = {(uintptr_t)a, 0}, qb = {(uintptr_t)b, 0};

	dl_iterate_phdr(has_address, &qa);
	dl_iterate_phdr(has_address, &qb);
	return qa.found && qa.found == qb.found;
}
