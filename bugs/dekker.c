/*
 * dekker: Dekker's mutual exclusion on a machine with store buffers.
 *
 * The algorithm is right when every thread sees all accesses in one order (SC). A thread announces
 * itself and then looks whether the other one has done so; on x86 the announcement may still sit
 * in the store buffer while the look already happens.
 *
 * Bad interleaving (TSO, PSO): thread 0's store wants[0] = 1 is delayed past its load of wants[1],
 * which gives 0; thread 1 does the same the other way round; both enter, and one increment of the
 * counter is lost.
 * Symptom: the counter is too small in the end.
 * Fix: sequentially consistent atomics, for which the compiler puts a fence behind the store.
 * Paper: CLAP, section 6.1 and table 1 (dekker: two threads that enter twice: argument 2).
 *
 * fails: assert
 * model: tso
 * threads: 3
 * args: 80
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef FIXED
typedef atomic_int shared_int; /* plain uses of it are sequentially consistent */
#else
typedef volatile int shared_int; /* kept in order by the compiler, but not by the processor */
#endif

/* One cache line each, so that no thread slows down the other's look at its own flag. */
static struct {
	_Alignas(64) shared_int wants; /* to enter, or is inside */
} thread[2];
static shared_int turn; /* who may insist when both want to */
static volatile int counter;
static int entries = 80; /* per thread */

static void enter(int me)
{
	int other = 1 - me;
	thread[me].wants = 1;
	while (thread[other].wants) {
		if (turn != me) {
			thread[me].wants = 0;
			while (turn != me)
				sched_yield();
			thread[me].wants = 1;
		}
	}
}

static void leave(int me)
{
	turn = 1 - me;
	thread[me].wants = 0;
}

/* What a thread does outside of the critical section; touches nothing shared. */
static void outside(void)
{
	for (volatile int i = 0; i < 300; i++)
		;
}

static void *worker(void *arg)
{
	int me = (int)(long)arg;
	for (int i = 0; i < entries; i++) {
		enter(me);
		counter = counter + 1;
		leave(me);
		outside();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		entries = atoi(argv[1]);

	pthread_t workers[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&workers[i], NULL, worker, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(workers[i], NULL);
	assert(counter == 2 * entries);
	return 0;
}
