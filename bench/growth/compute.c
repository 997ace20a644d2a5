/*
 * A bug that shows after a long computation: argument N is the number of millions of IR instructions that the threads
 * execute, about, before one of two increments is lost.
 *
 * fails: assert
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, CELLS = 1024 };

static volatile int tally;
static long millions = 10;

/* About 20 instructions a round. */
static unsigned compute(unsigned seed, long n)
{
	unsigned table[CELLS];
	for (unsigned i = 0; i < CELLS; i++)
		table[i] = seed + i;
	for (long i = 0; i < n; i++) {
		unsigned *cell = &table[seed % CELLS];
		seed = seed * 1664525u + 1013904223u;
		if (seed & 0x10000)
			seed ^= *cell >> 3;
		*cell = seed;
	}
	return seed;
}

static void *run(void *arg)
{
	unsigned digest = compute((unsigned)(long)arg, millions * 1000000 / 14 / THREADS);
	int seen = tally;
	for (volatile int i = 0; i < 100000; i++)
		;
	tally = seen + 1;
	return (void *)(long)digest;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		millions = atol(argv[1]);
	pthread_t threads[THREADS];
	unsigned digest = 0;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (long i = 0; i < THREADS; i++) {
		void *result;
		pthread_join(threads[i], &result);
		digest ^= (unsigned)(long)result;
	}
	printf("digest %08x\n", digest);
	assert(tally == THREADS);
	return 0;
}
