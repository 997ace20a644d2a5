#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/log.h"

#include "rt/clock.h"
#include "rt/image.h"

#include <rethread/instrument.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(struct rt_log_header) <= RT_PAGE, "the header is one page");
_Static_assert(sizeof(struct rt_chunk) == 64, "chunk headers keep payloads aligned");

struct rt_log rt_log = {.fd = -1};

/* Inside of a guard: its signals are blocked already. */
static __thread bool is_guarded __attribute__((tls_model("initial-exec")));

/* Of such a lock; whoever waits sleeps, for who has it may wait for a page of the file. Processes may share it. */
enum { FREE, TAKEN, AWAITED };

static void take(uint32_t *lock)
{
	enum { ROUNDS = 100 };
	uint32_t free = FREE;

	for (unsigned i = 0; i < ROUNDS; i++, free = FREE) {
		if (__atomic_compare_exchange_n(lock, &free, TAKEN, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return;
		__builtin_ia32_pause();
	}
	while (__atomic_exchange_n(lock, AWAITED, __ATOMIC_ACQUIRE) != FREE)
		syscall(SYS_futex, lock, FUTEX_WAIT, AWAITED, NULL, NULL, 0);
}

void rt_guard_lock(uint32_t *lock, struct rt_guard *saved)
{
	uint64_t all = ~0ull;

	saved->error = errno;
	saved->inner = is_guarded;
	if (!saved->inner)
		syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &saved->mask, sizeof all);
	is_guarded = true;
	take(lock);
}

void rt_guard_unlock(uint32_t *lock, const struct rt_guard *saved)
{
	if (__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) == AWAITED)
		syscall(SYS_futex, lock, FUTEX_WAKE, 1, NULL, NULL, 0);
	is_guarded = saved->inner;
	if (!saved->inner)
		syscall(SYS_rt_sigprocmask, SIG_SETMASK, &saved->mask, NULL, sizeof saved->mask);
	errno = saved->error;
}

void *rt_log_map(void *where, size_t size, int flags, int fd, uint64_t offset)
{
	long at = syscall(SYS_mmap, where, size, PROT_READ | PROT_WRITE, flags, fd, offset);

	return at == -1 ? NULL : (void *)at;
}

void *rt_pages(size_t size)
{
	int saved = errno;
	void *at = rt_log_map(NULL, size, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = saved;
	return at;
}

/* ------------------------------------------------------------------ the file ---------------- */

static void make_path(void)
{
	char digits[12];
	size_t n = 0, at = strlen(rt_log.dir);

	memcpy(rt_log.path, rt_log.dir, at);
	memcpy(rt_log.path + at, "/log.", 5);
	at += 5;
	for (unsigned pid = (unsigned)syscall(SYS_getpid); pid || !n; pid /= 10)
		digits[n++] = (char)('0' + pid % 10);
	while (n)
		rt_log.path[at++] = digits[--n];
	rt_log.path[at] = 0;
}

/* Targets expect the lowest free descriptor to be theirs, so ours is moved out of the way. */
static int move_up(int fd)
{
	struct rlimit limit;
	int moved = -1;

	if (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) == 0 && limit.rlim_cur > 64)
		moved = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC,
				     (limit.rlim_cur < 1024 ? limit.rlim_cur : 1024) - 24);
	if (moved < 0)
		return fd;
	syscall(SYS_close, fd);
	return moved;
}

/* Not the function of that name, which is recorded itself. */
static long file_status(int fd, struct stat *st)
{
	return syscall(SYS_newfstatat, fd, "", st, AT_EMPTY_PATH);
}

static bool is_ours(int fd)
{
	struct stat st;

	return fd >= 0 && file_status(fd, &st) == 0 && st.st_dev == rt_log.device &&
	       st.st_ino == rt_log.inode;
}

/* The target may have closed our descriptor, and may use its number for a file of its own. */
bool rt_log_has_file(void)
{
	int fd;

	if (is_ours(rt_log.fd))
		return true;
	fd = (int)syscall(SYS_openat, AT_FDCWD, rt_log.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	if (!is_ours(fd)) {
		syscall(SYS_close, fd);
		return false;
	}
	rt_log.fd = move_up(fd);
	return true;
}

static bool write_all(const void *data, size_t size, uint64_t offset)
{
	for (size_t done = 0; done < size;) {
		long n = syscall(SYS_pwrite64, rt_log.fd, (const char *)data + done, size - done, offset + done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static bool write_zeros(uint64_t offset, uint64_t size)
{
	static const char zeros[RT_PAGE];

	for (uint64_t done = 0; done < size; done += RT_PAGE)
		if (!write_all(zeros, sizeof zeros, offset + done))
			return false;
	return true;
}

/* May the file be that long? Beyond RLIMIT_FSIZE the kernel would send the target SIGXFSZ. */
static bool may_grow(uint64_t size)
{
	struct rlimit limit;

	return rt_log_has_file() && (syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) || limit.rlim_cur >= size);
}

/* Disk space for size bytes at the end. */
bool rt_log_grow(uint64_t offset, uint64_t size)
{
	if (!may_grow(offset + size))
		return false;
	if (syscall(SYS_fallocate, rt_log.fd, 0, offset, size) == 0)
		return true;
	return errno == EOPNOTSUPP && write_zeros(offset, size);
}

/* ------------------------------------------------------------------ opening ----------------- */

static void fill_header(struct rt_log_header *h)
{
	h->version = RT_TRACE_VERSION;
	h->abi = RT_ABI;
	h->scheme = rt_log.scheme;
	h->pid = (uint32_t)syscall(SYS_getpid);
	h->ppid = (uint32_t)syscall(SYS_getppid);
	memcpy(h->module_hash, __rethread_record_module.hash, sizeof h->module_hash);
	rt_image_build_id(h->build_id, sizeof h->build_id);
	h->load_address = rt_image_load_address();
	h->time_margin = rt_log.time ? rt_log.margin : 0;
	h->freed_mark = rt_log.freed_mark;
	h->start_ns = rt_clock_ns();
	h->start_time = rt_clock();
	h->size = RT_PAGE;
	/* Last: a file without it is no log. */
	__atomic_store_n(&h->magic, RT_LOG_MAGIC, __ATOMIC_RELEASE);
}

bool rt_log_create(void)
{
	struct stat st;
	int fd;

	make_path();
	rt_log.replaced = !syscall(SYS_unlinkat, AT_FDCWD, rt_log.path, 0);
	fd = (int)syscall(SYS_openat, AT_FDCWD, rt_log.path,
			  O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	rt_log.fd = move_up(fd);
	syscall(SYS_fchmod, rt_log.fd, 0600); /* whatever the umask leaves */
	if (file_status(rt_log.fd, &st))
		return false;
	rt_log.device = st.st_dev;
	rt_log.inode = st.st_ino;
	return true;
}

static bool open_file(void)
{
	struct rt_log_header *h;

	if (!rt_log_create())
		return false;
	if (rt_log.max < RT_PAGE || !rt_log_grow(0, RT_PAGE) ||
	    !(h = rt_log_map(NULL, RT_PAGE, MAP_SHARED, rt_log.fd, 0))) {
		syscall(SYS_unlinkat, AT_FDCWD, rt_log.path, 0);
		return false;
	}
	fill_header(h);
	rt_log.header = h;
	return true;
}

/* Targets change their working directory, so the name is made absolute. */
static bool set_dir(const char *dir)
{
	size_t n = 0;

	if (*dir != '/') {
		if (syscall(SYS_getcwd, rt_log.dir, sizeof rt_log.dir) < 0)
			return false;
		n = strlen(rt_log.dir);
		if (n + strlen(dir) + 2 > sizeof rt_log.dir)
			return false;
		rt_log.dir[n++] = '/';
	}
	memcpy(rt_log.dir + n, dir, strlen(dir) + 1);
	return true;
}

bool rt_log_open(const struct rt_options *o)
{
	int saved = errno;
	bool opened;

	rt_log.scheme = o->scheme;
	rt_log.time = o->time;
	rt_log.values = o->values;
	rt_log.output = o->output && o->scheme >= RT_SCHEME_PATH;
	rt_log.margin = o->margin;
	rt_log.max = o->max_log;
	opened = set_dir(o->dir) && open_file();
	if (!opened)
		rt_say("nothing is recorded, cannot make the log in", o->dir);
	errno = saved;
	return opened;
}

void rt_log_let_go(void)
{
	if (is_ours(rt_log.fd))
		syscall(SYS_close, rt_log.fd);
	rt_log.fd = -1;
	rt_log.lock = 0;
}

bool rt_log_reopen(void)
{
	int saved = errno;
	bool opened;

	rt_log_unmap(rt_log.header, RT_PAGE);
	rt_log.header = NULL;
	rt_log_let_go();
	opened = open_file();
	if (opened)
		rt_log_set_flags(RT_LOG_MIDDLE);
	errno = saved;
	return opened;
}

/* ------------------------------------------------------------------ chunks ------------------ */

/* Threads reserve while another one ends the process. */
void rt_log_set_flags(uint32_t flags)
{
	__atomic_fetch_or(&rt_log.header->flags, flags, __ATOMIC_RELEASE);
}

/* Is another chunk allowed? */
static bool is_open(uint64_t size)
{
	if (rt_log.header->flags & (RT_LOG_FULL | RT_LOG_CAP))
		return false;
	if (rt_log.header->size + size <= rt_log.max)
		return true;
	rt_log_set_flags(RT_LOG_CAP);
	return false;
}

void *rt_log_extend(struct rt_chunk *parts, unsigned count, uint64_t *begin)
{
	struct rt_log_header *h = rt_log.header;
	uint64_t size = 0, offset = h->size;
	char *at, *p;

	for (unsigned i = 0; i < count; i++)
		size += parts[i].size;
	if (!is_open(size))
		return NULL;
	at = rt_log_grow(offset, size) ? rt_log_map(NULL, size, MAP_SHARED, rt_log.fd, offset) : NULL;
	if (!at) {
		rt_log_set_flags(RT_LOG_FULL);
		return NULL;
	}
	/* Reading ahead would only fetch zeros, at several times the cost of the faults. */
	syscall(SYS_madvise, at, size, MADV_RANDOM);
	p = at;
	for (unsigned i = 0; i < count; i++) {
		parts[i].magic = RT_CHUNK_MAGIC;
		parts[i].time = rt_log.time ? rt_clock() : 0;
		memcpy(p, &parts[i], sizeof *parts);
		p += parts[i].size;
		if (parts[i].thread >= h->nthreads)
			h->nthreads = parts[i].thread + 1;
	}
	h->size = offset + size;
	if (begin)
		*begin = offset;
	return at;
}

void *rt_log_reserve(struct rt_chunk *parts, unsigned count, uint64_t *offset)
{
	struct rt_guard saved;
	void *at;

	if (rt_log.sealed)
		return NULL;
	rt_guard_lock(&rt_log.lock, &saved);
	at = rt_log_extend(parts, count, offset);
	rt_guard_unlock(&rt_log.lock, &saved);
	return at;
}

bool rt_log_write(const void *data, size_t size, uint64_t offset)
{
	int saved = errno;
	bool written = !rt_log.sealed && rt_log_has_file() && write_all(data, size, offset);

	errno = saved;
	return written;
}

/* The header of a window's copy at the end of the file, which is at *offset then. */
static bool begin_copy(const struct rt_chunk *window, size_t full, uint64_t *offset)
{
	struct rt_chunk copy = *window;
	struct rt_guard saved;
	bool begun;

	if (rt_log.sealed)
		return false;
	copy.window = 0;
	copy.size = (uint32_t)full;
	rt_guard_lock(&rt_log.lock, &saved);
	*offset = rt_log.header->size;
	begun = is_open(copy.size);
	if (begun && !(may_grow(*offset + copy.size) && write_all(&copy, sizeof copy, *offset))) {
		rt_log_set_flags(RT_LOG_FULL);
		begun = false;
	}
	if (begun)
		rt_log.header->size += copy.size;
	rt_guard_unlock(&rt_log.lock, &saved);
	return begun;
}

bool rt_log_turn(struct rt_chunk *window, size_t full)
{
	size_t payload = full - sizeof *window;
	int saved = errno;
	uint64_t offset;

	if (!begin_copy(window, full, &offset))
		return false;
	if (!write_all(window + 1, payload, offset + sizeof *window)) {
		rt_log_set_flags(RT_LOG_FULL);
		errno = saved;
		return false;
	}
	errno = saved;
	__atomic_store_n(&window->seq, window->seq | RT_CHUNK_COPIED, __ATOMIC_RELEASE);
	memset(window + 1, 0, window->size - sizeof *window);
	window->time = rt_log.time ? rt_clock() : 0;
	__atomic_store_n(&window->seq, (window->seq & ~RT_CHUNK_COPIED) + 1, __ATOMIC_RELEASE);
	return true;
}

void rt_log_unmap(void *at, size_t size)
{
	int saved = errno;

	if (at)
		syscall(SYS_munmap, at, size);
	errno = saved;
}

void rt_log_seal(void)
{
	struct rt_guard saved;

	if (!rt_log.header || rt_log.sealed)
		return;
	rt_guard_lock(&rt_log.lock, &saved); /* nobody is in the middle of a chunk */
	rt_log_end(RT_LOG_FULL | RT_LOG_BARRED);
	rt_log.sealed = true;
	rt_guard_unlock(&rt_log.lock, &saved);
}

void rt_log_unseal(void)
{
	if (!rt_log.sealed)
		return;
	rt_log.sealed = false;
	__atomic_fetch_and(&rt_log.header->flags, ~(uint32_t)(RT_LOG_FULL | RT_LOG_BARRED), __ATOMIC_RELEASE);
}

void rt_log_drop(void)
{
	__atomic_fetch_add(&rt_log.header->dropped, 1, __ATOMIC_RELAXED);
}

void rt_log_end(uint32_t flags)
{
	struct rt_log_header *h = rt_log.header;

	if (!h)
		return;
	if (!rt_log.sealed) {
		h->end_ns = rt_clock_ns();
		h->end_time = rt_clock();
	}
	rt_log_set_flags(flags);
}
