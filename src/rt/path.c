#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "rt/path.h"

#include "rt/clock.h"
#include "rt/handlers.h"
#include "rt/log.h"

#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

/* Where threads that nobody has set up append until the tray is full; what is in it means nothing. */
static uint8_t nowhere[2 * RT_TRAY] __attribute__((aligned(2 * RT_TRAY)));

/* And where they, and those without a log, do so then. */
static __thread uint8_t scratch[RT_TRAY_ANYWHERE] __attribute__((tls_model("initial-exec")));

/* How often the time is noted: each so many words; the more, the faster they come. */
enum { STAMP_LEAST = 16, STAMP_MOST = 1024 };

/* What word followed last time (trace.h); used once the thread's first tray was full. */
static __thread uint64_t foretold[RT_PATH_TABLE] __attribute__((tls_model("initial-exec")));

__thread uint8_t *__rethread_path = nowhere, *__rethread_path_end = nowhere + RT_TRAY;

static void go_to(uint8_t *tray, uint8_t *at)
{
	__rethread_path = at;
	__rethread_path_end = tray + RT_TRAY;
}

static void go_nowhere(void)
{
	go_to(rt_tray_in(scratch), rt_tray_in(scratch));
}

/* ------------------------------------------------------------------ time -------------------- */

static __attribute__((noinline, cold)) bool time_refill(struct rt_self *self)
{
	struct rt_chunk *chunk = rt_log.time ? rt_self_chunk(self, RT_STREAM_TIME, &self->time_pieces) : NULL;

	if (!chunk)
		return false;
	self->time = (struct rt_time *)(chunk + 1);
	self->time_end = (struct rt_time *)((char *)chunk + chunk->size);
	return true;
}

static void stamp(struct rt_self *self)
{
	uint64_t now;

	self->stamp_at = self->words + self->stamp_interval;
	if (rt_unlikely(self->time == self->time_end) && !time_refill(self))
		return;
	now = rt_clock();
	self->time->time = now;
	__atomic_store_n(&self->time->bits, self->bits + (uint64_t)(__rethread_path - self->tray), __ATOMIC_RELEASE);
	self->time++;
	self->stamp_interval = rt_stamp_interval(self->stamp_interval, STAMP_LEAST, STAMP_MOST, now - self->stamped);
	self->stamp_at = self->words + self->stamp_interval;
	self->stamped = now;
}

/* ------------------------------------------------------------------ words ------------------- */

static void to_chunk(struct rt_self *self, struct rt_chunk *chunk)
{
	self->slot = (uint64_t *)(chunk + 1);
	self->slots_end = (uint64_t *)((char *)chunk + chunk->size);
	self->run = NULL;
}

static __attribute__((noinline, cold)) bool refill(struct rt_self *self)
{
	struct rt_chunk *chunk = rt_self_chunk(self, RT_STREAM_PATH, &self->path_pieces);

	if (chunk)
		to_chunk(self, chunk);
	return chunk;
}

static inline bool put_slot(struct rt_self *self, uint64_t value)
{
	if (rt_unlikely(self->slot == self->slots_end) && !refill(self))
		return false;
	*self->slot++ = value;
	return true;
}

/* Was it foretold, and so were those before it? A short run would take more room than its words. */
static inline bool is_foretold(struct rt_self *self, uint64_t word)
{
	uint64_t *guess = &foretold[rt_path_place(self->context)];

	self->context = rt_path_context(self->context, word);
	if (*guess != word) {
		*guess = word;
		self->stage.row = 0;
		return false;
	}
	if (++self->stage.row < RT_PATH_RUN_AFTER)
		return false;
	self->stage.gained++;
	return true;
}

/* False when the log has no room for it. */
static inline bool put_word(struct rt_self *self, uint64_t word)
{
	bool guessed = !self->stage.resting && is_foretold(self, word);

	if (rt_unlikely(!--self->stage.left))
		self->stage = rt_path_stage_next(self->stage);
	if (guessed && self->run) {
		++*self->run;
	} else {
		if (!put_slot(self, guessed ? RT_PATH_RUN + 1 : word))
			return false;
		self->run = guessed ? self->slot - 1 : NULL;
	}
	self->words++;
	return true;
}

/* ------------------------------------------------------------------ the tray ---------------- */

/* Bits of RT_PATH_WORD bytes, the first lowest. */
static inline uint64_t pack(const uint8_t *at)
{
	uint64_t bits = 0;
#ifdef __SSE2__
	static const unsigned from[] = {0, 16, 32, RT_PATH_WORD - 16};

	for (unsigned i = 0; i < 4; i++) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(at + from[i]));

		bits |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_slli_epi16(bytes, 7)) << from[i];
	}
#else
	for (unsigned i = 0; i < RT_PATH_WORD; i++)
		bits |= (uint64_t)(at[i] & 1) << i;
#endif
	return bits;
}

static inline uint64_t word_of(const uint8_t *at)
{
	return 1ull << RT_PATH_WORD | pack(at);
}

static void pack_many(uint64_t *to, const uint8_t *at, size_t words)
{
	for (size_t i = 0; i < words; i++)
		to[i] = word_of(at + i * RT_PATH_WORD);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static void pack_many_avx2(uint64_t *to, const uint8_t *at, size_t words)
{
	enum { SECOND = RT_PATH_WORD - 32 };

	for (size_t i = 0; i < words; i++, at += RT_PATH_WORD) {
		__m256i low = _mm256_loadu_si256((const __m256i *)at);
		__m256i high = _mm256_loadu_si256((const __m256i *)(at + SECOND));

		to[i] = 1ull << RT_PATH_WORD | (unsigned)_mm256_movemask_epi8(_mm256_slli_epi16(low, 7)) |
			(uint64_t)(unsigned)_mm256_movemask_epi8(_mm256_slli_epi16(high, 7)) << SECOND;
	}
}

/* Both the processor and the kernel, which has to keep the registers. */
static bool has_avx2(void)
{
	unsigned a, b, c, d, saved, unused;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return false;
	__asm__("xgetbv" : "=a"(saved), "=d"(unused) : "c"(0));
	return (saved & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}
#else
#define pack_many_avx2 pack_many
static bool has_avx2(void)
{
	return false;
}
#endif

static bool use_avx2;

void rt_path_start(void)
{
	use_avx2 = has_avx2();
}

/* Of n bytes, as many as become words that are neither guessed nor learnt, and need no other chunk. */
static unsigned put_resting(struct rt_self *self, const uint8_t *at, unsigned n)
{
	size_t words = n / RT_PATH_WORD, room = (size_t)(self->slots_end - self->slot), rest = self->stage.left - 1;

	if (!self->stage.resting)
		return 0;
	words = words < room ? words : room;
	words = words < rest ? words : rest;
	if (!words)
		return 0;
	(use_avx2 ? pack_many_avx2 : pack_many)(self->slot, at, words);
	self->slot += words;
	self->run = NULL;
	self->stage.left -= (uint32_t)words;
	self->words += words;
	return (unsigned)words * RT_PATH_WORD;
}

static void set_state(struct rt_self *self, uint64_t state)
{
	__atomic_store_n(&self->thread->path_state, state, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * Pack what the tray has; the rest, less than a word, goes to its begin. In this order there is no instant at which the log has a bit
 * twice or not at all.
 */
static void empty(struct rt_self *self, uint8_t *tray, unsigned n)
{
	unsigned packed = put_resting(self, tray, n), rest = n % RT_PATH_WORD;

	for (; n - packed >= RT_PATH_WORD; packed += RT_PATH_WORD)
		if (rt_unlikely(!put_word(self, word_of(tray + packed)))) {
			rt_path_end(self);
			return;
		}
	if (rt_unlikely(packed <= rest))
		return;
	set_state(self, RT_PATH_STATE(self->words, packed));
	memcpy(tray, tray + packed, rest);
	memset(tray + rest, RT_TRAY_NONE, packed - rest);
	set_state(self, RT_PATH_STATE_LEFT(self->words, rest));
	memset(tray + packed, RT_TRAY_NONE, rest);
	set_state(self, RT_PATH_STATE(self->words, 0));
	self->bits += packed;
	go_to(tray, tray + rest);
	if (rt_unlikely(self->words >= self->stamp_at))
		stamp(self);
}

static __attribute__((noinline)) void full(struct rt_self *self)
{
	bool was_logging = self->logging;

	if (rt_unlikely(self->handlers)) {
		if (self->handler_keeps) {
			rt_path_undo(self, self->interrupted);
			rt_input_signal_lost(self, RT_SIGNAL_LOST);
		}
		self->handler_keeps = false;
		go_nowhere();
		return;
	}
	if (rt_unlikely(!self->tray)) {
		go_nowhere();
		return;
	}
	/* A handler that came in the middle would append to a tray that is neither full nor empty. */
	self->logging = true;
	empty(self, self->tray, (unsigned)(__rethread_path - self->tray));
	self->logging = was_logging;
	/* One that came meanwhile would wait for the next time. */
	if (rt_unlikely(rt_caught_waiting))
		rt_path_hurry(self);
}

static void run_handlers(struct rt_self *self)
{
	if (!self->active || self->handlers)
		return;
	rt_caught_run(RT_SIGNAL_PATH);
	rt_path_go_on(self);
}

void __rethread_path_room(void)
{
	full(&rt_self);
}

void __rethread_path_full(void)
{
	full(&rt_self);
	if (rt_unlikely(rt_caught_waiting))
		run_handlers(&rt_self);
}

/* ------------------------------------------------------------------ begin and end ----------- */

void rt_path_begin(struct rt_self *self, struct rt_chunk *first, uint8_t *tray)
{
	self->path_pieces.chunk[0] = first;
	to_chunk(self, first);
	self->stage = rt_path_stage_first();
	self->stamp_at = self->stamp_interval = STAMP_LEAST;
	self->tray = tray;
	go_to(tray, tray);
}

void rt_path_end(struct rt_self *self)
{
	self->tray = NULL;
	go_nowhere();
}

void rt_path_forget(struct rt_self *self)
{
	if (self->words)
		memset(foretold, 0, sizeof foretold);
}

uint64_t rt_path_length(const struct rt_self *self)
{
	uint8_t *here = self->handlers ? self->interrupted : __rethread_path;

	return self->tray ? self->bits + (uint64_t)(rt_tray_here(here) - self->tray) : 0;
}

uint8_t *rt_path_divert(struct rt_self *self, bool keeps)
{
	/* Also where the handler's path is not kept: it may jump away, and what comes then must not go over what is there. */
	uint8_t *here = self->tray ? rt_tray_here(__rethread_path) : __rethread_path;

	if (keeps && self->tray)
		go_to(self->tray, here);
	else
		go_nowhere();
	return here;
}

void rt_path_go_on(struct rt_self *self)
{
	if (self->tray)
		__rethread_path_end = self->tray + RT_TRAY;
}

void rt_path_hurry(const struct rt_self *self)
{
	if (self->tray && !self->handlers)
		__rethread_path_end = NULL;
}

void rt_path_undo(struct rt_self *self, uint8_t *to)
{
	if (self->tray)
		memset(to, RT_TRAY_NONE, (size_t)(self->tray + RT_TRAY + RT_TRAY_SPARE - to));
}
