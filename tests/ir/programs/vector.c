/* Loops that the optimiser unrolls and vectorises, over shared and private memory. */
#include "ir.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };
int a[N], b[N];
static double d[N];

static long dot(const int *restrict x, const int *restrict y, int n)
{
	long s = 0;
	for (int i = 0; i < n; i++)
		s += (long)x[i] * y[i];
	return s;
}

static int lookup(int v)
{
	switch (v & 15) {
	case 0:
		return 3;
	case 1:
		return 17;
	case 2:
		return 4;
	case 3:
		return 99;
	case 4:
		return 5;
	case 7:
		return 1;
	case 9:
		return 42;
	default:
		return v;
	}
}

/* How far it goes depends on what it reads: no loop that counts. */
static __attribute__((noinline)) int find(const int *x, int v)
{
	int i = 0;
	while (x[i] != v)
		i++;
	return i;
}

int main(void)
{
	int n = (int)opaque(N);
	for (int i = 0; i < n; i++) {
		a[i] = i * 7 % 31;
		b[i] = lookup(i);
		d[i] = i / 3.0;
	}
	int *copy = malloc(sizeof(int) * N);
	for (int i = 0; i < n; i++)
		copy[i] = a[i] > 15 ? b[i] : -b[i];
	double sum = 0;
	for (int i = 0; i < n; i++)
		if (d[i] > 100)
			sum += d[i] * copy[i];
	char text[64] = {0};
	for (int i = 0; i < (int)opaque(63); i++)
		text[i] = (char)('a' + i % 26);
	printf("%ld %g %s\n", dot(a, copy, n), sum, text);
	for (int v = 0; v < 31; v += 4)
		printf("%d\n", find(a, (int)opaque(v)));
	free(copy);
	return 0;
}
