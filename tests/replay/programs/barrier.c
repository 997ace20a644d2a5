/*
 * Phases between barriers, where the thread that the barrier names clears what others still read.
 *
 * fails: assert
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define THREADS 3
#define PHASES 8
static pthread_barrier_t barrier;
static int part[THREADS], sum, serial[PHASES], wrong;

static void *work(void *x)
{
	int me = (int)(long)x;
	for (int p = 0; p < PHASES; p++) {
		part[me] = p + me;
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
			serial[p] = me;
			sum = 0; /* the others may be adding already */
		} else if (p % 2) {
			sched_yield();
		}
		for (int i = 0; i < THREADS; i++)
			__atomic_fetch_add(&sum, part[i], __ATOMIC_SEQ_CST);
		pthread_barrier_wait(&barrier);
		if (me == 0 && sum != THREADS * (THREADS * p + THREADS))
			wrong++;
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int p = 0; p < PHASES; p++)
		printf("phase %d: thread %d cleared\n", p, serial[p]);
	fflush(stdout);
	assert(!wrong);
}
