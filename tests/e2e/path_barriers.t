# Scheme path: barriers, also one that more threads use than it is for.
cat >barrier.c <<'P'
/* Phases with a barrier between them; in the second one the sum is added up without a lock.
 * args: 
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
enum { N = 3 };
static pthread_barrier_t barrier;
static int part[N], sum, serial;
static void *worker(void *p)
{
	int me = (int)(long)p;
	for (int round = 0; round < 2; round++) {
		part[me] = me + round;
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) serial++;
		int next = part[(me + 1) % N];
		int old = sum;
		sched_yield();
		sum = old + next;
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[N];
	pthread_barrier_init(&barrier, NULL, N);
	for (int i = 0; i < N; i++) pthread_create(&t[i], NULL, worker, (void *)(long)i);
	for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
	assert(serial == 2);
	assert(sum == 9);
	printf("%d\n", sum);
}
P
SCHEME=path proven barrier.c
cat >pairs.c <<'P'
/* Four threads meet in pairs at one barrier for two; each pair adds without a lock.
 * args: 
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
enum { N = 4 };
static pthread_barrier_t barrier;
static int sum;
static void *worker(void *p)
{
	pthread_barrier_wait(&barrier);
	int old = sum;
	sched_yield();
	sum = old + 1;
	pthread_barrier_wait(&barrier);
	return p;
}
int main(void)
{
	pthread_t t[N];
	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < N; i++) pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
	assert(sum == N);
	printf("%d\n", sum);
}
P
SCHEME=path proven pairs.c
