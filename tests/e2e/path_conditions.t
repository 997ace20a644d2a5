# Scheme path: which signal woke which wait is inferred, also where waits time out.
cat >timed.c <<'P'
/* A queue of one place with timed waits: what times out is counted, twice at once.
 * args: 
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int full, value, taken, late;
static void *taker(void *p)
{
	int mine = 0;
	while (mine < 2) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 200000;
		if (until.tv_nsec >= 1000000000) { until.tv_nsec -= 1000000000; until.tv_sec++; }
		pthread_mutex_lock(&mutex);
		int error = 0;
		while (!full && !error)
			error = pthread_cond_timedwait(&filled, &mutex, &until);
		if (full) { full = 0; mine++; pthread_cond_signal(&emptied); }
		pthread_mutex_unlock(&mutex);
		if (error) late++;
		int t = taken;
		sched_yield();
		if (!error) taken = t + 1;
	}
	return p;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, taker, NULL);
	for (int i = 0; i < 4; i++) {
		pthread_mutex_lock(&mutex);
		while (full)
			pthread_cond_wait(&emptied, &mutex);
		full = 1;
		value = i;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&mutex);
	}
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
	assert(taken >= 4);
	printf("%d %d\n", taken, late);
}
P
SCHEME=path proven timed.c
SCHEME=path proven "$BUGS/bbuf.c"
