/*
 * What a run really shares. The program is compiled a second time with clang's thread-sanitizer
 * instrumentation, and its callbacks lead here: every access with its address, thread and program
 * counter. At the end, the program counters of all accesses to bytes that two threads touched, one
 * of them writing after the first was created, go to $IR_OUT.shared (link without PIE). Memory must not be recycled between
 * threads: free() keeps everything, and the programs start all threads before they join one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct event {
	uintptr_t address, pc;
	uint16_t thread;
	uint8_t size, write;
};

enum { EVENTS = 1 << 22, BYTES = 1 << 22 };
static struct event *events;
static uint32_t nevents;
static uint16_t nthreads;
static __thread uint16_t own; /* 0: not numbered yet */
static int created;           /* the first thread */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		(int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
	created = 1;
	return real(thread, attributes, start, argument);
}

static void note(const void *address, unsigned size, int write, void *pc)
{
	if (!own)
		own = __atomic_add_fetch(&nthreads, 1, __ATOMIC_SEQ_CST);
	if (!events) {
		struct event *fresh = calloc(EVENTS, sizeof *fresh), *none = NULL;
		__atomic_compare_exchange_n(&events, &none, fresh, 0, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST);
	}
	uint32_t i = __atomic_fetch_add(&nevents, 1, __ATOMIC_SEQ_CST);
	if (i >= EVENTS)
		abort();
	/* The return address minus one lies in the call, hence on the line of the access. */
	uintptr_t at = (uintptr_t)pc - 1;
	events[i] = (struct event){(uintptr_t)address, at, own, (uint8_t)size, (uint8_t)(write && created)};
}

#define PC __builtin_return_address(0)
#define ACCESS(n)                                                                                  \
	void __tsan_read##n(void *a)                                                               \
	{                                                                                          \
		note(a, n, 0, PC);                                                                 \
	}                                                                                          \
	void __tsan_write##n(void *a)                                                              \
	{                                                                                          \
		note(a, n, 1, PC);                                                                 \
	}                                                                                          \
	void __tsan_unaligned_read##n(void *a)                                                     \
	{                                                                                          \
		note(a, n, 0, PC);                                                                 \
	}                                                                                          \
	void __tsan_unaligned_write##n(void *a)                                                    \
	{                                                                                          \
		note(a, n, 1, PC);                                                                 \
	}                                                                                          \
	void __tsan_read_write##n(void *a)                                                         \
	{                                                                                          \
		note(a, n, 1, PC);                                                                 \
	}
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
void __tsan_vptr_read(void **a)
{
	note(a, 8, 0, PC);
}
void __tsan_vptr_update(void **a, void *v)
{
	(void)v, note(a, 8, 1, PC);
}
void __tsan_func_entry(void *pc)
{
	(void)pc;
}
void __tsan_func_exit(void)
{
}
void __tsan_init(void)
{
}

void *__tsan_memcpy(void *to, const void *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		note((const char *)from + i, 1, 0, PC);
		note((char *)to + i, 1, 1, PC);
	}
	return memcpy(to, from, n);
}

void *__tsan_memmove(void *to, const void *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		note((const char *)from + i, 1, 0, PC);
		note((char *)to + i, 1, 1, PC);
	}
	return memmove(to, from, n);
}

void *__tsan_memset(void *to, int byte, size_t n)
{
	for (size_t i = 0; i < n; i++)
		note((char *)to + i, 1, 1, PC);
	return memset(to, byte, n);
}

void free(void *p)
{
	(void)p;
}

/* A table of bytes: which thread first touched it, was there another, was it written. */
struct byte {
	uintptr_t address;
	uint16_t thread;
	uint8_t shared, written;
};
static struct byte *bytes;

static struct byte *find(uintptr_t address)
{
	size_t i = (address * 0x9e3779b97f4a7c15u >> 20) % BYTES;
	while (bytes[i].address && bytes[i].address != address)
		i = (i + 1) % BYTES;
	bytes[i].address = address;
	return &bytes[i];
}

static int is_shared(const struct event *e)
{
	for (unsigned k = 0; k < e->size; k++) {
		const struct byte *b = find(e->address + k);
		if (b->shared && b->written)
			return 1;
	}
	return 0;
}

__attribute__((destructor)) static void finish(void)
{
	char name[4096];
	snprintf(name, sizeof name, "%s.shared", getenv("IR_OUT"));
	FILE *f = fopen(name, "w");
	bytes = calloc(BYTES, sizeof *bytes);
	for (uint32_t i = 0; i < nevents; i++) {
		for (unsigned k = 0; k < events[i].size; k++) {
			struct byte *b = find(events[i].address + k);
			b->shared |= b->thread && b->thread != events[i].thread;
			b->thread = events[i].thread;
			b->written |= events[i].write;
		}
	}
	for (uint32_t i = 0; i < nevents; i++)
		if (is_shared(&events[i]))
			fprintf(f, "0x%lx\n", (unsigned long)events[i].pc);
	fclose(f);
}
