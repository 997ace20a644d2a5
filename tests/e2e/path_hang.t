# Scheme path: a wait that nobody ends, and a deadlock.
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
SCHEME=path LIMIT=2 proven missed.c
SCHEME=path proven "$BUGS/mysql_deadlock.c"
