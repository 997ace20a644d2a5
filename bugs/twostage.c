/*
 * twostage: IBM ConTest's "two-stage access".
 *
 * A value goes through two stages, each properly locked: the worker draws the next version number
 * under the first lock, then publishes that number under the second lock. Each critical section
 * is correct; the pair is not, since the number may be old by the time it is used.
 *
 * Bad interleaving: worker A draws 7 and releases the first lock; worker B draws 8 and publishes
 * 8; A publishes 7 over it. There is no data race: every access is under its lock.
 * Symptom: the published version goes back.
 * Fix: hold the first lock until the number has been published.
 * Paper: SIMBA, table 1 (TwoStage: 16 threads, 3 shared variables); Symber, table III (274
 * accesses, which 4 rounds for each of 15 workers match).
 *
 * fails: assert
 * threads: 16
 * args: 4
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { WORKERS = 15, PREPARE = 1000 };

static pthread_mutex_t drawn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t published_lock = PTHREAD_MUTEX_INITIALIZER;
static int drawn;     /* the last version number handed out; under drawn_lock */
static int published; /* the newest version anyone can see; under published_lock */
static int finished;  /* workers that are done; under published_lock */
static int rounds = 4;

/* Stage one. In the fixed program the caller still holds drawn_lock afterwards. */
static int draw_version(void)
{
	pthread_mutex_lock(&drawn_lock);
	int version = ++drawn;
#ifndef FIXED
	pthread_mutex_unlock(&drawn_lock);
#endif
	return version;
}

/* What a worker does with its number before others see it; touches nothing shared. */
static void prepare(void)
{
	for (volatile int i = 0; i < PREPARE; i++)
		;
}

/* Stage two. */
static void publish(int version)
{
	pthread_mutex_lock(&published_lock);
	assert(published < version && "an older version replaces a newer one");
	published = version;
	pthread_mutex_unlock(&published_lock);
#ifdef FIXED
	pthread_mutex_unlock(&drawn_lock);
#endif
}

static void *worker(void *unused)
{
	for (int i = 0; i < rounds; i++) {
		int version = draw_version();
		prepare();
		publish(version);
	}
	pthread_mutex_lock(&published_lock);
	finished++;
	pthread_mutex_unlock(&published_lock);
	return unused;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		rounds = atoi(argv[1]);

	pthread_t workers[WORKERS];
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, worker, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);

	assert(finished == WORKERS);
	assert(published == drawn);
	return 0;
}
