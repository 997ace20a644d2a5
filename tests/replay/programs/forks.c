/*
 * Threads that fork children and hear of them by a pipe and waitpid.
 *
 * fails: assert
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long sum;

static void *parent(void *x)
{
	int me = (int)(long)x;
	for (int i = 0; i < 4; i++) {
		int p[2], status, from_child = 0;
		assert(!pipe(p));
		pid_t child = fork();
		if (!child) {
			int n = me * 10 + i;
			_exit(write(p[1], &n, sizeof n) == sizeof n ? i : 99);
		}
		close(p[1]);
		assert(read(p[0], &from_child, sizeof from_child) == sizeof from_child);
		close(p[0]);
		assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == i);
		long s = sum;
		sched_yield();
		sum = s + from_child;
		printf("thread %d: child said %d\n", me, from_child);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, parent, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("sum %ld\n", sum);
	fflush(stdout);
	assert(sum == 132);
}
