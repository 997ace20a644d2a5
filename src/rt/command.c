#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/command.h"

#include "rt/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 16 << 20 }; /* more than the kernel takes by far */

/* Beyond RLIMIT_FSIZE the kernel would send the target SIGXFSZ. */
static bool has_room(void)
{
	struct rlimit limit;

	return !syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) && limit.rlim_cur >= MOST;
}

static bool put(int fd, const char *text, size_t n)
{
	return syscall(SYS_write, fd, text, n) == (long)n;
}

/* A name and a zero; `n` is what the system call returned. */
static bool put_name(int fd, char *name, long n, size_t size)
{
	if (n < 0 || (size_t)n >= size)
		return false;
	name[n] = 0;
	return put(fd, name, strlen(name) + 1);
}

/* All of a file in /proc; how long it is, or -1. */
static long put_file(int fd, const char *path)
{
	int from = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	char buffer[4096];
	long n, all = 0;

	if (from < 0)
		return -1;
	while ((n = syscall(SYS_read, from, buffer, sizeof buffer)) > 0 && all < MOST / 4 && put(fd, buffer, (size_t)n))
		all += n;
	syscall(SYS_close, from);
	return n ? -1 : all;
}

/* The size of the arguments comes first, because it is known last. */
static bool write_command(int fd)
{
	char name[4096];
	uint64_t size = 0;
	long n;

	if (!put(fd, (char *)&size, sizeof size) ||
	    !put_name(fd, name, syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", name, sizeof name), sizeof name) ||
	    !put_name(fd, name, syscall(SYS_getcwd, name, sizeof name) > 0 ? (long)strlen(name) : 0, sizeof name))
		return false;
	n = put_file(fd, "/proc/self/cmdline");
	if (n <= 0 || put_file(fd, "/proc/self/environ") < 0)
		return false;
	size = (uint64_t)n;
	return syscall(SYS_pwrite64, fd, &size, sizeof size, 0) == (long)sizeof size;
}

void rt_command_write(void)
{
	char path[sizeof rt_log.path + 8];
	size_t n = strlen(rt_log.dir);
	int saved = errno, fd;

	if (!has_room())
		return;
	memcpy(path, rt_log.dir, n);
	memcpy(path + n, "/command", 8);
	strcpy(path + n + 8, rt_log.path + n + strlen("/log"));
	syscall(SYS_unlinkat, AT_FDCWD, path, 0);
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0) {
		if (!write_command(fd))
			syscall(SYS_unlinkat, AT_FDCWD, path, 0);
		syscall(SYS_close, fd);
	}
	errno = saved;
}
