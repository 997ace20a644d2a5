/*
 * longjmp out of a critical section, past its unlock; whoever is locked out goes on without the lock.
 *
 * fails: assert
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread jmp_buf out;
static long in, jumped, refused;

static void deep(int n)
{
	if (n > 3)
		longjmp(out, n);
	if (n)
		deep(n + 1);
}

static void *work(void *x)
{
	int me = (int)(long)x;
	for (int i = 0; i < 25; i++) {
		int locked = !pthread_mutex_trylock(&lock);
		if (!locked)
			__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
		if (setjmp(out)) {
			__atomic_fetch_add(&jumped, 1, __ATOMIC_RELAXED);
		} else {
			long n = in;
			if (i % 4 == me)
				sched_yield();
			in = n + 1;
			deep(i % 6 == 5);
		}
		if (locked)
			pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%ld in, %ld jumped, %ld refused\n", in, jumped, refused);
	fflush(stdout);
	assert(in == 75);
}
