#include "rt/image.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>

struct headers {
	const Elf64_Phdr *at;
	uint64_t count, load;
};

static struct headers program_headers(void)
{
	struct headers h = {(const Elf64_Phdr *)getauxval(AT_PHDR), getauxval(AT_PHNUM), 0};

	if (!h.at)
		h.count = 0;
	for (uint64_t i = 0; i < h.count; i++)
		if (h.at[i].p_type == PT_PHDR)
			h.load = (uint64_t)h.at - h.at[i].p_vaddr;
	return h;
}

uint64_t rt_image_load_address(void)
{
	return program_headers().load;
}

/* The segment that was asked for last, mostly the code: whoever calls a function of ours is looked up there at each call. */
static const Elf64_Phdr *last;
static uint64_t last_load;

static bool is_in(const Elf64_Phdr *segment, uint64_t relative)
{
	return relative - segment->p_vaddr < segment->p_memsz;
}

uint64_t rt_image_relative(uint64_t address)
{
	const Elf64_Phdr *known = __atomic_load_n(&last, __ATOMIC_ACQUIRE);
	struct headers h;

	if (known && is_in(known, address - last_load))
		return address - last_load;
	h = program_headers();
	for (uint64_t i = 0; i < h.count; i++)
		if (h.at[i].p_type == PT_LOAD && is_in(&h.at[i], address - h.load)) {
			__atomic_store_n(&last_load, h.load, __ATOMIC_RELAXED);
			__atomic_store_n(&last, &h.at[i], __ATOMIC_RELEASE);
			return address - h.load;
		}
	return 0;
}

void rt_image_build_id(uint8_t *id, uint32_t size)
{
	struct headers h = program_headers();

	memset(id, 0, size);
	for (uint64_t i = 0; i < h.count; i++) {
		const uint8_t *note = (const uint8_t *)(h.at[i].p_vaddr + h.load);
		const uint8_t *end = note + h.at[i].p_memsz;

		if (h.at[i].p_type != PT_NOTE)
			continue;
		while ((uint64_t)(end - note) >= sizeof(Elf64_Nhdr)) {
			const Elf64_Nhdr *n = (const Elf64_Nhdr *)note;
			const uint8_t *name = note + sizeof *n;
			const uint8_t *data = name + ((n->n_namesz + 3) & ~3u);

			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
			    !memcmp(name, "GNU", 4)) {
				memcpy(id, data, n->n_descsz < size ? n->n_descsz : size);
				return;
			}
			note = data + ((n->n_descsz + 3) & ~3u);
			if (note > end)
				break;
		}
	}
}
