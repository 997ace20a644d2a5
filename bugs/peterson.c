/*
 * peterson: Peterson's mutual exclusion on a machine with store buffers.
 *
 * As with dekker.c, the algorithm needs SC: a thread announces itself, gives the other one the
 * right of way, and then looks whether the other one wants to enter.
 *
 * Bad interleaving (TSO, PSO): the stores wants[me] = 1 and turn = other sit in both threads'
 * store buffers while both load wants[other], get 0, and enter; one increment is lost.
 * Symptom: the counter is too small in the end.
 * Fix: sequentially consistent atomics, for which the compiler puts a fence behind the store.
 * Paper: CLAP, section 6.1 and table 1 (peterson: two threads that enter twice: argument 2).
 *
 * fails: assert
 * model: tso
 * threads: 3
 * args: 60
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
static shared_int turn; /* who goes first when both want to */
static volatile int counter;
static int entries = 60; /* per thread */

static void enter(int me)
{
	int other = 1 - me;
	thread[me].wants = 1;
	turn = other;
	while (thread[other].wants && turn == other)
		sched_yield();
}

static void leave(int me)
{
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
