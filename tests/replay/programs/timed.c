/*
 * Locks with a time limit: who gives up goes in all the same.
 *
 * fails: assert
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static long in, late, woken;

static struct timespec soon(long ns)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += ns;
	if (t.tv_nsec >= 1000000000)
		t.tv_nsec -= 1000000000, t.tv_sec++;
	return t;
}

static void *work(void *x)
{
	int me = (int)(long)x;
	for (int i = 0; i < 20; i++) {
		struct timespec until = soon(me * 1000);
		int error = pthread_mutex_timedlock(&lock, &until);
		assert(!error || error == ETIMEDOUT);
		pthread_spin_lock(&spin);
		late += error != 0;
		pthread_spin_unlock(&spin);
		long n = in;
		if (i % 3 == 0)
			sched_yield();
		in = n + 1;
		if (!error && i % 5 == 0) {
			until = soon(2000);
			woken += !pthread_cond_timedwait(&cond, &lock, &until);
		}
		pthread_cond_signal(&cond);
		if (!error)
			pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	pthread_spin_init(&spin, 0);
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%ld in, %ld late, %ld woken\n", in, late, woken);
	fflush(stdout);
	assert(in == 60);
}
