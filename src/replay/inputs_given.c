/* What a record brought, instead of the call: see inputs.h. */
#include "replay/inputs.h"

#include "replay/interpose.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { PAGE = 4096 };

static const void *take(struct given *g, uint64_t *size)
{
	*size = 0;
	if ((size_t)(g->end - g->at) < sizeof *size)
		return NULL;
	memcpy(size, g->at, sizeof *size);
	const char *bytes = g->at + sizeof *size;
	if (*size > (size_t)(g->end - bytes)) {
		*size = 0;
		return NULL;
	}
	g->at = bytes + input_padded(*size);
	return bytes;
}

static void put(void *to, const void *bytes, uint64_t size)
{
	if (!to || !size)
		return;
	if (twin_mode == TWIN_INFER) {
		twin_engine->writes(to, bytes, size);
		return;
	}
	struct twin_thread *recorder = twin_mode == TWIN_RECORD ? twin_self() : NULL;
	if (recorder) {
		recorder_touches(recorder, to, size, true);
		recorder_holds(recorder);
	}
	memcpy(to, bytes, size);
	if (recorder)
		recorder_lets_go(recorder);
}

void give(struct given *g, void *to)
{
	uint64_t size;
	const void *bytes = take(g, &size);
	put(to, bytes, size);
}

void give_fresh(struct given *g, void *to)
{
	uint64_t size;
	const void *bytes = take(g, &size);
	if (size)
		memcpy(to, bytes, size);
}

void give_heard(struct given *g, void *to)
{
	uint64_t size;
	const char *bytes = take(g, &size);
	uint64_t at = 0;
	for (; at + sizeof(uint64_t) <= size && to; at += sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, bytes + at, sizeof word);
		word = words_own(word, g->stamp);
		put((char *)to + at, &word, sizeof word);
	}
	put(to ? (char *)to + at : NULL, bytes + at, size - at);
}

void give_events(struct given *g, struct epoll_event *to)
{
	uint64_t size;
	const char *bytes = take(g, &size);
	for (uint64_t at = 0; at + sizeof *to <= size; at += sizeof *to, to++) {
		struct epoll_event e;
		memcpy(&e, bytes + at, sizeof e);
		e.data.u64 = words_own(e.data.u64, g->stamp);
		put(to, &e, sizeof e);
	}
}

void give_note(struct given *g, const void *own)
{
	uint64_t size;
	const char *recorded = take(g, &size);
	for (uint64_t at = 0; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
		uint64_t was, is;
		memcpy(&was, recorded + at, sizeof was);
		memcpy(&is, (const char *)own + at, sizeof is);
		words_pair(was, is, g->stamp);
	}
}

void give_notes(struct given *g, const struct iovec *v, size_t count)
{
	for (size_t i = 0; i < count; i++)
		give_note(g, v[i].iov_base);
}

/* The memory of the buffer that was read before is not the stream's, and stays. */
void give_buffer(struct given *g, FILE *f)
{
	uint64_t size;
	const void *bytes = take(g, &size);
	char *buffer = malloc(size + 1);
	if (!buffer)
		return;
	memcpy(buffer, bytes, size);
	f->_IO_read_base = f->_IO_read_ptr = buffer;
	f->_IO_read_end = buffer + size;
}

/* A call that found all in the stream's buffer leaves them as they are, and has no such piece. */
void give_marks(struct given *g, FILE *f)
{
	uint64_t size;
	int marks;
	const void *bytes = take(g, &size);
	if (!f || size != sizeof marks)
		return;
	memcpy(&marks, bytes, sizeof marks);
	f->_flags = (f->_flags & ~(_IO_EOF_SEEN | _IO_ERR_SEEN)) | marks;
}

void give_heard_vector(struct given *g, const struct iovec *v, size_t count)
{
	for (size_t i = 0; i < count; i++)
		give_heard(g, v[i].iov_base);
}

void give_vector(struct given *g, const struct iovec *v, size_t count)
{
	for (size_t i = 0; i < count; i++)
		give(g, v[i].iov_base);
}

/* The program itself may not be allowed to write there; the kernel is. */
static void put_mapped(uint64_t recorded, const void *bytes, uint64_t size)
{
	int prot = 0;
	char *to = mapped_own(recorded, size, &prot);
	uintptr_t begin = (uintptr_t)to & -(uintptr_t)PAGE;
	size_t n = (uintptr_t)to + size - begin;
	if (to && !(prot & PROT_WRITE))
		mprotect((void *)begin, n, prot | PROT_WRITE);
	put(to, bytes, size);
	if (to && !(prot & PROT_WRITE))
		mprotect((void *)begin, n, prot);
}

void give_mapped(struct given *g)
{
	uint64_t at, size;
	for (const void *bytes; (bytes = take(g, &size)) && size == sizeof at;) {
		memcpy(&at, bytes, sizeof at);
		bytes = take(g, &size);
		put_mapped(at, bytes, size);
	}
}

void give_format(struct given *g, const char *format, va_list list, int n)
{
	struct rt_conversions c = { .at = format };
	while (n > 0 && rt_conversions_next(&c)) {
		give(g, va_arg(list, void *));
		n -= c.kind != 'n';
	}
}

void give_grown(struct given *g, char **at, size_t *size)
{
	uint64_t length, want;
	const void *bytes = take(g, &length);
	if (length != sizeof want)
		return;
	memcpy(&want, bytes, sizeof want);
	if (!*at || *size < want) {
		char *bigger = realloc(*at, want);
		put(at, &bigger, sizeof bigger);
	}
	put(size, &want, sizeof want);
}

/* What is no address, the program does not die of: the system says so (EFAULT). */
static bool is_read(const struct given *g, const void *from)
{
	if (twin_mode != TWIN_INFER || !from)
		return false;
	return !g->record || g->record->error != EFAULT || words_leads_somewhere((uintptr_t)from);
}

void give_reads(const struct given *g, const void *from, int64_t size)
{
	if (size > 0 && is_read(g, from))
		twin_engine->reads(from, (uint64_t)size);
}

void give_reads_string(const struct given *g, const char *s)
{
	if (is_read(g, s))
		twin_engine->reads(s, strlen(s) + 1);
}

void give_reads_vector(const struct given *g, const struct iovec *v, size_t count, int64_t n)
{
	for (size_t i = 0; i < count && n > 0; i++) {
		int64_t here = n < (int64_t)v[i].iov_len ? n : (int64_t)v[i].iov_len;
		give_reads(g, v[i].iov_base, here);
		n -= here;
	}
}

/* The recorded call was given what the record begins with. */
void give_shown(struct given *g, const void *from, int64_t n)
{
	uint64_t size;
	const void *bytes = take(g, &size);
	if (size && twin_mode == TWIN_INFER)
		twin_engine->shows(from, bytes, size);
	give_reads(g, (const char *)from + size, n - (int64_t)size);
}

void show(int fd, const void *from, int64_t n)
{
	const char *p = from;
	while (twin_mode != TWIN_INFER && (fd == STDOUT_FILENO || fd == STDERR_FILENO) && n > 0) {
		ssize_t done = rt_input_real.write(fd, p, (size_t)n);
		if (done <= 0)
			break;
		p += done;
		n -= done;
	}
}

void show_vector(int fd, const struct iovec *v, size_t count, int64_t n)
{
	for (size_t i = 0; i < count && n > 0; i++) {
		int64_t here = n < (int64_t)v[i].iov_len ? n : (int64_t)v[i].iov_len;
		show(fd, v[i].iov_base, here);
		n -= here;
	}
}

/* The program's own file is not the twin's. */
ssize_t input_readlink(const char *path, char *to, size_t size)
{
	size_t length = strlen(twin_program);
	if (!length || strcmp(path, "/proc/self/exe") || !size)
		return rt_input_real.readlink(path, to, size);
	memcpy(to, twin_program, length < size ? length : size);
	return (ssize_t)(length < size ? length : size);
}

/* A stream that can be read, written and closed; what is read from it is given. */
void input_stream(FILE **f)
{
	if (*f)
		*f = rt_input_real.fopen("/dev/null", "r+");
}

struct named_semaphore {
	sem_t *recorded, own;
	struct named_semaphore *next;
};

void input_semaphore(sem_t **s, int value)
{
	static _Atomic(struct named_semaphore *) all;
	struct named_semaphore *known = all, *fresh;
	if (!*s)
		return; /* SEM_FAILED */
	while (known && known->recorded != *s)
		known = known->next;
	if (!known && (fresh = calloc(1, sizeof *fresh))) {
		fresh->recorded = *s;
		sem_init(&fresh->own, 0, (unsigned)value);
		fresh->next = all;
		while (!atomic_compare_exchange_weak(&all, &fresh->next, fresh))
			continue;
		known = fresh;
	}
	*s = known ? &known->own : NULL;
}

static _Atomic uint64_t shared_bytes;

uint64_t input_shared_bytes(void)
{
	return shared_bytes;
}

/*
 * Memory where it lay, or where as many of its lower bits as can be are the same: allocators round its addresses, and ask whether
 * they are aligned.
 */
static void *map_as_recorded(uint64_t recorded, size_t n)
{
	enum { TRIES = 16, KEPT = 40 };
	for (uint64_t i = 0; i < TRIES; i++) {
		void *wanted = (void *)(uintptr_t)(recorded ^ i << KEPT);
		void *p = rt_input_real.mmap(wanted, n, PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
		if (p != MAP_FAILED)
			return p;
	}
	return rt_input_real.mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void input_map(void **at, void *wanted, size_t n, int prot, int flags)
{
	if (*at == MAP_FAILED)
		return;
	uint64_t recorded = (uint64_t)*at;
	if (flags & MAP_SHARED && prot & PROT_WRITE)
		shared_bytes += n;
	if (flags & MAP_FIXED)
		*at = rt_input_real.mmap(wanted, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	else
		*at = map_as_recorded(recorded, n);
	if (*at != MAP_FAILED)
		mapped_pair(recorded, *at, n, prot);
}

void input_map_done(void *at, size_t n, int prot)
{
	if (at != MAP_FAILED && prot != (PROT_READ | PROT_WRITE))
		mprotect(at, n, prot);
}
