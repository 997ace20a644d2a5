/*
 * Part of every shared library that rethread cc links. When the library is loaded into a recorded program it says so, and if its code is
 * part of the program already (a plugin needs the library), it leaves construction and destruction to that: the plugin finds the
 * program's symbols before the library's. In any other program it does nothing.
 * Needs no C library, since the library may not have one.
 */
#include <rethread/instrument.h>

#include <elf.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define HIDDEN __attribute__((visibility("hidden")))

typedef void function(void);
extern const Elf64_Dyn _DYNAMIC[] HIDDEN;
extern function *__init_array_start[] HIDDEN, *__init_array_end[] HIDDEN;
extern function *__fini_array_start[] HIDDEN, *__fini_array_end[] HIDDEN;
#pragma weak __rethread_library

enum { PAGE = 4096 };

static void nothing(void)
{
}

static void make_writable(uintptr_t from, uintptr_t to)
{
	long result;

	from &= -(uintptr_t)PAGE;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"((long)SYS_mprotect), "D"(from), "S"(to - from), "d"((long)(PROT_READ | PROT_WRITE))
			 : "rcx", "r11", "memory");
}

/* The dynamic linker reads an entry of the table when its turn has come. */
static void empty(function **from, function **to)
{
	if ((uintptr_t)from == (uintptr_t)to)
		return;
	make_writable((uintptr_t)from, (uintptr_t)to);
	for (; (uintptr_t)from != (uintptr_t)to; from++)
		*(function *volatile *)from = nothing;
}

/* The first constructor. Priorities up to 100 are for systems and tools. */
__attribute__((constructor(0))) static void loaded(void)
{
	if (!__rethread_library || !__rethread_library(_DYNAMIC))
		return;
	empty(__init_array_start, __init_array_end);
	empty(__fini_array_start, __fini_array_end);
}
