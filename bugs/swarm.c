/*
 * swarm: a parallel merge sort whose phase hand-over lacks a barrier.
 *
 * All workers run the same program on their part of a shared array: sort the part in private
 * memory, put it back, and merge. The last worker merges its own part with its partner's. Between
 * the phases belongs a barrier.
 *
 * Bad interleaving: worker 1, started last and so usually last to finish, has sorted its part;
 * worker 0 was held up and has not put its part back; worker 1 merges what is still unsorted.
 * Symptom: the output is not in order.
 * Fix: the barrier.
 * Paper: CLAP, section 6 and table 1 (swarm: 3 threads, 1265 accesses).
 *
 * fail-if: ! sort -n -c 2>/dev/null
 * threads: 3
 * args: 400
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 2 };

static int size = 400;
static int *keys;   /* the input, then the sorted parts */
static int *merged; /* the output */

#ifdef FIXED
static pthread_barrier_t parts_sorted;
#endif

/* Sorts key[0 .. n-1]. */
static void quicksort(int *key, int n)
{
	if (n < 2)
		return;
	int pivot = key[n / 2], i = 0, j = n - 1;
	while (i <= j) {
		while (key[i] < pivot)
			i++;
		while (key[j] > pivot)
			j--;
		if (i <= j) {
			int swap = key[i];
			key[i++] = key[j];
			key[j--] = swap;
		}
	}
	quicksort(key, j + 1);
	quicksort(key + i, n - i);
}

static void sort_part(int *part, int n)
{
	int *own = malloc((size_t)n * sizeof *own);
	memcpy(own, part, (size_t)n * sizeof *own);
	quicksort(own, n);
	memcpy(part, own, (size_t)n * sizeof *own);
	free(own);
}

static void merge_parts(const int *left, int nleft, const int *right, int nright, int *out)
{
	int l = 0, r = 0;
	while (l < nleft || r < nright) {
		if (r == nright || (l < nleft && left[l] <= right[r]))
			*out++ = left[l++];
		else
			*out++ = right[r++];
	}
}

static void *worker(void *arg)
{
	int id = (int)(long)arg;
	int half = size / WORKERS;
	if (id == 0)
		sort_part(keys, half);
	else
		sort_part(keys + half, size - half);
#ifdef FIXED
	pthread_barrier_wait(&parts_sorted);
#endif
	if (id == WORKERS - 1)
		merge_parts(keys, half, keys + half, size - half, merged);
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		size = atoi(argv[1]);
	keys = malloc((size_t)size * sizeof *keys);
	merged = malloc((size_t)size * sizeof *merged);
	unsigned random = 12345;
	for (int i = 0; i < size; i++) {
		random = random * 1103515245u + 12345u;
		keys[i] = (int)(random >> 16) % 10000;
	}
#ifdef FIXED
	pthread_barrier_init(&parts_sorted, NULL, WORKERS);
#endif

	pthread_t workers[WORKERS];
	for (long i = 0; i < WORKERS; i++)
		pthread_create(&workers[i], NULL, worker, (void *)i);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);

	for (int i = 0; i < size; i++)
		printf("%d\n", merged[i]);
	free(keys);
	free(merged);
	return 0;
}
