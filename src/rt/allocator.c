#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/allocator.h"

#include "rt/lookup.h"
#include "rt/real.h"

#include <rethread/trace.h>

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct tables {
	const struct rt_lookup *lookup;
	uintptr_t base;
	uintptr_t relro, relro_end; /* what the dynamic linker has made read-only */
	const Elf64_Sym *symbols;
	const char *strings;
	const Elf64_Rela *relocations[2];
	size_t count[2];
};

static bool protect(uintptr_t page, int how)
{
	return !syscall(SYS_mprotect, page, RT_PAGE, how);
}

static void set_slot(const struct tables *t, uintptr_t at, void *function)
{
	uintptr_t page = at & ~(uintptr_t)(RT_PAGE - 1);
	bool fixed = at >= t->relro && at < t->relro_end;

	if (fixed && !protect(page, PROT_READ | PROT_WRITE))
		return;
	*(void **)at = function;
	if (fixed)
		protect(page, PROT_READ);
}

/* A slot for a function that the program defines, because the runtime in it interposes it. */
static void detach(const struct tables *t, const Elf64_Rela *r)
{
	uint32_t type = (uint32_t)ELF64_R_TYPE(r->r_info);
	const Elf64_Sym *s = &t->symbols[ELF64_R_SYM(r->r_info)];
	void *bound, *real;

	if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) || s->st_shndx != SHN_UNDEF)
		return;
	bound = dlsym(RTLD_DEFAULT, t->strings + s->st_name);
	real = rt_lookup(t->lookup, t->strings + s->st_name);
	if (bound && real && bound != real && rt_same_library(bound, (void *)rt_allocator_detach))
		set_slot(t, t->base + r->r_offset, real);
}

static void read_tables(struct tables *t, const Elf64_Dyn *d)
{
	for (; d->d_tag != DT_NULL; d++) {
		uintptr_t at = d->d_un.d_ptr < t->base ? t->base + d->d_un.d_ptr : d->d_un.d_ptr;

		switch (d->d_tag) {
		case DT_SYMTAB: t->symbols = (const Elf64_Sym *)at; break;
		case DT_STRTAB: t->strings = (const char *)at; break;
		case DT_RELA: t->relocations[0] = (const Elf64_Rela *)at; break;
		case DT_RELASZ: t->count[0] = d->d_un.d_val / sizeof(Elf64_Rela); break;
		case DT_JMPREL: t->relocations[1] = (const Elf64_Rela *)at; break;
		case DT_PLTRELSZ: t->count[1] = d->d_un.d_val / sizeof(Elf64_Rela); break;
		}
	}
}

static int detach_library(struct dl_phdr_info *info, size_t size, void *data)
{
	struct tables t = {.lookup = data, .base = info->dlpi_addr};
	bool found = false;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		found |= p->p_type == PT_LOAD && (uintptr_t)rt_real.malloc - start < p->p_memsz;
		if (p->p_type == PT_GNU_RELRO) {
			t.relro = start;
			t.relro_end = start + p->p_memsz;
		}
		if (p->p_type == PT_DYNAMIC)
			read_tables(&t, (const Elf64_Dyn *)start);
	}
	if (!found)
		return 0;
	for (unsigned k = 0; k < 2 && t.symbols && t.strings; k++)
		for (size_t i = 0; t.relocations[k] && i < t.count[k]; i++)
			detach(&t, &t.relocations[k][i]);
	return 1;
}

void rt_allocator_detach(void)
{
	struct rt_lookup lookup;

	if (!rt_real.malloc || rt_same_library((void *)rt_real.malloc, (void *)gnu_get_libc_version))
		return;
	rt_lookup_init(&lookup);
	dl_iterate_phdr(detach_library, &lookup);
}
