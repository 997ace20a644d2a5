/*
 * Detached threads that create more of them; main looks at their account when it has counted enough of them out.
 *
 * fails: assert
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define ALL 7
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static int out;
static volatile long account;

static void *work(void *x);

static void start(long depth)
{
	pthread_attr_t attr;
	pthread_t t;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	long *d = malloc(sizeof *d);
	*d = depth;
	assert(!pthread_create(&t, &attr, work, d));
	pthread_attr_destroy(&attr);
}

static void *work(void *x)
{
	long depth = *(long *)x;
	free(x);
	for (int i = 0; depth && i < 2; i++)
		start(depth - 1);
	for (int i = 0; i < 20; i++) {
		long a = account;
		if (i % 6 == depth)
			sched_yield();
		account = a + 1;
	}
	pthread_mutex_lock(&lock);
	out++;
	printf("one of depth %ld is out: %d, account %ld\n", depth, out, account);
	pthread_cond_signal(&over);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	start(2);
	pthread_mutex_lock(&lock);
	while (out < ALL)
		pthread_cond_wait(&over, &lock);
	pthread_mutex_unlock(&lock);
	printf("account %ld\n", account);
	fflush(stdout);
	assert(account == 20 * ALL);
}
