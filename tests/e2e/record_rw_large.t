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
# What it costs does not grow with the size: a few entries for each copy, not one for each word of it.
entries=$(rethread info | sed -n 's/^order  *\([0-9]*\) entries.*/\1/p')
[ "$entries" -lt 5000 ] || fail "$entries entries"
rethread reproduce >out 2>&1 || fail "$(cat out)"
rethread replay -n 3 >out 2>err
has out '^reproduced 3/3$'
