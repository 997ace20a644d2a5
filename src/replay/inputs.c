/*
 * Interposed functions of inputs.def in the twin: what the recorded call returned and wrote, instead of the call. A
 * thread that has used up what was recorded calls the real one, or waits for ever where that might have waited:
 * nobody knows what it would have brought.
 *
 * In mode record the call is real, unless another run's inputs are given back, and what it brought goes to the log. The
 * memory that it touched counts as touched by its step, when it is done; a buffer that it fills while it waits
 * is a private one first (BOUNCE).
 */
#include "rt/inputs.h"

#include "replay/interpose.h"
#include "replay/library.h"
#include "replay/recorder.h"
#include "rt/clock.h"
#include "rt/input_record.h"
#include "rt/log.h"

#include <stdlib.h>

/* The call at hand. */
struct given {
	const struct rt_input *record;
	const char *at, *end; /* pieces of memory not given yet */
	/* What is recorded of it; all NULL when it is not. */
	struct twin_thread *recorder;
	uint16_t function;
	struct input_recording recording;
	enum { RECORD_SIZE, RECORD_BYTES, RECORD_LOST } phase;
	uint64_t stamp;
	int shows;            /* the file it writes to, when that may be standard output or error; else 0 */
	const struct iovec *pieces; /* what it writes there */
	size_t npieces;
	void *buffer;         /* the parameter that is a buffer to fill, or NULL */
	size_t buffer_size;
	void *bounce;         /* stands for `wanted`, the buffer, during the call, or NULL */
	void *wanted;
};

enum { PAGE = 4096 };

enum way {
	WAY_FOREIGN, /* no call of the program: nothing is counted */
	WAY_REAL,
	WAY_RECORDED,
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
	if (conductor_on)
		conductor_hold();
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

/* The recorded thread was cancelled in the call at hand: this one is when somebody does it. */
_Noreturn static void wait_for_cancellation(void)
{
	const struct timespec ms = { 0, 1000000 };
	if (twin_mode == TWIN_REPLAY)
		wait_for_ever(); /* nobody does; the schedule would have said it */
	for (;;)
		CANCELLABLE((conductor_sleeps(1000000) || rt_real.nanosleep(&ms, NULL), rt_real.pthread_testcancel(), 0));
}

/* The step at hand is the recorded thread's last before its cleanup handlers, and has a record in some logs. */
_Noreturn static void cancelled_here(struct twin_thread *self)
{
	input_log_cancelled(self);
	gate_leave();
	twin_cancelled();
}

/* The recorded thread never came back from the call at hand where the system ended the process for it (a broken pipe). */
static void dies_as_recorded(struct twin_thread *self)
{
	int signal = input_log_killed(self);
	if (signal)
		syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), signal);
}

static enum way begin_replay(struct given *g, uint32_t function, unsigned flags)
{
	struct twin_thread *self = twin_self();
	int result;
	bool lost = true;
	if (!self || self->deep)
		return WAY_FOREIGN;
	if (gate_enter_as(function_name(function), NULL, &result) && result == RT_CANCELLED)
		cancelled_here(self);
	if (twin_mode == TWIN_RECORD)
		g->recorder = self;
	g->record = input_log_is_open() ? input_log_next(self, &lost) : NULL;
	if (!g->record) {
		dies_as_recorded(self);
		if ((flags & BLOCKS) && !lost)
			wait_for_ever();
		return g->recorder ? WAY_RECORDED : WAY_REAL;
	}
	check(g->record, function);
	if (g->record->error == RT_INPUT_CANCELLED)
		wait_for_cancellation();
	if (g->recorder) {
		recorder_calls(self);
		if (flags & WAKES)
			recorder_wakes(self);
	}
	return WAY_GIVEN;
}

static enum way input_begin(struct given *g, uint32_t function, unsigned flags)
{
	enum way way = WAY_GIVEN;
	g->function = (uint16_t)function;
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

static void input_end(const struct given *g, unsigned flags)
{
	int error = g->record ? g->record->error : errno;
	if (g->record && g->recorder) {
		recorder_input_copy(g->recorder, g->record);
		if (flags & HEARS)
			recorder_hears(g->recorder);
	}
	if (twin_mode != TWIN_INFER)
		gate_leave();
	else
		twin_engine->input_done();
	errno = error;
}

/* ---- recording ---- */

/* A buffer that the call fills is another one during the call, so that nobody sees it change before its step is done. */
static void bounce(struct given *g)
{
	memcpy(&g->wanted, g->buffer, sizeof g->wanted);
	g->bounce = g->wanted && g->buffer_size ? twin_pages(g->buffer_size) : NULL;
	if (g->bounce)
		memcpy(g->buffer, &g->bounce, sizeof g->bounce);
}

static void record_call(struct given *g, unsigned flags)
{
	g->recorder->where = TWIN_RUNTIME;
	recorder_calls(g->recorder);
	if (g->shows == STDOUT_FILENO || g->shows == STDERR_FILENO) {
		recorder_touches(g->recorder, &library_output, sizeof library_output, true);
		for (size_t i = 0; i < g->npieces; i++)
			recorder_touches(g->recorder, g->pieces[i].iov_base, g->pieces[i].iov_len, false);
		recorder_holds(g->recorder);
	}
	if (flags & WAKES)
		recorder_wakes(g->recorder);
	if ((flags & WAKES) && conductor_on && g->shows != STDOUT_FILENO && g->shows != STDERR_FILENO)
		conductor_wakes();
	if (g->buffer)
		bounce(g);
	g->recorder->deep = (flags & DEEP) != 0;
	if ((flags & WAKES) && rt_log.time)
		g->stamp = rt_clock();
	g->recorder->where = TWIN_CALL;
}

/* What the call did is gone through twice: for the size of the record and which memory it is, then for the bytes. */
static void record_size(struct given *g, unsigned flags)
{
	g->recorder->where = TWIN_RUNTIME;
	g->recorder->deep = false;
	recorder_lets_go(g->recorder);
	if (flags & HEARS)
		recorder_hears(g->recorder);
	if ((flags & HEARS) && rt_log.time)
		g->stamp = rt_clock();
	if (flags & (WAKES | HEARS))
		input_put(&g->recording, &g->stamp, sizeof g->stamp);
}

static void record_bytes(struct given *g, unsigned flags)
{
	struct input_recording *r = &g->recording;
	r->size += sizeof(struct rt_input);
	char *room = r->size <= UINT32_MAX ? recorder_input_room(g->recorder, r->size) : NULL;
	g->phase = room ? RECORD_BYTES : RECORD_LOST;
	recorder_holds(g->recorder);
	if (!room)
		return;
	r->end = room + r->size;
	r->at = room + sizeof(struct rt_input);
	if (flags & (WAKES | HEARS))
		input_put(r, &g->stamp, sizeof g->stamp);
}

static void record_end(struct given *g, uint16_t function, int error, uint64_t *result)
{
	struct input_recording *r = &g->recording;
	if (g->phase == RECORD_BYTES) {
		struct rt_input *record = (struct rt_input *)(r->end - r->size);
		memset(r->at, 0, (size_t)(r->end - r->at));
		record->function = function;
		record->error = (uint16_t)error;
		record->result = *result;
		recorder_input_done(g->recorder, (uint32_t)r->size);
	}
	if (g->bounce) {
		if (*result == (uintptr_t)g->bounce)
			*result = (uintptr_t)g->wanted;
		twin_pages_free(g->bounce, g->buffer_size);
	}
	errno = error;
}

/* The thread was cancelled in the call. */
static void record_cancelled(void *given)
{
	struct given *g = given;
	g->recorder->deep = false;
	recorder_lets_go(g->recorder);
	if (g->bounce)
		twin_pages_free(g->bounce, g->buffer_size);
	struct rt_input *record = recorder_input_room(g->recorder, sizeof *record);
	if (record) {
		*record = (struct rt_input){ .function = g->function, .error = RT_INPUT_CANCELLED };
		recorder_input_done(g->recorder, sizeof *record);
	}
	twin_step_cancelled(NULL);
}

static void record_out(struct given *g, const void *p, int64_t n)
{
	bool bounced = g->bounce && p == g->bounce;
	if (g->phase == RECORD_SIZE && p && n > 0)
		recorder_touches(g->recorder, bounced ? g->wanted : p, (uint64_t)n, true);
	if (bounced && n > 0 && g->phase != RECORD_SIZE)
		memcpy(g->wanted, p, (size_t)n);
	if (g->phase != RECORD_LOST)
		input_put(&g->recording, p, n);
}

static void record_fresh(struct given *g, const void *p, int64_t n)
{
	if (g->phase != RECORD_LOST)
		input_put(&g->recording, p, n);
}

static void record_vector(struct given *g, const struct iovec *v, size_t count, int64_t n)
{
	for (size_t i = 0; i < count; i++) {
		int64_t here = n < (int64_t)v[i].iov_len ? n : (int64_t)v[i].iov_len;
		record_out(g, v[i].iov_base, here);
		n -= here > 0 ? here : 0;
	}
}

static void record_format(struct given *g, const char *format, va_list list, int n)
{
	struct rt_conversions c = { .at = format };
	va_list copy;
	va_copy(copy, list);
	while (n > 0 && rt_conversions_next(&c)) {
		const void *p = va_arg(copy, void *);
		record_out(g, p, (int64_t)rt_conversion_size(&c, p));
		n -= c.kind != 'n';
	}
	va_end(copy);
}

static void record_mapped(void *given, uint64_t at, const void *bytes, size_t n)
{
	struct given *g = given;
	if (g->phase == RECORD_SIZE)
		recorder_touches(g->recorder, (void *)at, n, true);
	if (g->phase != RECORD_LOST)
		input_put_mapped(&g->recording, at, bytes, n);
}

static void record_note(struct given *g, const void *p, uint64_t n)
{
	if (g->phase != RECORD_LOST)
		input_put_note(&g->recording, p, n);
}

static void record_buffer(struct given *g, const FILE *f)
{
	if (g->phase != RECORD_LOST)
		input_put_buffer(&g->recording, f);
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

/* What the call wrote to files that are mapped. */
static void give_mapped(struct given *g)
{
	uint64_t at, size;
	for (const void *bytes; (bytes = take(g, &size)) && size == sizeof at;) {
		memcpy(&at, bytes, sizeof at);
		bytes = take(g, &size);
		put_mapped(at, bytes, size);
	}
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

/* The recorded call was given what the record begins with. */
static void give_shown(struct given *g, const void *from, int64_t n)
{
	uint64_t size;
	const void *bytes = take(g, &size);
	if (size && twin_mode == TWIN_INFER)
		twin_engine->shows(from, bytes, size);
	reads((const char *)from + size, n - (int64_t)size);
}

/* Standard output and error are real, but when the program is only interpreted. */
static void show(int fd, const void *from, int64_t n)
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

static void show_vector(int fd, const struct iovec *v, size_t count, int64_t n)
{
	for (size_t i = 0; i < count && n > 0; i++) {
		int64_t here = n < (int64_t)v[i].iov_len ? n : (int64_t)v[i].iov_len;
		show(fd, v[i].iov_base, here);
		n -= here;
	}
}

/* The program's own file is not the twin's. */
static ssize_t read_link(const char *path, char *to, size_t size)
{
	size_t length = strlen(twin_program);
	if (!length || strcmp(path, "/proc/self/exe") || !size)
		return rt_input_real.readlink(path, to, size);
	memcpy(to, twin_program, length < size ? length : size);
	return (ssize_t)(length < size ? length : size);
}

/* A stream that can be read, written and closed; what is read from it is given. */
static void input_stream(FILE **f)
{
	if (*f)
		*f = rt_input_real.fopen("/dev/null", "r+");
}

static void input_map(void **at, void *wanted, size_t n, int prot, int flags)
{
	if (*at == MAP_FAILED)
		return;
	uint64_t recorded = (uint64_t)*at;
	*at = rt_input_real.mmap(flags & MAP_FIXED ? wanted : NULL, n, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (flags & MAP_FIXED), -1, 0);
	if (*at != MAP_FAILED)
		mapped_pair(recorded, *at, n, prot);
}

static void input_map_done(void *at, size_t n, int prot)
{
	if (at != MAP_FAILED && prot != (PROT_READ | PROT_WRITE))
		mprotect(at, n, prot);
}

#define RECORDS (input.recorder && !input.record)
#define OUT(p, n) (RECORDS ? record_out(&input, p, (int64_t)(n)) : give(&input, (void *)(p)))
#define OUT_FRESH(p, n) (RECORDS ? record_fresh(&input, p, (int64_t)(n)) : give_fresh(&input, (void *)(p)))
#define OUT_HEARD(p, n) (RECORDS ? record_out(&input, p, (int64_t)(n)) : give_heard(&input, p))
#define OUT_EVENTS(p, n) (RECORDS ? record_out(&input, p, (n) * (int64_t)sizeof *(p)) : give_events(&input, p))
#define OUT_BUFFER(f) (RECORDS ? record_buffer(&input, f) : give_buffer(&input, f))
#define NOTE(p, n) (RECORDS ? record_note(&input, p, n) : note(&input, p))
#define OUT_VECTOR(v, c, n) (RECORDS ? record_vector(&input, v, (size_t)(c), n) : give_vector(&input, v, (size_t)(c)))
#define OUT_FORMAT(f, l, n) (RECORDS ? record_format(&input, f, l, n) : give_format(&input, f, l, n))
#define MAPS(p, n, flags, fd, at) (RECORDS ? mapped_add(p, n, flags, fd, at) : (void)0)
#define OUT_FILE(fd, p, n, at) OUT_FILE_VECTOR(fd, (&(struct iovec){ (void *)(uintptr_t)(p), (size_t)(n) }), 1, n, at)
#define OUT_FILE_VECTOR(fd, v, c, n, at) \
	(RECORDS ? mapped_each(fd, v, (size_t)(c), n, at, record_mapped, &input) : give_mapped(&input))
#define GROW(p, n) (RECORDS ? record_out(&input, n, sizeof *(n)) : grow(&input, p, n))
/* What a replay will not look at need not be ordered. */
#define IN(p, n) (RECORDS ? (void)0 : reads(p, (int64_t)(n)))
#define SHOWN(p, n) (RECORDS ? record_out(&input, p, 0) : give_shown(&input, p, n))
#define IN_STRING(s) IN(s, strlen(s) + 1)
#define IN_VECTOR(v, c, n) (RECORDS ? (void)0 : reads_vector(v, (size_t)(c), n))
#define SAME(p) (void)(RECORDS || (result = result ? (p) : NULL))
#define IN_PLACE(type)                                   \
	do {                                             \
		static __thread type place;              \
		if (!RECORDS)                            \
			result = result ? &place : NULL; \
	} while (0)
#define SHOW(fd, p, n) (RECORDS ? (void)0 : show(fd, p, n))
#define SHOW_VECTOR(fd, v, c, n) (RECORDS ? (void)0 : show_vector(fd, v, (size_t)(c), n))
#define SHOWS(fd, p, n)                                          \
	struct iovec shown = { (void *)(uintptr_t)(p), n };      \
	SHOWS_VECTOR(fd, &shown, 1)
#define SHOWS_VECTOR(fd, v, n) (void)(input.shows = (fd), input.pieces = (v), input.npieces = (size_t)(n))
#define LINK(path, p, n) read_link(path, p, n)
#define BOUNCE(p, n) (void)(input.buffer = (void *)&(p), input.buffer_size = (n))
#define TWIN(statement)            \
	do {                       \
		if (!RECORDS) {    \
			statement; \
		}                  \
	} while (0)

/* `before` may only serve the recorder's lengths, and say what is to be recorded. */
#define INPUT(flags, type, name, parameters, call, before, after)                     \
	__attribute__((weak)) type rt_input_##name parameters __asm__(#name);         \
	_Pragma("clang diagnostic push")                                              \
	_Pragma("clang diagnostic ignored \"-Wunused-variable\"")                     \
	type rt_input_##name parameters                                               \
	{                                                                             \
		struct given input = { 0 };                                           \
		uint64_t bits = 0;                                                    \
		type result;                                                          \
		before;                                                               \
		switch (input_begin(&input, RT_INPUT_##name, flags)) {                \
		case WAY_FOREIGN:                                                     \
			return call;                                                  \
		case WAY_REAL:                                                        \
			result = call;                                                \
			break;                                                        \
		case WAY_RECORDED:                                                    \
			record_call(&input, flags);                                   \
			pthread_cleanup_push(record_cancelled, &input);               \
			result = call;                                                \
			pthread_cleanup_pop(0);                                       \
			int error = errno;                                            \
			memcpy(&bits, &result, sizeof result);                        \
			if (((flags)&FORKS) && !bits)                                 \
				return result;                                        \
			record_size(&input, flags);                                   \
			after;                                                        \
			record_bytes(&input, flags);                                  \
			after;                                                        \
			record_end(&input, RT_INPUT_##name, error, &bits);            \
			memcpy(&result, &bits, sizeof result);                        \
			break;                                                        \
		case WAY_GIVEN:                                                       \
			memcpy(&result, &input.record->result, sizeof result);        \
			after;                                                        \
			break;                                                        \
		}                                                                     \
		input_end(&input, flags);                                             \
		return result;                                                        \
	}                                                                             \
	_Pragma("clang diagnostic pop")
#include <rethread/inputs.def>
