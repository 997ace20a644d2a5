# Scheme rw: a piece of memory larger than what the C library sorts without allocating is copied and given back.
cat >p.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { SIZE = 200000 };
static char *shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *x)
{
	for (int i = 0; i < 20; i++) {
		char *copy = malloc(SIZE);
		pthread_mutex_lock(&m);
		memcpy(copy, shared, SIZE);
		copy[i] += 1;
		memcpy(shared, copy, SIZE);
		pthread_mutex_unlock(&m);
		free(copy);
	}
	return x;
}
int main(void)
{
	pthread_t t[2];
	shared = calloc(1, SIZE);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", shared[7]);
	free(shared);
	return 3;
}
P
rethread cc -O1 -g -pthread p.c -o p
status 3 rethread record --scheme rw --timeout 60 -- ./p >out 2>err
same "$(cat out)" 2
