# Threads that wait for ever at what has no owner: seen at once. Who can still be woken is left alone.
cat >p.c <<'P'
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static sem_t a, b, *shared;
static pthread_barrier_t both;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *other(void *p)
{
	sem_wait(&b);
	pthread_barrier_wait(&both);
	sem_wait(&a);
	return p;
}
static void *naps(void *p)
{
	usleep(400000);
	sem_post(&a);
	return p;
}
static void *waits(void *p)
{
	pthread_mutex_lock(&m);
	pthread_cond_wait(&c, &m);
	return p;
}
static void posts(int sig) { (void)sig; sem_post(&a); }
int main(int argc, char **argv)
{
	const char *how = argv[argc - 1];
	pthread_t t;
	sem_init(&a, 0, 1);
	sem_init(&b, 0, 1);
	pthread_barrier_init(&both, NULL, 2);
	if (!strcmp(how, "semaphores")) {
		pthread_create(&t, NULL, other, NULL);
		sem_wait(&a);
		pthread_barrier_wait(&both);
		sem_wait(&b);
	}
	if (!strcmp(how, "signal")) { /* nobody signals; and the main thread is over */
		pthread_create(&t, NULL, waits, NULL);
		pthread_exit(NULL);
	}
	sem_wait(&a);
	if (!strcmp(how, "thread")) {
		pthread_create(&t, NULL, naps, NULL);
		sem_wait(&a);
		pthread_join(t, NULL);
	}
	if (!strcmp(how, "handler")) {
		signal(SIGUSR1, posts);
		if (fork() == 0) {
			usleep(400000);
			kill(getppid(), SIGUSR1);
			_exit(0);
		}
		while (sem_wait(&a))
			;
		wait(NULL);
	}
	if (!strcmp(how, "process")) {
		shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		sem_init(shared, 1, 0);
		if (fork() == 0) {
			usleep(400000);
			sem_post(shared);
			_exit(0);
		}
		sem_wait(shared);
		wait(NULL);
	}
	return 0;
}
P
rethread cc -O1 -g p.c -o p -pthread
for how in semaphores signal; do
	status 124 timeout 20 rethread record -o $how ./p $how 2>err
	has err 'timeout: all threads wait, and none is left that could wake one'
	rethread reproduce --budget 20 $how >out 2>&1 || fail "not reproduced: $(cat out)"
done
for how in thread handler process; do
	rethread record -o $how ./p $how 2>err || fail "$how: $(cat err)"
	has err 'no failure'
done
