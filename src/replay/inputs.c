/*
 * Interposed functions of inputs.def in the twin: what the recorded call returned and wrote, instead of the call. A
 * thread that has used up what was recorded calls the real one, or waits for ever where that might have waited:
 * nobody knows what it would have brought.
 */
#include "rt/inputs.h"

#include "replay/interpose.h"

#include <stdlib.h>

/* The answer to the call at hand. */
struct given {
	const struct rt_input *record;
	const char *at, *end; /* pieces of memory not given yet */
};

enum way {
	WAY_FOREIGN, /* no call of the program: nothing is counted */
	WAY_REAL,
	WAY_GIVEN,
};

static const char *function_name(uint32_t function)
{
	static const char *const names[] = {
		"?",
#define INPUT(flags, type, name, ...) #name,
#include <rethread/inputs.def>
#undef INPUT
	};
	return names[function < RT_INPUTS ? function : 0];
}

_Noreturn static void wait_for_ever(void)
{
	gate_blocks();
	for (;;)
		syscall(SYS_pause);
}

static void check(const struct rt_input *record, uint32_t function)
{
	if (record->function == function)
		return;
	report_outcome(RT_REPLAY_DIVERGED, twin_self(), "thread %s calls %s where the recorded run called %s",
		       twin_self()->name, function_name(function), function_name(record->function));
	_exit(125);
}

static enum way begin_replay(struct given *g, uint32_t function, unsigned flags)
{
	struct twin_thread *self = twin_self();
	int unused;
	bool lost = true;
	if (!self)
		return WAY_FOREIGN;
	gate_enter_as(function_name(function), NULL, &unused);
	g->record = twin_mode == TWIN_REPLAY ? input_log_next(self, &lost) : NULL;
	if (!g->record) {
		if ((flags & BLOCKS) && !lost)
			wait_for_ever();
		return WAY_REAL;
	}
	check(g->record, function);
	return WAY_GIVEN;
}

static enum way input_begin(struct given *g, uint32_t function, unsigned flags)
{
	enum way way = WAY_GIVEN;
	if (!infers()) {
		way = begin_replay(g, function, flags);
	} else {
		g->record = *heap_engine() ? NULL : twin_engine->input(function, function_name(function));
		if (!g->record)
			return WAY_FOREIGN;
	}
	if (way == WAY_GIVEN) {
		g->at = (const char *)(g->record + 1);
		g->end = (const char *)g->record + g->record->size;
		if (flags & (WAKES | HEARS))
			g->at += 2 * sizeof(uint64_t); /* the time stamp */
	}
	return way;
}

static void input_end(const struct given *g)
{
	if (twin_mode != TWIN_INFER)
		gate_leave();
	if (g->record)
		errno = g->record->error;
}

/* ---- what the table's words do ---- */

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
	if (twin_mode == TWIN_INFER)
		twin_engine->writes(to, bytes, size);
	else
		memcpy(to, bytes, size);
}

static void give(struct given *g, void *to)
{
	uint64_t size;
	const void *bytes = take(g, &size);
	put(to, bytes, size);
}

static void give_fresh(struct given *g, void *to)
{
	uint64_t size;
	const void *bytes = take(g, &size);
	if (size)
		memcpy(to, bytes, size);
}

/* As give, changing addresses of the recorded run to the twin's. */
static void give_heard(struct given *g, void *to)
{
	uint64_t size;
	const char *bytes = take(g, &size);
	uint64_t at = 0;
	for (; at + sizeof(uint64_t) <= size && to; at += sizeof(uint64_t)) {
		uint64_t word;
		memcpy(&word, bytes + at, sizeof word);
		word = words_own(word);
		put((char *)to + at, &word, sizeof word);
	}
	put(to ? (char *)to + at : NULL, bytes + at, size - at);
}

static void give_events(struct given *g, struct epoll_event *to)
{
	uint64_t size;
	const char *bytes = take(g, &size);
	for (uint64_t at = 0; at + sizeof *to <= size; at += sizeof *to, to++) {
		struct epoll_event e;
		memcpy(&e, bytes + at, sizeof e);
		e.data.u64 = words_own(e.data.u64);
		put(to, &e, sizeof e);
	}
}

static void note(struct given *g, const void *own)
{
	uint64_t size;
	const char *recorded = take(g, &size);
	for (uint64_t at = 0; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
		uint64_t was, is;
		memcpy(&was, recorded + at, sizeof was);
		memcpy(&is, (const char *)own + at, sizeof is);
		words_pair(was, is);
	}
}

/* The memory of the buffer that was read before is not the stream's, and stays. */
static void give_buffer(struct given *g, FILE *f)
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

static void give_vector(struct given *g, const struct iovec *v, size_t count)
{
	for (size_t i = 0; i < count; i++)
		give(g, v[i].iov_base);
}

static void give_format(struct given *g, const char *format, va_list list, int n)
{
	struct rt_conversions c = { .at = format };
	while (n > 0 && rt_conversions_next(&c)) {
		give(g, va_arg(list, void *));
		n -= c.kind != 'n';
	}
}

static void grow(struct given *g, char **at, size_t *size)
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

static void reads(const void *from, int64_t size)
{
	if (twin_mode == TWIN_INFER && from && size > 0)
		twin_engine->reads(from, (uint64_t)size);
}

static void reads_vector(const struct iovec *v, size_t count, int64_t n)
{
	for (size_t i = 0; i < count && n > 0; i++) {
		int64_t here = n < (int64_t)v[i].iov_len ? n : (int64_t)v[i].iov_len;
		reads(v[i].iov_base, here);
		n -= here;
	}
}

/* A replay's standard output and error are real. */
static void show(int fd, const void *from, int64_t n)
{
	const char *p = from;
	while (twin_mode == TWIN_REPLAY && (fd == STDOUT_FILENO || fd == STDERR_FILENO) && n > 0) {
		ssize_t done = rt_input_real.write(fd, p, (size_t)n);
		if (done <= 0)
			break;
		p += done;
		n -= done;
	}
}

static void show_vector(int fd, const struct iovec *v, size_t count, int64_t n)
{
	for (size_t i = 0; i < count && n > 0; i++) {
		int64_t here = n < (int64_t)v[i].iov_len ? n : (int64_t)v[i].iov_len;
		show(fd, v[i].iov_base, here);
		n -= here;
	}
}

/* A stream that can be read, written and closed; what is read from it is given. */
static void input_stream(FILE **f)
{
	if (*f)
		*f = rt_input_real.fopen("/dev/null", "r+");
}

static void input_map(void **at, void *wanted, size_t n, int flags)
{
	if (*at == MAP_FAILED)
		return;
	*at = rt_input_real.mmap(flags & MAP_FIXED ? wanted : NULL, n, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (flags & MAP_FIXED), -1, 0);
}

static void input_map_done(void *at, size_t n, int prot)
{
	if (at != MAP_FAILED && prot != (PROT_READ | PROT_WRITE))
		mprotect(at, n, prot);
}

#define OUT(p, n) give(&input, (void *)(p))
#define OUT_FRESH(p, n) give_fresh(&input, (void *)(p))
#define OUT_HEARD(p, n) give_heard(&input, p)
#define OUT_EVENTS(p, n) give_events(&input, p)
#define OUT_BUFFER(f) give_buffer(&input, f)
#define NOTE(p, n) note(&input, p)
#define OUT_VECTOR(v, c, n) give_vector(&input, v, (size_t)(c))
#define OUT_FORMAT(f, l, n) give_format(&input, f, l, n)
#define GROW(p, n) grow(&input, p, n)
#define IN(p, n) reads(p, (int64_t)(n))
#define IN_STRING(s) reads(s, (int64_t)strlen(s) + 1)
#define IN_VECTOR(v, c, n) reads_vector(v, (size_t)(c), n)
#define SAME(p) (void)(result = result ? (p) : NULL)
#define IN_PLACE(type)                        \
	do {                                  \
		static __thread type place;   \
		result = result ? &place : NULL; \
	} while (0)
#define SHOW(fd, p, n) show(fd, p, n)
#define SHOW_VECTOR(fd, v, c, n) show_vector(fd, v, (size_t)(c), n)
#define TWIN(statement)    \
	do {               \
		statement; \
	} while (0)

/* `before` may only serve the recorder's lengths. */
#define INPUT(flags, type, name, parameters, call, before, after)                     \
	__attribute__((weak)) type rt_input_##name parameters __asm__(#name);         \
	_Pragma("clang diagnostic push")                                              \
	_Pragma("clang diagnostic ignored \"-Wunused-variable\"")                     \
	type rt_input_##name parameters                                               \
	{                                                                             \
		struct given input = { 0 };                                           \
		type result;                                                          \
		before;                                                               \
		switch (input_begin(&input, RT_INPUT_##name, flags)) {                \
		case WAY_FOREIGN:                                                     \
			return call;                                                  \
		case WAY_REAL:                                                        \
			result = call;                                                \
			break;                                                        \
		case WAY_GIVEN:                                                       \
			memcpy(&result, &input.record->result, sizeof result);        \
			after;                                                        \
			break;                                                        \
		}                                                                     \
		input_end(&input);                                                    \
		return result;                                                        \
	}                                                                             \
	_Pragma("clang diagnostic pop")
#include <rethread/inputs.def>
