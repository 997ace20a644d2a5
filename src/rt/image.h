/*
 * The program's own ELF image as it lies in memory: where it was loaded, what belongs to it, its
 * build-id. Shared by both runtimes; reads the program headers that the kernel points at, takes no
 * lock, allocates nothing.
 */
#ifndef RETHREAD_RT_IMAGE_H
#define RETHREAD_RT_IMAGE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Difference between addresses in memory and in the file: 0 unless position independent. */
uint64_t rt_image_load_address(void);

/* The address less the load address when it is in a loaded segment of the program, else 0. */
uint64_t rt_image_relative(uint64_t address);

/* Up to `size` bytes of the GNU build-id, the rest zero; all zero when there is none. */
void rt_image_build_id(uint8_t *id, uint32_t size);

#pragma GCC visibility pop

#endif
