/*
 * A pipeline: one thread feeds a child process, another reads what comes out of it, and a third passes the results on through a
 * pipe of its own. How many are on their way is counted by two threads without a lock.
 *
 * fails: assert
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NUMBERS = 200 };

static int to_child[2], from_child[2], onward[2];
static volatile int on_the_way, most;

static void child(void)
{
	int n;
	close(to_child[1]);
	close(from_child[0]);
	while (read(to_child[0], &n, sizeof n) == sizeof n) {
		n = n * n % 1009;
		if (write(from_child[1], &n, sizeof n) != sizeof n)
			_exit(1);
	}
	_exit(0);
}

static void *feeds(void *x)
{
	for (int i = 0; i < NUMBERS; i++) {
		if (write(to_child[1], &i, sizeof i) != sizeof i)
			abort();
		on_the_way = on_the_way + 1;
		if (on_the_way > most)
			most = on_the_way;
	}
	close(to_child[1]);
	return x;
}

static void *reads(void *x)
{
	int n;
	while (read(from_child[0], &n, sizeof n) == sizeof n) {
		on_the_way = on_the_way - 1;
		if (write(onward[1], &n, sizeof n) != sizeof n)
			abort();
	}
	close(onward[1]);
	return x;
}

static void *adds(void *sum)
{
	int n;
	FILE *in = fdopen(onward[0], "r");
	while (fread(&n, sizeof n, 1, in) == 1)
		*(long *)sum += n;
	fclose(in);
	return sum;
}

int main(void)
{
	pthread_t t[3];
	long sum = 0;
	int status;
	if (pipe(to_child) || pipe(from_child) || pipe(onward))
		return 2;
	pid_t pid = fork();
	if (!pid)
		child();
	close(to_child[0]);
	close(from_child[1]);
	pthread_create(&t[0], NULL, feeds, NULL);
	pthread_create(&t[1], NULL, reads, NULL);
	pthread_create(&t[2], NULL, adds, &sum);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	waitpid(pid, &status, 0);
	printf("sum %ld, status %d, %d on the way, %d at most\n", sum, status, on_the_way, most);
	fflush(stdout);
	assert(on_the_way == 0);
	return 0;
}
