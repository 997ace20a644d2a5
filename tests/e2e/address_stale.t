# Addresses that were given back, or that realloc may have moved, are compared with others: whether they are the same is the allocator's affair. It is
# recorded, and where the executor or the replay goes another way, blocks lie where they lay.
cat >start.h <<'P'
#include <pthread.h>
#include <stdlib.h>
static volatile long loose;
static void *work(void *);
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	abort();
}
P
cat >freed.c <<'P'
#include "start.h"
static void *work(void *arg)
{
	void *last[4] = {0};
	for (int i = 0; i < 20; i++) {
		void *p = malloc(16 + (size_t)(i % 3) * 32);
		for (int k = 0; k < 4; k++)
			if (p == last[k] && loose >= 0)
				loose = loose + 1;
		last[i % 4] = p;
		free(p);
	}
	return arg;
}
P
cat >moved.c <<'P'
#include "start.h"
static void *work(void *arg)
{
	size_t room = 2, n = 0;
	int *a = malloc(room * sizeof *a), *middle = a;
	for (int i = 0; i < 200; i++) {
		if (n == room) {
			int *b = realloc(a, (room *= 2) * sizeof *a);
			if (b != a) { /* others lead into it */
				middle = b + (middle - a);
				loose = loose + 1;
			}
			a = b;
			if (i % 3)
				(void)!malloc(24);
		}
		a[n++] = i;
		middle = a + n / 2;
	}
	*middle = 0;
	return arg;
}
P
for p in freed moved; do
	ENGINE=solve proven $p.c
done
