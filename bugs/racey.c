/*
 * racey: a stress test of deterministic replay, in which every access races.
 *
 * Two threads stir 64 shared cells without any lock. Which cell a thread reads and writes next
 * depends on the values it has read before, so a single pair of accesses that happens in another
 * order changes everything after it. The signature of the final cells stands for the order of all
 * accesses; whoever reproduces the signature has reproduced the run.
 *
 * Bad interleaving: any. The predicate calls a sixteenth of all signatures bad, as a user would
 * who has seen one of them.
 * Symptom: a signature that ends in 0.
 * Fix: the threads run one after the other, which gives the same signature each time.
 * Paper: CLAP, section 6.1 and table 1 (racey: 3 threads, MAX_LOOP 500000, 1.36 million accesses).
 *
 * fail-if: grep -q '^signature .*0$'
 * threads: 3
 * args: 1000
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, CELLS = 64 };

/* A cell fills a cache line, so that only real sharing is shared. */
static union cell {
	volatile unsigned value;
	char line[64];
} cells[CELLS];

static int max_loop = 1000;

#ifndef FIXED
static volatile int started[THREADS]; /* the threads wait for each other before they stir */
#endif

/* A one-to-one scrambling of 32 bits, so that no difference between two runs dies out. */
static unsigned scramble(unsigned v)
{
	v ^= v >> 16;
	v *= 0x7feb352du;
	v ^= v >> 15;
	v *= 0x846ca68bu;
	v ^= v >> 16;
	return v;
}

static void *stir(void *arg)
{
	int me = (int)(long)arg;
#ifndef FIXED
	started[me] = 1;
	for (int i = 0; i < THREADS; i++)
		while (!started[i])
			;
#endif
	unsigned state = (unsigned)me + 1;
	for (int i = 0; i < max_loop; i++) {
		union cell *from = &cells[state % CELLS];
		state = scramble(state + from->value);
		union cell *to = &cells[state % CELLS];
		to->value = scramble(to->value ^ state);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		max_loop = atoi(argv[1]);
	for (unsigned i = 0; i < CELLS; i++)
		cells[i].value = i;

	pthread_t threads[THREADS];
	for (long i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, stir, (void *)i);
#ifdef FIXED
		pthread_join(threads[i], NULL);
#endif
	}
#ifndef FIXED
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
#endif

	unsigned signature = 0;
	for (int i = 0; i < CELLS; i++)
		signature = scramble(signature + cells[i].value);
	printf("signature %08x\n", signature);
	return 0;
}
