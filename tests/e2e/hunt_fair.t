# Hunt: a thread that tries for a lock, and counts how often, waits for whoever has it. It had the turn for ever before, and the run "hung".
cat >p.c <<'P'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int tries, sum;
static void *add(void *p)
{
	for (int i = 0; i < 5; i++) {
		while (pthread_mutex_trylock(&lock))
			tries++;
		sum++;
		pthread_mutex_unlock(&lock);
	}
	return p;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return sum != 15;
}
P
rethread cc -O2 -g -pthread -o p p.c
rethread hunt --runs 100 --timeout 4 ./p 2>err || fail "$(cat err)"
has err 'no failure in 100 runs'

# Waits with a time limit end while another thread looks again and again and sleeps in between: they did when all slept for ever only.
cat >alarm.c <<'P'
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t none;
static int rang;
static struct timespec soon(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 5000000;
	return t.tv_nsec < 1000000000 ? t : (struct timespec){t.tv_sec + 1, t.tv_nsec - 1000000000};
}
static void *ring(void *p)
{
	struct timespec until = soon();
	sem_timedwait(&none, &until);
	pthread_mutex_lock(&lock);
	until = soon();
	pthread_cond_timedwait(&never, &lock, &until);
	rang = 1;
	pthread_mutex_unlock(&lock);
	return p;
}
int main(void)
{
	pthread_t t;
	sem_init(&none, 0, 0);
	pthread_create(&t, 0, ring, 0);
	for (int i = 0; i < 2000; i++) {
		pthread_mutex_lock(&lock);
		int done = rang;
		pthread_mutex_unlock(&lock);
		if (done)
			return pthread_join(t, 0);
		usleep(1000);
	}
	return 1;
}
P
rethread cc -O2 -g -pthread -o alarm alarm.c
rethread hunt --runs 20 ./alarm 2>err || fail "$(cat err)"
has err 'no failure in 20 runs'
