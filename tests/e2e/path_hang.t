# Scheme path: a wait that nobody ends, a deadlock, and one that comes after long work.
cat >missed.c <<'P'
/* A flag that is set and signalled without the mutex: the signal comes between the test and the wait, and is lost.
 * args: 
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static volatile int ready;
static void *setter(void *p)
{
	ready = 1;
	pthread_cond_signal(&cond);
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, setter, NULL);
	pthread_mutex_lock(&mutex);
	while (!ready) {
		sched_yield();
		pthread_cond_wait(&cond, &mutex);
	}
	pthread_mutex_unlock(&mutex);
	pthread_join(t, NULL);
	printf("done\n");
}
P
cat >late.c <<'P'
/* The consumer works for long between what it takes: long after the executor has the producer at its last wait.
 * args: 
 */
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room = PTHREAD_COND_INITIALIZER, work = PTHREAD_COND_INITIALIZER;
static int count;
static void *consumes(void *p)
{
	for (;;) {
		pthread_mutex_lock(&mutex);
		while (!count)
			pthread_cond_wait(&work, &mutex);
		count--;
		pthread_cond_signal(&room);
		pthread_mutex_unlock(&mutex);
		for (volatile int i = 0; i < 200000; i++) {
		}
		pthread_mutex_lock(&other); /* deadlock: held by who waits for room */
		pthread_mutex_unlock(&other);
	}
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, consumes, NULL);
	for (int i = 0; i < 20; i++) {
		if (i > 5)
			pthread_mutex_lock(&other);
		pthread_mutex_lock(&mutex);
		while (count == 2)
			pthread_cond_wait(&room, &mutex);
		count++;
		pthread_cond_signal(&work);
		pthread_mutex_unlock(&mutex);
		if (i > 5)
			pthread_mutex_unlock(&other);
	}
	return 0;
}
P
SCHEME=path LIMIT=2 proven missed.c
FLAGS=-O0 SCHEME=path LIMIT=1 proven late.c
SCHEME=path proven "$BUGS/mysql_deadlock.c"
