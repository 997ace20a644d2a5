#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/mapped.h"

#include <stdatomic.h>

/* A slot is free while `n` is 0. With more mappings than slots, the oldest are forgotten. */
enum { SLOTS = 64 };

struct mapping {
	_Atomic size_t n;
	uint64_t at;
	char *own; /* the twin only; and so is `prot` */
	int prot;
	dev_t device;
	ino_t inode;
	off_t from;
};

static struct mapping mappings[SLOTS];
static _Atomic uint32_t used;

static void forget(uint64_t at, size_t n)
{
	for (int i = 0; i < SLOTS; i++) {
		struct mapping *m = &mappings[i];
		if (m->n && m->at < at + n && at < m->at + m->n)
			m->n = 0;
	}
}

static void add(struct mapping wanted, size_t n)
{
	struct mapping *m = &mappings[used++ % SLOTS];
	m->n = 0;
	*m = wanted;
	m->n = n;
}

static bool is_file(int fd, struct stat *st)
{
	return !syscall(SYS_newfstatat, fd, "", st, AT_EMPTY_PATH) && S_ISREG(st->st_mode);
}

void mapped_add(void *at, size_t n, int flags, int fd, off_t from)
{
	struct stat st;
	bool is_shared = (flags & MAP_SHARED) && !(flags & MAP_ANONYMOUS) && fd >= 0;
	if (at == MAP_FAILED)
		return;
	if (used)
		forget((uint64_t)at, n);
	if (is_shared && is_file(fd, &st))
		add((struct mapping){.at = (uint64_t)at, .device = st.st_dev, .inode = st.st_ino, .from = from}, n);
}

/*
 * Does memory at `at` hold the bytes? It need not: nobody tells of munmap, and others write, too. The kernel is asked to
 * read it, since the program may have taken it away.
 */
static bool holds(uint64_t at, const char *bytes, size_t n)
{
	char there[4096];
	for (size_t done = 0; done < n;) {
		size_t here = n - done < sizeof there ? n - done : sizeof there;
		struct iovec to = {there, here}, from = {(void *)(at + done), here};
		if (syscall(SYS_process_vm_readv, syscall(SYS_getpid), &to, 1L, &from, 1L, 0L) != (long)here ||
		    memcmp(there, bytes + done, here))
			return false;
		done += here;
	}
	return true;
}

/* One piece, written at `from`, in one mapping. */
static void find(const struct mapping *m, const char *bytes, int64_t n, off_t from, mapped_found *found, void *data)
{
	off_t begin = from > m->from ? from : m->from, end = m->from + (off_t)m->n;
	if (end > from + n)
		end = from + n;
	if (begin >= end)
		return;
	uint64_t at = m->at + (uint64_t)(begin - m->from);
	if (holds(at, bytes + (begin - from), (size_t)(end - begin)))
		found(data, at, bytes + (begin - from), (size_t)(end - begin));
}

void mapped_each(int fd, const struct iovec *v, size_t count, int64_t n, off_t from, mapped_found *found, void *data)
{
	struct stat st;
	if (!used || n <= 0 || !is_file(fd, &st))
		return;
	if (from < 0)
		from = syscall(SYS_lseek, fd, 0L, SEEK_CUR) - n;
	for (size_t i = 0; i < count && n > 0; i++) {
		int64_t here = n < (int64_t)v[i].iov_len ? n : (int64_t)v[i].iov_len;
		for (int k = 0; k < SLOTS; k++)
			if (mappings[k].n && mappings[k].device == st.st_dev && mappings[k].inode == st.st_ino)
				find(&mappings[k], v[i].iov_base, here, from, found, data);
		from += here;
		n -= here;
	}
}

void mapped_pair(uint64_t recorded, void *own, size_t n, int prot)
{
	forget(recorded, n);
	add((struct mapping){.at = recorded, .own = own, .prot = prot}, n);
}

void *mapped_own(uint64_t recorded, size_t n, int *prot)
{
	for (int i = 0; i < SLOTS; i++) {
		struct mapping *m = &mappings[i];
		if (m->n < n || !m->own || recorded < m->at || recorded - m->at > m->n - n)
			continue;
		*prot = m->prot;
		return m->own + (recorded - m->at);
	}
	return NULL;
}
