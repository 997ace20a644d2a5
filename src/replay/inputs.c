/*
 * Interposed functions of inputs.def in the twin: what the recorded call returned and wrote, instead of the call. A
 * thread that has used up what was recorded calls the real one, or waits for ever where that might have waited:
 * nobody knows what it would have brought.
 *
 * In mode record the call is real, unless another run's inputs are given back, and what it brought goes to the log. The
 * memory that it touched counts as touched by its step, when it is done; a buffer that it fills while it waits
 * is a private one first (BOUNCE).
 */
#include "replay/inputs.h"

#include "replay/interpose.h"

#include <stdlib.h>

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
		g->faults = (flags & BLOCKS) && !lost && input_log_faulted(self);
		if ((flags & BLOCKS) && !lost && !g->faults)
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
		if ((flags & (WAKES | HEARS)) && g->end - g->at >= (ptrdiff_t)(2 * sizeof g->stamp)) {
			memcpy(&g->stamp, g->at + sizeof g->stamp, sizeof g->stamp);
			g->at += 2 * sizeof g->stamp;
		}
	}
	return way;
}

static void input_end(const struct given *g, unsigned flags)
{
	int error = g->record ? g->record->error : errno;
	if (g->faults)
		wait_for_ever(); /* here it came back */
	if (g->record && g->recorder) {
		recorder_input_copy(g->recorder, g->record);
		if (flags & HEARS)
			recorder_hears(g->recorder);
	}
	errno = error; /* a handler that runs after the step may change it */
	if (twin_mode != TWIN_INFER)
		gate_leave();
	else
		twin_engine->input_done();
}

#define RECORDS (input.recorder && !input.record)
#define OUT(p, n) (RECORDS ? record_out(&input, p, (int64_t)(n)) : give(&input, (void *)(p)))
#define OUT_FRESH(p, n) (RECORDS ? record_fresh(&input, p, (int64_t)(n)) : give_fresh(&input, (void *)(p)))
#define OUT_HEARD(p, n) (RECORDS ? record_out(&input, p, (int64_t)(n)) : give_heard(&input, p))
#define OUT_EVENTS(p, n) (RECORDS ? record_out(&input, p, (n) * (int64_t)sizeof *(p)) : give_events(&input, p))
#define OUT_BUFFER(f) (RECORDS ? record_buffer(&input, f) : give_buffer(&input, f))
#define OUT_MARKS(f) (RECORDS ? record_marks(&input, f) : give_marks(&input, f))
#define NOTE(p, n) (RECORDS ? record_note(&input, p, n) : give_note(&input, p))
#define NOTE_VECTOR(v, c) (RECORDS ? record_notes(&input, v, (size_t)(c)) : give_notes(&input, v, (size_t)(c)))
#define OUT_HEARD_VECTOR(v, c, n) (RECORDS ? record_vector(&input, v, (size_t)(c), n) : give_heard_vector(&input, v, (size_t)(c)))
#define OUT_VECTOR(v, c, n) (RECORDS ? record_vector(&input, v, (size_t)(c), n) : give_vector(&input, v, (size_t)(c)))
#define OUT_FORMAT(f, l, n) (RECORDS ? record_format(&input, f, l, n) : give_format(&input, f, l, n))
#define MAPS(p, n, flags, fd, at) (RECORDS ? mapped_add(p, n, flags, fd, at) : (void)0)
#define OUT_FILE(fd, p, n, at) OUT_FILE_VECTOR(fd, (&(struct iovec){ (void *)(uintptr_t)(p), (size_t)(n) }), 1, n, at)
#define OUT_FILE_VECTOR(fd, v, c, n, at) \
	(RECORDS ? mapped_each(fd, v, (size_t)(c), n, at, record_mapped, &input) : give_mapped(&input))
#define GROW(p, n) (RECORDS ? record_out(&input, n, sizeof *(n)) : give_grown(&input, p, n))
/* What a replay will not look at need not be ordered. */
#define IN(p, n) (RECORDS ? (void)0 : give_reads(&input, p, (int64_t)(n)))
#define SHOWN(p, n) (RECORDS ? record_out(&input, p, 0) : give_shown(&input, p, n))
#define IN_STRING(s) (RECORDS ? (void)0 : give_reads_string(&input, s))
#define IN_VECTOR(v, c, n) (RECORDS ? (void)0 : give_reads_vector(&input, v, (size_t)(c), n))
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
#define LINK(path, p, n) input_readlink(path, p, n)
#define BOUNCE(p, n) (void)(input.buffer = (void *)&(p), input.buffer_size = (n))
#define CONDUCTED_OR(conducted, call) (conductor_on && (conducted) ? result : (call))
#define BUFFERED(f, n) (void)0
#define BUFFERED_LINE(f, n, end) (void)0
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
/* Not even where the twin is the recorder: it could not go on. */
#define ENTERS_SANDBOX(kind, call) ((kind) ? 0 : (call))
#define NOTIFIES(event, what) ((void)(event))
#include <rethread/inputs.def>
