/*
 * Thread-local counts that are added up, without a lock, when their threads end: keys with destructors.
 *
 * fails: assert
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_key_t key;
static __thread int mine;
static long total, threads;

static void add_up(void *p)
{
	long *count = p, t = total;
	sched_yield();
	total = t + *count;
	threads++;
	free(count);
}

static void *work(void *x)
{
	long *count = calloc(1, sizeof *count);
	pthread_setspecific(key, count);
	for (int i = 0; i < 100 + (int)(long)x; i++) {
		mine++;
		++*(long *)pthread_getspecific(key);
	}
	if ((long)x % 2)
		pthread_exit(NULL);
	printf("thread %ld counted %d\n", (long)x, mine);
	return NULL;
}

int main(void)
{
	pthread_t t[4];
	pthread_key_create(&key, add_up);
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%ld of 406 by %ld threads\n", total, threads);
	fflush(stdout);
	assert(total == 406);
}
