/*
 * A bounded queue by semaphores whose mutual exclusion lets two in.
 *
 * fails: assert
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

#define N 40
static sem_t mutex, items, room;
static int queue[4], head, tail;
static long sum, polls;

static void *produce(void *x)
{
	int me = (int)(long)x;
	for (int i = 1; i <= N; i++) {
		sem_wait(&room);
		sem_wait(&mutex);
		int t = tail;
		queue[t % 4] = me * 100 + i;
		if (i % 5 == 0)
			sched_yield();
		tail = t + 1;
		sem_post(&mutex);
		sem_post(&items);
	}
	return NULL;
}

static void *consume(void *x)
{
	for (int i = 0; i < 2 * N; i++) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec = until.tv_nsec / 2;
		while (sem_timedwait(&items, &until) && errno == ETIMEDOUT) {
			polls++;
			sched_yield();
			clock_gettime(CLOCK_REALTIME, &until);
			until.tv_sec += polls > 20;
		}
		sum += queue[head++ % 4];
		sem_post(&room);
	}
	return x;
}

int main(void)
{
	pthread_t p[2], c;
	sem_init(&mutex, 0, 2); /* should be 1 */
	sem_init(&items, 0, 0);
	sem_init(&room, 0, 4);
	pthread_create(&c, NULL, consume, NULL);
	for (long i = 0; i < 2; i++)
		pthread_create(&p[i], NULL, produce, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(p[i], NULL);
	pthread_join(c, NULL);
	printf("%d in, %d out, sum %ld, %ld polls\n", tail, head, sum, polls);
	fflush(stdout);
	assert(tail == 2 * N && sum == 2 * (N * (N + 1) / 2) + 300 * N);
}
