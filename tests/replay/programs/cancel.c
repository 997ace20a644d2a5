/*
 * Threads are cancelled while they wait, hold a lock, or print; their clean-up counts without one.
 *
 * fails: assert
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static volatile long begun, cleaned;

static void clean(void *x)
{
	long c = cleaned;
	sched_yield();
	cleaned = c + 1;
	if (x)
		pthread_mutex_unlock(x);
}

static void *waits(void *x)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(clean, &lock);
	begun++;
	for (;;)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(0);
	return x;
}

static void *spins(void *x)
{
	pthread_cleanup_push(clean, NULL);
	__atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
	for (;;)
		pthread_testcancel();
	pthread_cleanup_pop(0);
	return x;
}

int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i % 2 ? waits : spins, NULL);
	while (begun < 4)
		sched_yield();
	for (int i = 0; i < 4; i++)
		pthread_cancel(t[i]);
	for (int i = 0; i < 4; i++) {
		void *result;
		pthread_join(t[i], &result);
		printf("thread %d: %s\n", i, result == PTHREAD_CANCELED ? "cancelled" : "ended");
	}
	printf("%ld cleaned\n", cleaned);
	fflush(stdout);
	assert(cleaned == 4);
}
