/*
 * Growth over races: argument N is the number of rounds per thread, each of which makes four racy accesses: an increment
 * of one of eight counters without a lock, and a look at what the other thread last said, which decides a branch.
 * In the end some increment is lost.
 *
 * fails: assert
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 2, COUNTERS = 8 };

static volatile long counters[COUNTERS];
static volatile long said[THREADS];
static long rounds = 1000;
static volatile long ahead[THREADS]; /* how often a thread was ahead: its own */

static void *run(void *arg)
{
	long me = (long)arg;
	for (long i = 0; i < rounds; i++) {
		if (said[1 - me] < i) /* before its own word, so that store buffers change nothing */
			ahead[me]++;
		counters[i % COUNTERS]++;
		said[me] = i;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		rounds = atol(argv[1]);
	pthread_t threads[THREADS];
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (long i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	long sum = 0;
	for (int i = 0; i < COUNTERS; i++)
		sum += counters[i];
	assert(sum == THREADS * rounds);
	return 0;
}
