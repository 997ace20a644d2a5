/*
 * How far apart the time stamps of two cores may be for the same moment (design §4, Time).
 *
 * Two threads on two processors pass a cache line to and fro, each writing its stamp: what the receiver reads after the
 * sender is the line's travel, plus or less the skew. The slower of the best two ways, several times over, and room
 * for a store that lingers in its buffer, is the margin.
 *
 * Counters that run at one rate keep their skew, and whatever disturbs a round (an interrupt, another process on the
 * processor, a virtual processor that the host has put to sleep) can only make it longer. So the least of few rounds
 * says as much on a busy machine as on an idle one, and is never too small; a player only has to be patient until the
 * other one's processor has time for it, which takes some time slices of a few milliseconds.
 */
#include "cli/margin.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "rt/clock.h"

enum { ROUNDS = 64, PATIENCE_NS = 200000000, LOOK_NS = 50000, REST_NS = 100000, LOOKS = 1024, FACTOR = 4, BUFFERED = 2000 };

struct table {
	_Alignas(64) _Atomic uint64_t ball; /* the stamp, and in the lowest bit whose turn it is */
	_Alignas(64) _Atomic bool given_up;
	uint64_t best[2];
	int cpu[2];
	uint64_t deadline; /* in nanoseconds */
};

struct player {
	struct table *table;
	unsigned side;
};

static void sit_on(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

/* The ball is not coming: sleeps when the look that began at *since was long, gives up when time is up. */
static void rest(struct table *t, uint64_t *since)
{
	uint64_t now = rt_clock_ns();
	if (now > t->deadline)
		atomic_store(&t->given_up, true);
	else if (now - *since > LOOK_NS) {
		nanosleep(&(struct timespec){.tv_nsec = REST_NS}, NULL);
		*since = rt_clock_ns();
	}
}

/*
 * Waits for the ball; false when time is up or the other one has given up. A round is only quick while both are on their
 * processors. Who sleeps often, and shortly, gets a processor that others use for some of each slice; who looks
 * all the time uses up its slice, and then both have theirs at different times.
 */
static bool await_ball(struct table *t, unsigned side, uint64_t *sent)
{
	uint64_t since = 0;
	for (unsigned i = 1; !atomic_load_explicit(&t->given_up, memory_order_relaxed); i++) {
		*sent = atomic_load_explicit(&t->ball, memory_order_acquire);
		if ((*sent & 1) == side)
			return true;
		if (i == LOOKS)
			since = rt_clock_ns();
		else if (i % LOOKS == 0)
			rest(t, &since);
	}
	return false;
}

static void *play(void *data)
{
	struct player *p = data;
	struct table *t = p->table;
	uint64_t sent;
	sit_on(t->cpu[p->side]);
	for (int i = 0; i < ROUNDS && await_ball(t, p->side, &sent); i++) {
		uint64_t now = rt_clock(), took = now > (sent & ~1ull) ? now - (sent & ~1ull) : 0;
		if (i > 1 && took < t->best[p->side])
			t->best[p->side] = took;
		atomic_store_explicit(&t->ball, (rt_clock() & ~1ull) | !p->side, memory_order_release);
	}
	return NULL;
}

/* The first and the last processor we may use: likely the furthest apart. */
static bool choose_cpus(int cpu[2])
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) < 2)
		return false;
	cpu[0] = -1;
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &set))
			continue;
		cpu[0] = cpu[0] < 0 ? i : cpu[0];
		cpu[1] = i;
	}
	return true;
}

uint64_t margin_measure(void)
{
	struct table t = {.best = {UINT64_MAX, UINT64_MAX}, .deadline = rt_clock_ns() + PATIENCE_NS};
	struct player players[2] = {{&t, 0}, {&t, 1}};
	pthread_t thread[2];
	if (!choose_cpus(t.cpu))
		return RT_TIME_MARGIN;
	unsigned n = 0;
	while (n < 2 && !pthread_create(&thread[n], NULL, play, &players[n]))
		n++;
	if (n < 2)
		atomic_store(&t.given_up, true);
	for (unsigned i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	uint64_t slower = t.best[0] > t.best[1] ? t.best[0] : t.best[1];
	if (slower > RT_TIME_MARGIN) /* no round each way was undisturbed */
		return FACTOR * RT_TIME_MARGIN;
	return FACTOR * slower + BUFFERED;
}
