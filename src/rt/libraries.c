#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/libraries.h"

#include "rt/log.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <rethread/instrument.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma weak __rethread_linked_in

static size_t append(char *to, size_t at, size_t size, const char *text)
{
	size_t n = strlen(text);

	if (n >= size - at)
		n = size - at - 1;
	memcpy(to + at, text, n + 1);
	to[at + n] = 0;
	return at + n;
}

static void note(const char *what, const char *path)
{
	char file[sizeof rt_log.dir + 16], line[4096 + 16];
	size_t n = append(file, 0, sizeof file, rt_log.dir);
	int saved = errno, fd;

	if (!rt_log.header)
		return;
	append(file, n, sizeof file, "/libraries");
	n = append(line, 0, sizeof line, what);
	n = append(line, n, sizeof line, path);
	n = append(line, n, sizeof line, "\n");
	fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0) {
		syscall(SYS_write, fd, line, n);
		syscall(SYS_close, fd);
	}
	errno = saved;
}

/* Is the name one of those with colons between them? */
static bool is_linked_in(const char *name)
{
	size_t n = name ? strlen(name) : 0;

	for (const char *at = __rethread_linked_in; n && at && *at; at += *at == ':') {
		size_t length = strcspn(at, ":");

		if (length == n && !memcmp(at, name, n))
			return true;
		at += length;
	}
	return false;
}

static const char *name_of(const struct link_map *map)
{
	const char *strings = NULL;
	uint64_t name = 0;

	for (const Elf64_Dyn *d = map->l_ld; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_STRTAB) /* the dynamic linker relocates it, where it can be written to */
			strings = (const char *)(d->d_un.d_ptr + (d->d_un.d_ptr < map->l_addr ? map->l_addr : 0));
		else if (d->d_tag == DT_SONAME)
			name = d->d_un.d_val;
	}
	return strings && name ? strings + name : NULL;
}

int __rethread_library(const void *dynamic)
{
	Dl_info info;
	struct link_map *map;
	const char *slash;
	bool inside;

	if (!dladdr1(dynamic, &info, (void **)&map, RTLD_DL_LINKMAP) || !map->l_name)
		return 0;
	slash = strrchr(map->l_name, '/');
	inside = is_linked_in(name_of(map)) || is_linked_in(slash ? slash + 1 : map->l_name);
	note(inside ? "twice " : "loaded ", map->l_name);
	return inside;
}

/* C and C++ libraries start threads of the program's through functions of their own. */
static bool is_of_the_language(const char *path)
{
	static const char *const names[] = {"libc.so", "libstdc++.so", "libc++.so"};
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(slash ? slash + 1 : path, names[i], strlen(names[i])))
			return true;
	return false;
}

void rt_libraries_thread(const void *routine)
{
	static const void *last; /* most programs have one, and asking takes the dynamic linker's lock */
	Dl_info info;

	if (__atomic_exchange_n(&last, routine, __ATOMIC_RELAXED) == routine)
		return;
	if (dladdr(routine, &info) && info.dli_fname && !is_of_the_language(info.dli_fname))
		note("thread ", info.dli_fname);
}

void rt_libraries_notifies(const struct sigevent *how, const char *function)
{
	char what[128];
	size_t n;

	if (!how || how->sigev_notify != SIGEV_THREAD)
		return;
	n = append(what, 0, sizeof what, "threads of ");
	n = append(what, n, sizeof what, function);
	append(what, n, sizeof what, " (SIGEV_THREAD)");
	note("own ", what);
}
