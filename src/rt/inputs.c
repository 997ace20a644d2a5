/*
 * Interposed: functions that bring something into the program (inputs.def). Each calls the real one and appends what
 * it returned and wrote to the thread's stream of inputs.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/inputs.h"

#include "rt/path.h"

#include "rt/clock.h"
#include "rt/forked.h"
#include "rt/handlers.h"
#include "rt/interpose.h"
#include "rt/libraries.h"
#include "rt/packing.h"

#include <errno.h>

/* ------------------------------------------------------------------ records ----------------- */

/* A record of its own, of r->size bytes and the struct's. */
static bool record_begin(struct rt_self *self, struct input_recording *r)
{
	r->size += sizeof(struct rt_input);
	r->at = rt_inputs_room(self, r->size);
	if (!r->at) {
		rt_log_drop();
		return false;
	}
	r->shift = self->input.shift;
	r->end = r->at + r->size;
	r->at += sizeof(struct rt_input);
	return true;
}

static void record_end(struct rt_self *self, struct input_recording *r, uint16_t function, int error,
		uint64_t result)
{
	struct rt_input *record = (struct rt_input *)(r->end - r->size);

	memset(r->at, 0, (size_t)(r->end - r->at));
	record->function = function;
	record->error = (uint16_t)error;
	record->result = result;
	rt_inputs_done(self, (uint32_t)r->size);
}

bool packing_own(struct rt_self *self, struct packing *k)
{
	struct input_recording *r = &k->recording;

	if (k->packs) {
		k->packs = false;
		*r = (struct input_recording){0};
	} else if (r->at || !record_begin(self, r)) {
		if (r->at)
			record_end(self, r, (uint16_t)k->what, (uint16_t)(k->what >> 16), k->result);
		packing_ends(self);
		return false;
	}
	if (k->timed)
		input_put(r, &k->time, sizeof k->time);
	return true;
}

static __attribute__((noinline)) bool begin(struct rt_self *self, struct packing *k)
{
	return packing_begin(self, k);
}

static __attribute__((noinline)) bool goes_on(struct rt_self *self, struct packing *k)
{
	return packing_goes_on(self, k);
}

/* Of struct rt_signal in a record: behind the time stamp, and the lengths of both. */
enum { SIGNAL_OFFSET = sizeof(struct rt_input) + 3 * sizeof(uint64_t) };

void rt_input_signal(struct rt_self *self, const siginfo_t *info, uint32_t place)
{
	struct input_recording r = {0};
	uint64_t stamp = rt_log.time ? rt_clock() : 0;
	struct rt_signal s = {
		.place = place,
		.steps = self->thread->sync_done,
		.bits = rt_path_length(self),
	};

	self->signal_record = NULL;
	if (!packing_starts(self))
		return;
	for (int pass = 0; pass < 2 && (!pass || record_begin(self, &r)); pass++) {
		input_put(&r, &stamp, sizeof stamp);
		input_put(&r, &s, sizeof s);
		input_put(&r, info, sizeof *info);
	}
	if (r.at) {
		self->signal_record = (struct rt_signal *)(r.end - r.size + SIGNAL_OFFSET);
		self->signal_seq = self->input.seq;
		record_end(self, &r, RT_INPUT_SIGNAL, 0, (uint64_t)info->si_signo);
	}
	packing_ends(self);
}

void rt_input_signal_lost(struct rt_self *self, uint32_t place)
{
	/* Its chunk is no longer mapped, or used for others. */
	if (self->signal_record && self->signal_seq == self->input.seq)
		self->signal_record->place = place;
}

void rt_input_forked(struct rt_self *self, uint16_t function, pid_t result)
{
	int error = errno;
	struct packing k = {.what = RT_PACKED_OF(function, (uint16_t)error)};

	memcpy(&k.result, &result, sizeof result);
	if (begin(self, &k))
		goes_on(self, &k);
	errno = error;
}

/* The call at hand, for when the thread is cancelled in it. */
struct cancellable {
	struct rt_self *self;
	uint16_t function;
};

static void cancelled(void *call)
{
	const struct cancellable *c = call;
	struct packing k = {.what = RT_PACKED_OF(c->function, RT_INPUT_CANCELLED)};

	rt_self_resume(c->self);
	if (begin(c->self, &k))
		goes_on(c->self, &k);
}

/* Not where it cannot happen: being ready for it takes as long as some of these calls. */
#define CANCELLABLE(flags, name, call)                                                             \
	do {                                                                                       \
		struct cancellable cancellable = {self, RT_INPUT_##name};                          \
                                                                                                   \
		if (quick) {                                                                       \
			result = call;                                                             \
			break;                                                                     \
		}                                                                                  \
		pthread_cleanup_push(cancelled, &cancellable);                                     \
		result = call;                                                                     \
		pthread_cleanup_pop(0);                                                            \
	} while (0)

#define OUT(p, n) input_put(&input.recording, p, (int64_t)(n))
#define OUT_FRESH(p, n) OUT(p, n)
#define OUT_HEARD(p, n) OUT(p, n)
#define OUT_EVENTS(p, n) OUT(p, (n) * (int64_t)sizeof *(p))
#define OUT_BUFFER(f) input_put_buffer(&input.recording, f)
#define OUT_MARKS(f) (quick ? (void)0 : input_put_marks(&input.recording, f))
#define NOTE(p, n) input_put_note(&input.recording, p, n)
#define NOTE_VECTOR(v, c) input_put_notes(&input.recording, v, (size_t)(c))
#define OUT_VECTOR(v, c, n) input_put_vector(&input.recording, v, (size_t)(c), n)
#define OUT_HEARD_VECTOR(v, c, n) OUT_VECTOR(v, c, n)
#define OUT_FORMAT(f, l, n) input_put_format(&input.recording, f, l, n)
#define GROW(p, n) input_put(&input.recording, n, sizeof *(n))
#define MAPS(p, n, flags, fd, at) mapped_add(p, n, flags, fd, at)
#define OUT_FILE(fd, p, n, at) OUT_FILE_VECTOR(fd, (&(struct iovec){(void *)(uintptr_t)(p), (size_t)(n)}), 1, n, at)
#define OUT_FILE_VECTOR(fd, v, c, n, at) mapped_each(fd, v, (size_t)(c), n, at, input_put_mapped, &input.recording)
#define IN(p, n) (void)0
#define IN_STRING(s) (void)0
#define SHOWN(p, n) input_put(&input.recording, p, !rt_log.output ? 0 : (n) < (int64_t)RT_SHOWN_MAX ? (int64_t)(n) : (int64_t)RT_SHOWN_MAX)
#define IN_VECTOR(v, c, n) (void)0
#define SAME(p) (void)0
#define IN_PLACE(type) (void)0
#define LINK(path, p, n) REAL(readlink)(path, p, n)
#define BOUNCE(p, n) (void)0
#define SHOWS(fd, p, n) (void)0
#define SHOWS_VECTOR(fd, v, n) (void)0
#define SHOW(fd, p, n) (void)0
#define SHOW_VECTOR(fd, v, c, n) (void)0
#define TWIN(statement) (void)0
#define CONDUCTED_OR(conducted, call) (call)

/*
 * Where a stream's buffer has what is asked of it, the kernel is not asked: the call neither waits nor hears of others then. Another
 * thread that reads from the stream at the same time may empty it in between; then a time stamp is missing.
 */
#define BUFFERED(f, n) (void)(quick = quick || input_is_buffered(f, n))
#define BUFFERED_LINE(f, n, end) (void)(quick = quick || input_has_line(f, n, end))

/* Nothing of what a DEEP function does inside belongs to the target. */
#define INPUT(flags, type, name, parameters, call, before, after)                                  \
	__attribute__((weak)) type rt_input_##name parameters __asm__(#name);                      \
	type rt_input_##name parameters                                                            \
	{                                                                                          \
		struct rt_self *self = &rt_self;                                                   \
		struct packing input = {0};                                                        \
		bool quick = ((flags)&QUICK) != 0;                                                 \
		uint64_t bits = 0;                                                                 \
		type result;                                                                       \
		int error;                                                                         \
		before;                                                                            \
                                                                                                   \
		if (rt_unlikely(!self->active)) {                                                  \
			if (rt_unlikely(!rt_input_real.name))                                      \
				rt_real_init();                                                    \
			return call;                                                               \
		}                                                                                  \
		if (rt_unlikely(rt_caught_waiting))                                                \
			rt_caught_run(RT_SIGNAL_CALL);                                             \
		if ((flags)&DEEP)                                                                  \
			rt_self_pause(self);                                                       \
		input.timed = ((flags) & (WAKES | HEARS)) != 0;                                    \
		if (((flags)&WAKES) && rt_log.time)                                                \
			input.time = rt_clock();                                                   \
		CANCELLABLE(flags, name, call);                                                    \
		error = errno;                                                                     \
		if (((flags)&HEARS) && !quick && rt_log.time)                                      \
			input.time = rt_clock();                                                   \
		if ((flags)&DEEP)                                                                  \
			rt_self_resume(self);                                                      \
		input.what = RT_PACKED_OF(RT_INPUT_##name, (uint16_t)error);                       \
		/* Not into the struct: a word that was written in halves is slow to read. */      \
		memcpy(&bits, &result, sizeof result);                                             \
		input.result = bits;                                                               \
		if (((flags)&FORKS) && !input.result && !rt_forked_has_log())                      \
			return result;                                                             \
		if (quick) { /* in line, where it is most of what the call costs */                \
			if (packing_begin(self, &input))                                           \
				do {                                                               \
					after;                                                     \
				} while (packing_goes_on(self, &input));                           \
		} else if (begin(self, &input)) {                                                  \
			do {                                                                       \
				after;                                                             \
			} while (goes_on(self, &input));                                           \
		}                                                                                  \
		errno = error;                                                                     \
		if (rt_unlikely(rt_caught_waiting))                                                \
			rt_caught_run(RT_SIGNAL_STEP);                                             \
		return result;                                                                     \
	}
/* In strict mode not even the clock may be read: the thread is recorded no further. */
static void enter_sandbox(enum input_sandbox kind)
{
	if (kind == INPUT_SANDBOX_STRICT)
		rt_self_leave();
	rt_log_seal();
}

#define ENTERS_SANDBOX(kind, call)                                                                 \
	({                                                                                         \
		enum input_sandbox is_entry = kind;                                                \
		if (is_entry)                                                                      \
			enter_sandbox(is_entry);                                                   \
		long code = (call);                                                                \
		if (is_entry && code < 0)                                                          \
			rt_log_unseal();                                                           \
		code;                                                                              \
	})
#define NOTIFIES(event, what) rt_libraries_notifies(event, what)
#include <rethread/inputs.def>
