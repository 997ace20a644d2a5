/*
 * Recorded values (include/rethread/instrument.h). A thread's tray and first chunk are made when it has its first value: most
 * threads have few or none. Until then there is room for one in the thread's own memory.
 */
#include "rt/clock.h"
#include "rt/log.h"
#include "rt/options.h"
#include "rt/repeats.h"
#include "rt/self.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread uint32_t first_value __attribute__((tls_model("initial-exec")));
static __thread struct rt_repeats repeats __attribute__((tls_model("initial-exec")));

__thread struct rt_values __rethread_values;

static bool records(const struct rt_self *self)
{
	return self->active && rt_log.values && rt_log.scheme >= RT_SCHEME_PATH && !self->handlers &&
	       self->thread != &self->spare;
}

static void stop(void)
{
	__rethread_values = (struct rt_values){0};
}

static void go_on(uint32_t *at, uint32_t *end)
{
	__rethread_values = (struct rt_values){
		.at = at,
		.end = end,
		.unordered = rt_log.scheme == RT_SCHEME_PATH ? at : NULL,
		.often = rt_self.thread->often_over ? NULL : at,
	};
}

/*
 * Recording values must stay cheap. A thread that has filled so many windows faster than this goes on without what it reads often,
 * and then, where the others alone are faster than they may be, without any: inference guesses what it read from there on.
 */
enum { NS_PER_VALUE = 100, NS_PER_VALUE_OFTEN = 300, WINDOWS = 4 };

/*
 * Thousands of threads that all end before they have filled so many, or soon after, would write a log without bounds. What such threads wrote
 * is counted together when they end, or go on without, and once it is too much, each thread is judged whenever it asks for another chunk.
 */
enum { HASTY_BYTES = 16 << 20 };
static uint64_t hasty_bytes;

static void count_hasty(uint64_t bytes)
{
	__atomic_fetch_add(&hasty_bytes, bytes, __ATOMIC_RELAXED);
}

static bool is_faster(const struct rt_self *self, uint64_t since, uint64_t now, uint64_t bytes)
{
	return now - since < bytes / sizeof(uint32_t) * (self->often_ends ? NS_PER_VALUE : NS_PER_VALUE_OFTEN);
}

/* Of the thread's chunks, the newest included. */
static uint64_t bytes_of(const struct rt_pieces *pieces)
{
	uint64_t sum = 0;
	unsigned i = 0;

	for (; i < RT_CHUNK_SIZES && pieces->chunk[i]; i++)
		sum += pieces->chunk[i]->size;
	return i == RT_CHUNK_SIZES ? sum + (pieces->seq + 1 - i) * pieces->chunk[i - 1]->size : sum;
}

static bool fills_windows_too_fast(struct rt_self *self)
{
	uint64_t now, since = self->values_since;
	struct rt_chunk *window = self->value_pieces.chunk[RT_CHUNK_SIZES - 1];

	if (!window || self->value_pieces.seq % WINDOWS)
		return false;
	now = rt_clock_ns();
	self->values_since = now;
	return since && is_faster(self, since, now, (uint64_t)WINDOWS * window->size);
}

static bool is_one_of_many(const struct rt_self *self)
{
	return __atomic_load_n(&hasty_bytes, __ATOMIC_RELAXED) > HASTY_BYTES && self->values_began &&
	       is_faster(self, self->values_began, rt_clock_ns(), bytes_of(&self->value_pieces));
}

/*
 * Values that repeat themselves take no room, but about two nanoseconds each. Whether a thread polls or works, they do not tell, but that a worker's change
 * all the time. So a thread has one for each so many nanoseconds of its life, and all threads together so many more, of those that change fewer.
 */
enum { REPEATS_ASKED = 64 * RT_VALUE_TRAY };
static struct { const uint64_t each_ns, more; uint64_t taken; } paces[RT_PACES] = {
	[RT_PACE_ALL] = {.each_ns = 20, .more = 32 << 20},
	[RT_PACE_CHANGING] = {.each_ns = 40, .more = 6 << 20},
};

static bool is_too_fast(struct rt_self *self, enum rt_pace pace, uint64_t now)
{
	struct rt_paced *paced = &self->values_paced[pace];
	uint64_t due = (now - paced->since) / paces[pace].each_ns, more = paced->n > due ? paced->n - due : 0, before = paced->more;

	if (more <= before)
		return false;
	paced->more = more;
	return __atomic_add_fetch(&paces[pace].taken, more - before, __ATOMIC_RELAXED) > paces[pace].more;
}

/* The first time, the thread goes on with those that do not come often: often_over is how many there are when its tray is next empty. */
static bool too_many(struct rt_self *self, bool are)
{
	if (rt_log.values == RT_VALUES_ALL || !are)
		return false;
	rt_log_set_flags(RT_LOG_VALUES);
	if (self->often_ends)
		return true;
	self->often_ends = true;
	return false;
}

static void begin_paces(struct rt_self *self, uint64_t now)
{
	for (unsigned i = 0; i < RT_PACES; i++)
		self->values_paced[i] = (struct rt_paced){.since = now};
}

/* Once those that come often are over, only the others' pace counts. */
static bool repeats_too_many(struct rt_self *self)
{
	uint64_t now = rt_clock_ns();
	bool fast = is_too_fast(self, RT_PACE_ALL, now) || is_too_fast(self, RT_PACE_CHANGING, now);

	if (too_many(self, fast))
		return true;
	if (fast)
		begin_paces(self, now);
	return false;
}

/* ------------------------------------------------------------------ the stream -------------- */

/* On a thread's page for values: its tray, and the stream's first chunk. */
enum { TRAY_SIZE = sizeof(struct rt_chunk) + RT_VALUE_TRAY * sizeof(uint32_t) };
_Static_assert(TRAY_SIZE % 64 == 0, "chunks of 64");

static void to_chunk(struct rt_self *self, struct rt_chunk *chunk)
{
	self->value_slot = (uint32_t *)(chunk + 1);
	self->value_slots_end = (uint32_t *)((char *)chunk + chunk->size);
	self->value_run = NULL;
}

static __attribute__((noinline, cold)) bool refill(struct rt_self *self)
{
	struct rt_chunk *chunk = NULL;

	if (too_many(self, fills_windows_too_fast(self) || is_one_of_many(self)))
		count_hasty(bytes_of(&self->value_pieces));
	else
		chunk = rt_self_chunk(self, RT_STREAM_VALUE, &self->value_pieces);
	if (chunk)
		to_chunk(self, chunk);
	return chunk;
}

static bool put(struct rt_self *self, const uint32_t *words, uint32_t n)
{
	while (n) {
		uint32_t room = (uint32_t)(self->value_slots_end - self->value_slot), k = n < room ? n : room;

		if (!k) {
			if (!refill(self))
				return false;
			continue;
		}
		memcpy(self->value_slot, words, k * sizeof *words);
		self->value_slot += k;
		words += k;
		n -= k;
	}
	return true;
}

/* The last count goes on; in another chunk it is another one. */
static bool put_more(struct rt_self *self, uint32_t back, uint32_t more)
{
	if (self->value_run && more <= UINT32_MAX - *self->value_run) {
		*self->value_run += more;
		return true;
	}
	if (!put(self, (uint32_t[]){RT_VALUE_HEAD(0, back), more}, 2))
		return false;
	self->value_run = self->value_slot - 1;
	return true;
}

static bool put_tray(struct rt_self *self, uint32_t n)
{
	uint32_t more, back = repeats.back, nwords = rt_repeats_pack(&repeats, self->value_tray, n, &more);

	if ((more && !put_more(self, back, more)) || !put(self, repeats.words, nwords))
		return false;
	self->values_paced[RT_PACE_ALL].n += n;
	if (nwords) {
		self->values_paced[RT_PACE_CHANGING].n += n;
		self->value_run = repeats.back ? self->value_slot - 1 : NULL;
	}
	return true;
}

static void set_state(const struct rt_self *self, uint32_t packed)
{
	__atomic_store_n(&self->thread->value_state, RT_PATH_STATE(repeats.n, packed), __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* In this order there is no instant at which the log has a value twice or not at all. */
static bool empty(struct rt_self *self)
{
	uint32_t n = (uint32_t)(__rethread_values.at - self->value_tray);

	if (repeats.n % REPEATS_ASKED == 0 && repeats_too_many(self)) {
		count_hasty(bytes_of(&self->value_pieces));
		return false;
	}
	if (!put_tray(self, n))
		return false;
	set_state(self, n);
	memset(self->value_tray, 0, n * sizeof *self->value_tray);
	set_state(self, 0);
	if (self->often_ends && !self->thread->often_over)
		self->thread->often_over = repeats.n + 1;
	return true;
}

static bool begin(struct rt_self *self)
{
	struct rt_chunk parts[] = {
		{.size = TRAY_SIZE, .thread = self->number, .stream = RT_STREAM_VALUE_TRAY},
		{.size = RT_PAGE - TRAY_SIZE, .thread = self->number, .stream = RT_STREAM_VALUE},
	};
	char *page = rt_log_page(parts, 2, &self->value_pieces.first);

	if (!page) {
		rt_log_drop();
		return false;
	}
	self->value_tray = (uint32_t *)(page + sizeof(struct rt_chunk));
	self->value_pieces.chunk[0] = (struct rt_chunk *)(page + TRAY_SIZE);
	self->value_pieces.seq = 0;
	to_chunk(self, self->value_pieces.chunk[0]);
	self->values_began = rt_clock_ns();
	begin_paces(self, self->values_began);
	repeats.n = repeats.back = 0;
	*self->value_tray = first_value;
	set_state(self, 0);
	return true;
}

void __rethread_values_full(void)
{
	struct rt_self *self = &rt_self;
	bool first = __rethread_values.end == &first_value + 1, was_logging = self->logging, ok;

	/* A handler that came in the middle would append to a tray that is neither full nor empty. */
	self->logging = true;
	/* A log that has ended stays ended: a gap in it would be taken for something that is there. */
	ok = records(self) && (first ? begin(self) : empty(self));
	self->logging = was_logging;
	if (ok)
		go_on(self->value_tray + first, self->value_tray + RT_VALUE_TRAY);
	else
		stop();
}

static void append(uint32_t value)
{
	*__rethread_values.at++ = ~value;
	if (__rethread_values.at == __rethread_values.end)
		__rethread_values_full();
}

void __rethread_values_wide(uint64_t value)
{
	append((uint32_t)value);
	if (__rethread_values.at)
		append((uint32_t)(value >> 32));
}

/*
 * Of an address the lower half is recorded, and one that begins a mapping at a multiple of 4 GiB, as one heap of a thread in 64
 * would, looks like a small number then. So the pages around these multiples are taken, where the kernel puts mappings: downwards from
 * those that there are.
 */
void rt_values_start(void)
{
	enum { MULTIPLES = 16, PAGE = 4096 };
	const uint64_t multiple = 1ull << 32;
	uint64_t at = ((uint64_t)(uintptr_t)rt_log.header & -multiple) + multiple;

	for (unsigned i = 0; i < MULTIPLES && at > multiple; i++, at -= multiple)
		syscall(SYS_mmap, at - PAGE, 2 * PAGE, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

void rt_values_begin(struct rt_self *self)
{
	self->value_pieces.seq = UINT64_MAX; /* before the first */
	go_on(&first_value, &first_value + 1); /* asks at the first one */
}

void rt_values_end(const struct rt_self *self)
{
	uint64_t left = (uint64_t)(self->value_slots_end - self->value_slot) * sizeof(uint32_t);
	uint64_t bytes = bytes_of(&self->value_pieces) - left;

	/* A page for each thread is what the thread itself takes, too. */
	if (__rethread_values.at && !rt_log.sealed && self->values_began && bytes > RT_PAGE && is_faster(self, self->values_began, rt_clock_ns(), bytes))
		count_hasty(bytes);
	stop();
}

void rt_values_forgo(void)
{
	if (records(&rt_self))
		rt_log_set_flags(RT_LOG_VALUES);
	stop();
}

struct rt_values rt_values_divert(void)
{
	struct rt_values was = __rethread_values;

	stop();
	return was;
}
