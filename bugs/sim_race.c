/*
 * sim_race: the smallest racy program.
 *
 * Four workers each increase both halves of a shared pair; the halves are to stay equal. Nothing
 * makes the two increments one step, nor even one of them.
 *
 * Bad interleaving: worker A reads `first`; worker B reads and writes `first`; A writes `first`:
 * one increment of `first` is lost, while both increments of `second` arrive.
 * Symptom: at the end the halves differ.
 * Fix: one lock around the update of the pair.
 * Paper: CLAP, section 6 and table 1 (sim_race: 5 threads, 2 shared variables, 23 accesses).
 *
 * fails: assert
 * threads: 5
 * args: 1
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { WORKERS = 4, STEPS = 3000 };

static volatile int first, second; /* equal whenever no update is under way */
static int updates = 1;            /* per worker */

#ifdef FIXED
static pthread_mutex_t pair_lock = PTHREAD_MUTEX_INITIALIZER;
#endif

/* The value after `value`, found the slow way; touches nothing shared. */
static int successor(int value)
{
	volatile int odd = 0;
	for (int i = 0; i < STEPS; i++)
		odd += i & 1;
	return value + odd - STEPS / 2 + 1;
}

static void *worker(void *unused)
{
	for (int i = 0; i < updates; i++) {
#ifdef FIXED
		pthread_mutex_lock(&pair_lock);
#endif
		int seen = first;
		first = successor(seen);
		second = second + 1;
#ifdef FIXED
		pthread_mutex_unlock(&pair_lock);
#endif
	}
	return unused;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		updates = atoi(argv[1]);

	pthread_t workers[WORKERS];
	for (int i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, worker, NULL);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);

	assert(first == second);
	return 0;
}
