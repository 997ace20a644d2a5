/*
 * symber_fig4: the worked example of the Symber paper, with its line numbers.
 *
 * Thread 1 increments x under the lock and then, without it, computes y from x. Thread 2 sets x
 * to 3 under the lock and then, again without it, adds one: 3 is a value that only thread 2
 * should ever see, the next one being 4.
 *
 *     Thread 1              Thread 2
 *        lock()                lock()
 *     1:   x++              3:   x = 3
 *        unlock()              unlock()
 *     2: y = x + 2          4: x = x + 1
 *
 * When thread 1 takes the lock first, as the arrows of the figure say, x ends as 4 and y as 3, 5
 * or 6: the three solutions that remain when the lock order is known. Without it there are
 * twelve. The assertion excludes y == 5, one of the three, which thread 2 first never gives.
 *
 * Bad interleaving: 1 - 3 - 2 - 4. Thread 1 reads x at line 2 between lines 3 and 4.
 * Symptom: y is 5.
 * Fix: each thread keeps the lock for both of its lines.
 * Paper: Symber, figures 4 and 5.
 *
 * fails: assert
 * threads: 3
 * args: 20000
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

/* Work of thread 1 before it takes the lock, about as long as creating thread 2 takes. */
static int head_start = 20000;

static void *thread_1(void *unused)
{
	for (volatile int i = 0; i < head_start; i++)
		;
	pthread_mutex_lock(&lock);
	x++; /* 1 */
#ifndef FIXED
	pthread_mutex_unlock(&lock);
#endif
	y = x + 2; /* 2 */
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return unused;
}

static void *thread_2(void *unused)
{
	pthread_mutex_lock(&lock);
	x = 3; /* 3 */
#ifndef FIXED
	pthread_mutex_unlock(&lock);
#endif
	x = x + 1; /* 4 */
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return unused;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		head_start = atoi(argv[1]);

	pthread_t t1, t2;
	pthread_create(&t1, NULL, thread_1, NULL);
	pthread_create(&t2, NULL, thread_2, NULL);
	pthread_join(t1, NULL);
	pthread_join(t2, NULL);

	assert(y != 5 && "y was computed from thread 2's intermediate x");
	return 0;
}
