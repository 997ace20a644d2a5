/* Branches of all kinds in two threads and recursion; every arm leaves a mark. */
#include "ir.h"

#include <pthread.h>
#include <stdio.h>

static int fib(int n)
{
	if (n < 2) {
		mark(1);
		return n;
	}
	mark(2);
	return fib(n - 1) + fib(n - 2);
}

static void nested(int n)
{
	for (int i = 0; i < n; i++) {
		for (int k = i; k--;) {
			if ((i ^ k) & 1 && opaque(k) > 2)
				mark(10);
			else if (k == 3 || i == 5)
				mark(11);
		}
		do
			mark(12);
		while (opaque(i) > 100);
	}
}

static int choose(long v)
{
	return v > 3 ? (mark(20), 5) : v < -3 ? (mark(21), 6) : (mark(22), 7);
}

void *worker(void *arg)
{
	ir_thread_start("worker");
	long n = (long)arg;
	for (long i = 0; i < n; i++) {
		if (opaque(i) % 3 == 0)
			mark(30);
		if (i % 7 == 0)
			nested((int)i % 5);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, (void *)(opaque(i) * 20 + 17));
	int sum = fib((int)opaque(12));
	nested((int)opaque(9));
	for (long i = -6; i < 7; i++)
		sum += choose(opaque(i));
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", sum);
	mark(99);
	return 0;
}
