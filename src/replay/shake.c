/*
 * Replays that are disturbed: threads are late at random, when they begin and at steps of synchronization. A schedule that says all that matters does not
 * mind; one that leaves something to chance, which mostly comes out as it was recorded, shows it (`reproduce` proves its answer so, src/infer/work.c).
 *
 * A thread that is late keeps its processor, or gives it away, but does not sleep: to the watchdog a thread that sleeps is one that waits.
 */
#include "replay/twin.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TIMES = 64, ONE_IN = 8, FIRST_US = 2000, LATER_US = 300 };

static uint32_t seed; /* 0: not disturbed */
static __thread uint64_t state;
static __thread uint32_t times;

void shake_start(uint32_t with)
{
	seed = with;
}

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t now_us(void)
{
	struct timespec t;
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t); /* the functions of these names count as the program's */
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void be_late(uint64_t us)
{
	uint64_t end = now_us() + us;
	while (now_us() < end)
		syscall(SYS_sched_yield);
}

void shake_here(const struct twin_thread *self)
{
	if (!seed || !self || times == MOST_TIMES)
		return;
	bool first = !state;
	if (first)
		state = (seed * 0x9e3779b97f4a7c15ull ^ (self->number + 1ull) * 0xbf58476d1ce4e5b9ull) | 1;
	next_random();
	if (first)
		be_late(next_random() % FIRST_US * (next_random() % 2));
	else if (next_random() % ONE_IN == 0) {
		times++;
		be_late(next_random() % LATER_US);
	}
}
