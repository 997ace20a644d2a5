/*
 * Growth over SAPs: argument N is the number of rounds per thread, each of which makes ten SAPs that do not race (a counter
 * under one of eight locks, cells of the thread's own in a shared array). The races are always the same few:
 * increments of `tally` without a lock, of which one gets lost.
 *
 * fails: assert
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 2, RACES = 8, LOCKS = 8, CELLS = 64 };

static pthread_mutex_t locks[LOCKS];
static long counters[LOCKS];
static long cells[THREADS][CELLS];
static volatile int tally;
static long rounds = 1000;

static void work(long me, long from, long to)
{
	for (long i = from; i < to; i++) {
		long lock = i / 16 % LOCKS, cell = i % CELLS;
		pthread_mutex_lock(&locks[lock]);
		counters[lock] += i;
		pthread_mutex_unlock(&locks[lock]);
		cells[me][cell] += i;
		cells[me][(cell + 7) % CELLS] ^= i;
	}
}

static void race(void)
{
	int seen = tally;
	for (volatile int i = 0; i < 3000; i++)
		;
	tally = seen + 1;
}

static void *run(void *arg)
{
	long me = (long)arg;
	for (long r = 0; r < RACES; r++) {
		work(me, rounds * r / RACES, rounds * (r + 1) / RACES);
		race();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		rounds = atol(argv[1]);
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
	pthread_t threads[THREADS];
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (long i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert(tally == THREADS * RACES);
	return 0;
}
