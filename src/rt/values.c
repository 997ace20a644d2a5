/*
 * Recorded values (include/rethread/instrument.h). A thread's first chunk is made when it has its first value: most
 * threads have few or none. Until then there is room for one in the thread's own memory.
 */
#include "rt/clock.h"
#include "rt/log.h"
#include "rt/options.h"
#include "rt/self.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static __thread uint32_t first_value __attribute__((tls_model("initial-exec")));

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
	__rethread_values = (struct rt_values){at, end, rt_log.scheme == RT_SCHEME_PATH ? at : NULL};
}

/*
 * Recording values must stay cheap. A thread that has filled so many windows faster than this goes on without:
 * inference then guesses what it read from there on.
 */
enum { NS_PER_VALUE = 40, WINDOWS = 16 };

/*
 * Thousands of threads that all end before they have filled so many would write a log without bounds. What such threads wrote is counted
 * together when they end, and once it is too much, each thread is judged whenever it asks for another chunk.
 */
enum { HASTY_BYTES = 16 << 20 };
static uint64_t hasty_bytes;

static bool is_faster(uint64_t since, uint64_t now, uint64_t bytes)
{
	return now - since < bytes / sizeof(uint32_t) * NS_PER_VALUE;
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
	return since && is_faster(since, now, (uint64_t)WINDOWS * window->size);
}

static bool is_one_of_many(const struct rt_self *self)
{
	return __atomic_load_n(&hasty_bytes, __ATOMIC_RELAXED) > HASTY_BYTES && self->values_began &&
	       is_faster(self->values_began, rt_clock_ns(), bytes_of(&self->value_pieces));
}

static bool too_many(struct rt_self *self)
{
	if (rt_log.values == RT_VALUES_ALL || (!fills_windows_too_fast(self) && !is_one_of_many(self)))
		return false;
	rt_log_set_flags(RT_LOG_VALUES);
	return true;
}

static bool to_chunk(struct rt_self *self)
{
	struct rt_chunk *chunk = rt_self_chunk(self, RT_STREAM_VALUE, &self->value_pieces);

	if (!chunk)
		return false;
	go_on((uint32_t *)(chunk + 1), (uint32_t *)((char *)chunk + chunk->size));
	return true;
}

void __rethread_values_full(void)
{
	struct rt_self *self = &rt_self;
	bool first = __rethread_values.end == &first_value + 1;

	/* A log that has ended stays ended: a gap in it would be taken for something that is there. */
	if (!records(self) || too_many(self) || !to_chunk(self)) {
		stop();
		return;
	}
	if (first) {
		self->values_began = rt_clock_ns();
		*__rethread_values.at++ = first_value;
	}
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
	uint64_t left = (uint64_t)(__rethread_values.end - __rethread_values.at) * sizeof(uint32_t);
	uint64_t bytes = bytes_of(&self->value_pieces) - left;

	/* A page for each thread is what the thread itself takes, too. */
	if (__rethread_values.at && self->values_began && bytes > RT_PAGE && is_faster(self->values_began, rt_clock_ns(), bytes))
		__atomic_fetch_add(&hasty_bytes, bytes, __ATOMIC_RELAXED);
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
