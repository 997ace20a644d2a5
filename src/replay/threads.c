/* The table of threads: fixed blocks, so that a pointer to a thread stays valid for ever. */
#include "replay/conductor.h"
#include "replay/recorder.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK 256u
#define BLOCKS 1024u

static _Atomic(struct twin_thread *) blocks[BLOCKS];
static _Atomic uint32_t count;
static __thread struct twin_thread *self;
static __thread struct twin_thread *own; /* the same, and stays: a thread may fail when it is over */

/* Paths (instrument.h) are only looked at by the conductor. */
static uint8_t nowhere[2 * RT_TRAY] __attribute__((aligned(2 * RT_TRAY)));
__thread uint8_t *__rethread_path = nowhere, *__rethread_path_end = nowhere + RT_TRAY;

__thread struct rt_gate __rethread_gate = { .count = 0, .next = UINT64_MAX };

/*
 * Code in line, of shared_ptr for instance, asks the C library whether there are other threads, and does without atomic
 * instructions while there are none: that would be other SAPs than the recorded run had.
 */
void twin_helper(void *(*routine)(void *))
{
	char single = __libc_single_threaded;
	pthread_attr_t attr;
	pthread_t id;
	uint64_t all = UINT64_MAX, before;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
	rt_real.pthread_create(&id, &attr, routine, NULL);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
	pthread_attr_destroy(&attr);
	__libc_single_threaded = single;
}

void twin_has_threads(void)
{
	if (__libc_single_threaded)
		__libc_single_threaded = 0;
}

void *twin_pages(size_t size)
{
	/* Not the function of that name, which counts as the program's. */
	long p = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			 -1, 0);
	return p == -1 ? NULL : (void *)p;
}

bool twin_open_pages(void *p, size_t size)
{
	return !syscall(SYS_mprotect, p, size, PROT_READ | PROT_WRITE);
}

void twin_pages_free(void *p, size_t size)
{
	syscall(SYS_munmap, p, size);
}

uint64_t twin_address_space(void)
{
	struct rlimit limit;
	return syscall(SYS_prlimit64, 0, RLIMIT_AS, NULL, &limit) ? RLIM_INFINITY : limit.rlim_cur;
}

struct twin_thread *twin_self(void)
{
	return self;
}

struct twin_thread *twin_own(void)
{
	return own;
}

uint32_t twin_self_number(void)
{
	return own ? own->number : UINT32_MAX;
}

uint32_t twin_thread_count(void)
{
	return atomic_load(&count);
}

struct twin_thread *twin_thread_at(uint32_t number)
{
	struct twin_thread *block = atomic_load(&blocks[number / BLOCK]);
	return block ? &block[number % BLOCK] : NULL;
}

static struct twin_thread *slot(uint32_t number)
{
	if (number / BLOCK >= BLOCKS)
		return NULL;
	_Atomic(struct twin_thread *) *at = &blocks[number / BLOCK];
	if (!atomic_load(at)) {
		struct twin_thread *fresh = twin_pages(BLOCK * sizeof *fresh), *none = NULL;
		if (!fresh)
			return NULL;
		if (!atomic_compare_exchange_strong(at, &none, fresh))
			twin_pages_free(fresh, BLOCK * sizeof *fresh);
	}
	return twin_thread_at(number);
}

static struct twin_thread *add(struct twin_thread *parent)
{
	uint32_t number = atomic_fetch_add(&count, 1);
	struct twin_thread *t = slot(number);
	if (!t)
		return NULL;
	t->number = number;
	if (parent)
		snprintf(t->name, sizeof t->name, "%.50s:%u", parent->name, ++parent->children);
	else
		strcpy(t->name, "1");
	t->plan = schedule_plan(t->name);
	if (t->plan)
		t->plan->thread = t;
	if (twin_mode == TWIN_RECORD)
		recorder_thread(t, parent);
	if (conductor_on)
		conductor_thread(t, parent);
	return t;
}

struct twin_thread *twin_thread_add(struct twin_thread *parent)
{
	if (twin_mode != TWIN_RECORD)
		return add(parent);
	recorder_lock();
	struct twin_thread *t = add(parent);
	recorder_unlock();
	return t;
}

void twin_thread_begin(struct twin_thread *t)
{
	self = own = t;
	path_begin();
	t->tid = (int)syscall(SYS_gettid);
	t->gate = &__rethread_gate;
	__rethread_gate.count = 0;
	__rethread_gate.signal = 0;
	__rethread_gate.next = t->plan && t->plan->npoints ? t->plan->points[0].sap : UINT64_MAX;
	if (twin_mode == TWIN_RECORD) {
		__rethread_gate.next = 0;
		recorder_thread_begins(t);
	}
	if (conductor_on)
		conductor_begins(t);
}

void twin_thread_end(struct twin_thread *t)
{
	atomic_store(&t->state, TWIN_ENDED);
	atomic_store(&t->passed, t->gate->count);
	t->gate = NULL;
	self = NULL;
}

struct twin_thread *twin_thread_named(const char *name)
{
	for (uint32_t i = 0; i < twin_thread_count(); i++) {
		struct twin_thread *t = twin_thread_at(i);
		if (t && !strcmp(t->name, name))
			return t;
	}
	return NULL;
}

bool twin_thread_asleep(const struct twin_thread *t)
{
	char path[64], text[512];
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", t->tid);
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	long n = fd < 0 ? 0 : syscall(SYS_read, fd, text, sizeof text - 1);
	if (fd >= 0)
		syscall(SYS_close, fd);
	text[n > 0 ? n : 0] = 0;
	const char *state = strrchr(text, ')');
	return state && state[1] && (state[2] == 'S' || state[2] == 'D');
}
