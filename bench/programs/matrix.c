/*
 * matrix THREADS SIZE ROUNDS: heat spreads over a plate, threads have rows each and meet at a barrier after each round. Little
 * branching, much arithmetic. Prints a checksum.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long nthreads, size, rounds;
static double *now, *next;
static pthread_barrier_t meet;

static void step(long from, long to)
{
	for (long y = from; y < to; y++)
		for (long x = 1; x < size - 1; x++)
			next[y * size + x] = 0.25 * (now[y * size + x - 1] + now[y * size + x + 1] +
						     now[(y - 1) * size + x] + now[(y + 1) * size + x]);
}

static void *work(void *number)
{
	long i = (long)number, rows = size - 2;
	for (long r = 0; r < rounds; r++) {
		step(1 + rows * i / nthreads, 1 + rows * (i + 1) / nthreads);
		if (pthread_barrier_wait(&meet) == PTHREAD_BARRIER_SERIAL_THREAD) {
			double *t = now;
			now = next;
			next = t;
		}
		pthread_barrier_wait(&meet);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	nthreads = atol(argv[1]), size = atol(argv[2]), rounds = atol(argv[3]);
	now = calloc((size_t)(size * size), sizeof *now);
	next = calloc((size_t)(size * size), sizeof *next);
	for (long i = 0; i < size; i++)
		now[i] = next[i] = (double)(i % 17);
	pthread_t threads[64];
	pthread_barrier_init(&meet, NULL, (unsigned)nthreads);
	for (long i = 0; i < nthreads; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (long i = 0; i < nthreads; i++)
		pthread_join(threads[i], NULL);
	double sum = 0;
	for (long i = 0; i < size * size; i++)
		sum += now[i];
	printf("%.6f\n", sum);
	return 0;
}
