/*
 * sort THREADS THOUSANDS: sorts numbers by quicksort; parts that are still to be done are on a stack that all threads share.
 * Prints a checksum, and fails when the result is not in order.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SMALL = 1 << 12, DEPTH = 4096 };

struct part {
	uint32_t *at;
	size_t n;
};
static struct part stack[DEPTH];
static int depth, busy;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t t = *a;
	*a = *b;
	*b = t;
}

static size_t divide(uint32_t *a, size_t n)
{
	uint32_t middle = a[n / 2];
	size_t i = 0, k = n - 1;
	for (;;) {
		while (a[i] < middle)
			i++;
		while (a[k] > middle)
			k--;
		if (i >= k)
			return k + 1;
		swap(&a[i++], &a[k--]);
	}
}

static void sort(uint32_t *a, size_t n)
{
	while (n > 16) {
		size_t left = divide(a, n);
		sort(a, left);
		a += left;
		n -= left;
	}
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k && a[k] < a[k - 1]; k--)
			swap(&a[k], &a[k - 1]);
}

static void push(struct part p)
{
	pthread_mutex_lock(&mutex);
	stack[depth++] = p;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&mutex);
}

/* False when all is done. */
static int take(struct part *p)
{
	pthread_mutex_lock(&mutex);
	while (!depth && busy)
		pthread_cond_wait(&changed, &mutex);
	int got = depth > 0;
	if (got) {
		*p = stack[--depth];
		busy++;
	}
	pthread_mutex_unlock(&mutex);
	return got;
}

static void done(void)
{
	pthread_mutex_lock(&mutex);
	if (!--busy)
		pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
}

static void *work(void *unused)
{
	struct part p;
	while (take(&p)) {
		while (p.n > SMALL) {
			size_t left = divide(p.at, p.n);
			push((struct part){p.at, left});
			p.at += left;
			p.n -= left;
		}
		sort(p.at, p.n);
		done();
	}
	return unused;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	long n = atol(argv[1]);
	size_t size = (size_t)atol(argv[2]) * 1000;
	uint32_t *numbers = malloc(size * sizeof *numbers), random = 1, sum = 0;
	pthread_t threads[64];
	for (size_t i = 0; i < size; i++)
		numbers[i] = (random = random * 1664525 + 1013904223) >> 3;
	push((struct part){numbers, size});
	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < size; i++) {
		if (i && numbers[i] < numbers[i - 1])
			return 1;
		sum = sum * 31 + numbers[i];
	}
	printf("%u\n", sum);
	return 0;
}
