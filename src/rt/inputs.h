/*
 * What the two runtimes have in common about inputs (include/rethread/inputs.def): numbers, the real functions, and
 * the helpers that the table uses. Each runtime defines OUT and its kin and includes the table.
 *
 * The runtimes' definitions are weak: a program that defines such a function itself means its own. They are made
 * under other names with the real ones as symbols, so that prototypes in headers do not matter.
 */
#ifndef RETHREAD_RT_INPUTS_H
#define RETHREAD_RT_INPUTS_H

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* glibc has a macro of that name. */
#undef fread_unlocked

enum rt_input_function {
	RT_INPUT_FILLER,
#define INPUT(flags, type, name, ...) RT_INPUT_##name,
#include <rethread/inputs.def>
#undef INPUT
	RT_INPUTS
};

enum rt_input_flag { BLOCKS = 1, DEEP = 2, FORKS = 4, WAKES = 8, HEARS = 16, QUICK = 32, BLIND = 64 };

/* Messages with addresses in them are whole words, and few. */
#define INPUT_NOTE_MAX 64

#pragma GCC visibility push(hidden)

/* As rt_real: what the target would have called without us. rt_real_init fills it. */
struct rt_input_real {
#define INPUT(flags, type, name, parameters, ...) type(*name) parameters;
#include <rethread/inputs.def>
#undef INPUT
};
extern struct rt_input_real rt_input_real;
#define REAL(name) rt_input_real.name

/* ---- helpers of the table ---- */

/* Conversions of a scanf format that store something, one after the other. */
struct rt_conversions {
	const char *at;
	char kind;   /* the conversion character */
	char length; /* h, H for hh, l, L for ll, L and q, j, z, t, or 0 */
	bool allocates;
	size_t width; /* 0: none */
};
/* Advance to the next; false when there is none. */
bool rt_conversions_next(struct rt_conversions *c);
/* How many bytes it stores at p, once it has. */
size_t rt_conversion_size(const struct rt_conversions *c, const void *p);

/* Bytes of a file mapping that are really the file's, and were just read. */
size_t input_mapped(size_t n, int prot, int flags, int fd, off_t from);

#pragma GCC visibility pop

static inline size_t input_fds_size(int n)
{
	return ((size_t)(n > 0 ? n : 0) + 63) / 64 * 8;
}

static inline size_t input_fcntl_size(int what)
{
	return what == F_GETLK || what == F_OFD_GETLK ? sizeof(struct flock) : 0;
}

/* Other processes may have changed what it begins with. */
static inline sem_t *input_sem_open(const char *name, int flags, mode_t mode, unsigned value, int *now)
{
	sem_t *s = REAL(sem_open)(name, flags, mode, value);
	if (s)
		REAL(sem_getvalue)(s, now);
	return s;
}

/* How many bytes fgets wrote: there may be zeros among them. Where the file ends without the end of a line nobody can tell. */
static inline size_t input_line_size(const char *p, int n, const FILE *f)
{
	size_t length = strlen(p);
	const char *end;
	if ((length && p[length - 1] == '\n') || (int)length + 1 >= n || (f->_flags & _IO_EOF_SEEN))
		return length + 1;
	end = memchr(p, '\n', (size_t)n - 1);
	return end ? (size_t)(end - p) + 2 : (size_t)n;
}

/* Has the stream so many bytes in its buffer? */
static inline bool input_is_buffered(const FILE *f, size_t n)
{
	return f && (size_t)(f->_IO_read_end - f->_IO_read_ptr) >= n;
}

/* Has it the rest of a line there, or n bytes? */
static inline bool input_has_line(const FILE *f, size_t n, int end)
{
	const char *from = f ? f->_IO_read_ptr : NULL, *to = f ? f->_IO_read_end : NULL;

	return from < to && ((size_t)(to - from) >= n || memchr(from, end, (size_t)(to - from)));
}

/* Of a message that was longer than the buffer, the rest is lost, and MSG_TRUNC counts it. */
static inline int64_t input_received(int64_t result, size_t n)
{
	return result < (int64_t)n ? result : (int64_t)n;
}

enum input_sandbox { INPUT_SANDBOX_NONE, INPUT_SANDBOX_FILTER, INPUT_SANDBOX_STRICT };

/* Of prctl: what its second parameter says. */
static inline enum input_sandbox input_sandbox_prctl(int option, const void *mode)
{
	if (option != PR_SET_SECCOMP)
		return INPUT_SANDBOX_NONE;
	return (long)mode == SECCOMP_MODE_STRICT ? INPUT_SANDBOX_STRICT : INPUT_SANDBOX_FILTER;
}

/* Of system call `number`: its first parameter, and the filter. */
static inline enum input_sandbox input_sandbox_syscall(long number, const void *what, const void *filter)
{
	if (number != SYS_seccomp)
		return INPUT_SANDBOX_NONE;
	if ((long)what == SECCOMP_SET_MODE_STRICT)
		return INPUT_SANDBOX_STRICT;
	return (long)what == SECCOMP_SET_MODE_FILTER && filter ? INPUT_SANDBOX_FILTER : INPUT_SANDBOX_NONE;
}

/* What prctl writes to where its second parameter leads. */
static inline int64_t input_prctl_size(int option)
{
	switch (option) {
	case PR_GET_NAME:
		return 16;
	case PR_GET_PDEATHSIG:
	case PR_GET_CHILD_SUBREAPER:
	case PR_GET_TSC:
	case PR_GET_UNALIGN:
	case PR_GET_ENDIAN:
		return sizeof(int);
	case PR_GET_TID_ADDRESS:
		return sizeof(int *);
	default:
		return 0;
	}
}

/* What a system call writes through its n-th parameter (of those that src/instrument/syscalls.c knows). */
static inline int64_t input_syscall_size(long number, unsigned n, long result)
{
	if (result < 0)
		return 0;
	switch (number) {
	case SYS_getrandom:
		return n == 0 ? result : 0;
	case SYS_getcpu:
		return sizeof(unsigned);
	case SYS_clock_gettime:
		return n == 1 ? sizeof(struct timespec) : 0;
	case SYS_getdents64:
		return n == 1 ? result : 0;
	default:
		return 0;
	}
}

/* What an ioctl writes: newer numbers say it. */
static inline size_t input_ioctl_size(unsigned long what)
{
	switch (what) {
	case FIONREAD:
	case TIOCOUTQ:
	case TIOCGPGRP:
		return sizeof(int);
	case TIOCGWINSZ:
		return sizeof(struct winsize);
	case TCGETS:
		return 36; /* the kernel's struct termios */
	default:
		return _IOC_DIR(what) & _IOC_READ ? _IOC_SIZE(what) : 0;
	}
}

/* The program's frames: those of the runtime, which was called from `caller`, are left out. Of stacks that are deeper than MANY the last ones may be missing for that. */
static inline int input_backtrace(void **frames, int n, void *caller)
{
	enum { OWN = 4, MANY = 512 };
	void *few[MANY + OWN], **all = n > MANY ? frames : few;
	int room = n > 0 ? n : 0, own = 0;
	int count = REAL(backtrace)(all, n > MANY ? n : room + OWN);
	for (int i = 0; i < OWN && i < count; i++)
		if (all[i] == caller)
			own = i;
	count = count - own < room ? count - own : room;
	memmove(frames, all + own, (size_t)count * sizeof *frames);
	return count;
}

static inline size_t input_padded(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

#endif
