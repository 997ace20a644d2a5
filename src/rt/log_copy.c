/* In the child of a fork, the log goes on with a copy of the parent's. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* All of it, to where the other one begins. */
static bool copy_file(int to, int from, uint64_t size)
{
	off_t at = 0;

	while ((uint64_t)at < size)
		if (syscall(SYS_sendfile, to, from, &at, size - (uint64_t)at) <= 0)
			return false;
	return true;
}

/* In memory: nobody has to remove it when there is no child after all. */
int rt_log_copy(void)
{
	int saved = errno;
	int fd = rt_log_has_file() ? (int)syscall(SYS_memfd_create, "rethread log", MFD_CLOEXEC) : -1;

	if (fd >= 0 && !copy_file(fd, rt_log.fd, rt_log.header->size)) {
		syscall(SYS_close, fd);
		fd = -1;
	}
	errno = saved;
	return fd;
}

/* A number in hexadecimal, and what follows it. */
static const char *number(const char *at, uint64_t *n)
{
	for (*n = 0; (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f'); at++)
		*n = *n << 4 | (uint64_t)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
	return at + 1;
}

/*
 * A line of /proc/self/maps, without its end: FROM-TO PERMISSIONS OFFSET DEVICE INODE PATH. `header`: it was the one that holds the header.
 */
static bool map_again(const char *line, const char *end, const char *parents, bool *header)
{
	size_t n = strlen(parents);
	uint64_t from, to, offset;
	const char *at;

	if ((size_t)(end - line) <= n || memcmp(end - n, parents, n) || end[-(long)n - 1] != ' ')
		return true;
	at = number(number(line, &from), &to);
	at = memchr(at, ' ', (size_t)(end - at));
	number(at + 1, &offset);
	*header |= (uintptr_t)rt_log.header - from < to - from;
	return rt_log_map((void *)from, to - from, MAP_SHARED | MAP_FIXED, rt_log.fd, offset);
}

/* False when the parent's log is still mapped: the kernel may know it by another name. */
static bool map_all_again(const char *parents)
{
	char text[RT_PAGE + sizeof rt_log.path];
	size_t have = 0;
	int maps = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
	bool ok = maps >= 0, header = false;

	for (long n; ok && (n = syscall(SYS_read, maps, text + have, sizeof text - have)) > 0;) {
		const char *line = text, *end;

		have += (size_t)n;
		while (ok && (end = memchr(line, '\n', have))) {
			ok = map_again(line, end, parents, &header);
			have -= (size_t)(end + 1 - line);
			line = end + 1;
		}
		memmove(text, line, have);
	}
	if (maps >= 0)
		syscall(SYS_close, maps);
	return ok && header;
}

bool rt_log_adopt(int copy)
{
	char parents[sizeof rt_log.path];
	struct rt_log_header *h = rt_log.header;
	uint64_t size = (uint64_t)syscall(SYS_lseek, copy, 0, SEEK_END);
	int saved = errno;
	bool adopted;

	memcpy(parents, rt_log.path, sizeof parents);
	rt_log_let_go();
	adopted = rt_log_create() && rt_log_grow(0, size) && copy_file(rt_log.fd, copy, size) && map_all_again(parents);
	if (adopted) {
		h->pid = (uint32_t)syscall(SYS_getpid);
		h->ppid = (uint32_t)syscall(SYS_getppid);
		rt_log_set_flags(RT_LOG_CHILD);
	}
	errno = saved;
	return adopted;
}
