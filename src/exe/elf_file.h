/*
 * An ELF file (64 bits, little endian) and its table of sections: reading sections, and adding some at the end.
 */
#ifndef RETHREAD_ELF_FILE_H
#define RETHREAD_ELF_FILE_H

#include "base/base.h"

#include <elf.h>

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

/* mode as for open(2). */
bool elf_open(struct elf *e, const char *path, int mode, struct error *err);
void elf_close(struct elf *e);

const Elf64_Shdr *elf_find(const struct elf *e, const char *name);
bool elf_get(const struct elf *e, void *to, uint64_t size, uint64_t offset);
/* The build-id: returns its size, 0 when there is none or it is longer than `size`. */
size_t elf_build_id(const struct elf *e, uint8_t *to, size_t size);

bool elf_put(struct elf *e, const void *data, uint64_t size, uint64_t offset, struct error *err);
/* At the end of the file, aligned; the place goes to *offset. */
bool elf_append(struct elf *e, const void *data, uint64_t size, uint64_t *offset, struct error *err);
/* A section with section.sh_size bytes of data at the end; the file does not know of it before elf_finish. */
bool elf_append_section(struct elf *e, const char *name, Elf64_Shdr section, const void *data, struct error *err);
/* Write names and table at the end, then the header that leads to them. */
bool elf_finish(struct elf *e, struct error *err);

#endif
