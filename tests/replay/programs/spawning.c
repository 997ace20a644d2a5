/*
 * A thread fails while others are still being created: those that there are not yet stay away in the replay too.
 *
 * fails: assert
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 60, TIMES = 20 };

static volatile int seen;
static int done;

static void *count(void *x)
{
	for (int i = 0; i < TIMES; i++) {
		int before = seen;
		seen = before + 1;
		int all = __atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST);
		assert(all < TIMES * THREADS / 3 || seen >= all - 2);
	}
	return x;
}

int main(void)
{
	pthread_t t[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, count, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	printf("%d of %d\n", seen, done);
	fflush(stdout);
	assert(seen == done);
}
