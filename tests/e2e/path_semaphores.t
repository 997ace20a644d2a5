# Scheme path: which token was taken by whom is inferred, and that there was none.
cat >sem.c <<'P'
/* An account guarded by a binary semaphore, given up between reading and writing; a second semaphore counts what is done.
 * args: 
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
static sem_t guard, done;
static int balance, misses;
static void *teller(void *p)
{
	for (int i = 0; i < 3; i++) {
		int old;
		sem_wait(&guard);
		old = balance;
		sem_post(&guard);
		sched_yield();
		if (sem_trywait(&guard)) {
			__atomic_fetch_add(&misses, 1, __ATOMIC_RELAXED);
			sem_wait(&guard);
		}
		balance = old + 1;
		sem_post(&guard);
	}
	sem_post(&done);
	return p;
}
int main(void)
{
	pthread_t t[2];
	sem_init(&guard, 0, 1);
	sem_init(&done, 0, 0);
	for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, teller, NULL);
	for (int i = 0; i < 2; i++) sem_wait(&done);
	assert(balance == 6);
	printf("%d %d\n", balance, misses);
}
P
SCHEME=path proven sem.c
