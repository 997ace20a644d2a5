# Scheme path: a thread that ends the process while others still run (thesis §3.7.1, early termination).
cat >quota.c <<'P'
/* A quota that is tested and used in two steps; who finds it exceeded ends the process, whatever the others are doing.
 * args: 
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int left = 3;
static void *user(void *p)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&mutex);
		int enough = left > 0;
		pthread_mutex_unlock(&mutex);
		sched_yield();
		pthread_mutex_lock(&mutex);
		if (enough && --left < 0)
			exit(3);
		pthread_mutex_unlock(&mutex);
	}
	return p;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, user, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
SCHEME=path proven quota.c
has err 'exit status 3'
