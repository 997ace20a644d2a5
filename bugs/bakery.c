/*
 * bakery: Lamport's bakery algorithm on a machine with store buffers.
 *
 * Whoever wants to enter draws a number larger than all others' and waits until no one with a
 * smaller one is left. Right under SC; with store buffers a thread can look at the others' numbers
 * before they can see its own.
 *
 * Bad interleaving (TSO, PSO): thread A's stores choosing[A] = 1 and number[A] = 1 are still in
 * its store buffer when it has found that nobody else has a number; thread B, whose stores are
 * buffered as well, finds the same; both enter, and one increment of the counter is lost.
 * Symptom: the counter is too small in the end.
 * Fix: sequentially consistent atomics, for which the compiler puts a fence behind each store.
 * Paper: CLAP, section 6.1 and table 1 (bakery: four workers that enter once: argument 1).
 *
 * fails: assert
 * model: tso
 * threads: 5
 * args: 100
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { WORKERS = 4 };

#ifdef FIXED
typedef atomic_int shared_int; /* plain uses of it are sequentially consistent */
#else
typedef volatile int shared_int; /* kept in order by the compiler, but not by the processor */
#endif

/* One cache line each, so that no worker slows down the others' look at their own. */
static struct {
	_Alignas(64) shared_int choosing; /* is drawing a number */
	shared_int number;                /* 0 when not interested */
} customer[WORKERS];
static volatile int counter;
static int entries = 100; /* per worker */

static bool goes_before(int other, int me)
{
	int theirs = customer[other].number, mine = customer[me].number;
	return theirs != 0 && (theirs < mine || (theirs == mine && other < me));
}

static void enter(int me)
{
	customer[me].choosing = 1;
	int largest = 0;
	for (int i = 0; i < WORKERS; i++) {
		int drawn = customer[i].number;
		if (drawn > largest)
			largest = drawn;
	}
	customer[me].number = largest + 1;
	customer[me].choosing = 0;

	for (int i = 0; i < WORKERS; i++) {
		while (customer[i].choosing)
			sched_yield();
		while (goes_before(i, me))
			sched_yield();
	}
}

static void leave(int me)
{
	customer[me].number = 0;
}

/* What a worker does outside of the critical section; touches nothing shared. */
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

	pthread_t workers[WORKERS];
	for (long i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, worker, (void *)i);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	assert(counter == WORKERS * entries);
	return 0;
}
