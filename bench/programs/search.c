/*
 * search THREADS THOUSANDS: each thread looks for so many keys in a table that all share and that is changed now and then, one number after
 * the other, and by halving. Prints a checksum of the places.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, MOST_THREADS = 64 };

static int *table;
static long searches;

static int first_place(const int *t, int n, int key)
{
	for (int i = 0; i < n; i++)
		if (t[i] == key)
			return i;
	return n;
}

static int lower_bound(const int *t, int n, int key)
{
	int low = 0, high = n;
	while (low < high) {
		int middle = (low + high) / 2;
		if (t[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void *searcher(void *seed)
{
	unsigned r = (unsigned)(long)seed;
	long sum = 0;
	for (long i = 0; i < searches; i++) {
		r = r * 1103515245 + 12345;
		int key = (int)(r >> 16) % N;
		sum += first_place(table, N, key) + lower_bound(table, N, key);
		if (!(i % 10000))
			table[key] = key;
	}
	return (void *)sum;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t t[MOST_THREADS];
	long sum = 0;
	searches = 1000 * (argc > 2 ? atol(argv[2]) : 200);
	if (threads < 1 || threads > MOST_THREADS || !(table = malloc(N * sizeof *table)))
		return 1;
	for (int i = 0; i < N; i++)
		table[i] = i;
	for (long i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, searcher, (void *)i))
			return 1;
	for (int i = 0; i < threads; i++) {
		void *places;
		pthread_join(t[i], &places);
		sum += (long)places;
	}
	printf("%ld\n", sum);
	free(table);
}
