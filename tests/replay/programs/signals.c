/*
 * A signal handler adds to what its thread is adding to; a timer and other threads send the signals.
 *
 * fails: assert
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile long total, handled, sent;
static volatile int running = 2;

static void handler(int s)
{
	total = total + 1;
	handled = handled + 1;
	(void)s;
}

static void *work(void *x)
{
	for (int i = 0; i < 3000; i++) {
		long t = total;
		if (i % 500 == 7)
			sched_yield();
		total = t + 1;
	}
	__atomic_fetch_sub(&running, 1, __ATOMIC_SEQ_CST);
	return x;
}

int main(void)
{
	pthread_t t[2];
	struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};
	sigaction(SIGUSR1, &a, NULL);
	sigaction(SIGALRM, &a, NULL);
	struct itimerval every = {{0, 500}, {0, 500}}, off = {{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 6 && running; i++) {
		sent += !pthread_kill(t[i % 2], SIGUSR1);
		sched_yield();
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	setitimer(ITIMER_REAL, &off, NULL);
	printf("%ld, %ld handled\n", total, handled);
	fflush(stdout);
	assert(total == 6000 + handled);
}
