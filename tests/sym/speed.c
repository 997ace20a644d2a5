/* What tests/sym/speed measures: integer loops, memory, calls, floating point; about 10^8 instructions. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t table[256];

__attribute__((noinline)) static uint32_t crc(const uint8_t *p, size_t n)
{
	uint32_t c = ~0u;
	while (n--)
		c = table[(c ^ *p++) & 255] ^ (c >> 8);
	return ~c;
}

__attribute__((noinline)) static int sieve(uint8_t *s, int n)
{
	int count = 0;
	memset(s, 1, (size_t)n);
	for (int i = 2; i < n; i++)
		if (s[i]) {
			count++;
			for (int j = 2 * i; j < n; j += i)
				s[j] = 0;
		}
	return count;
}

__attribute__((noinline)) static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__attribute__((noinline)) static double matrix(int n)
{
	double *a = malloc(sizeof *a * (size_t)(n * n)), *b = malloc(sizeof *b * (size_t)(n * n)), s = 0;
	for (int i = 0; i < n * n; i++)
		a[i] = i % 13, b[i] = i % 7;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double d = 0;
			for (int k = 0; k < n; k++)
				d += a[i * n + k] * b[k * n + j];
			s += d;
		}
	free(a);
	free(b);
	return s;
}

__attribute__((noinline)) static void sort(int *a, int n)
{
	for (int i = 1; i < n; i++) {
		int v = a[i], j = i;
		for (; j > 0 && a[j - 1] > v; j--)
			a[j] = a[j - 1];
		a[j] = v;
	}
}

struct node { struct node *next; long value; };

__attribute__((noinline)) static long list(int n)
{
	struct node *head = NULL;
	long s = 0;
	for (int i = 0; i < n; i++) {
		struct node *x = malloc(sizeof *x);
		x->next = head;
		x->value = i;
		head = x;
	}
	for (int k = 0; k < 20; k++)
		for (struct node *x = head; x; x = x->next)
			s += x->value ^ k;
	return s;
}

int main(int argc, char **argv)
{
	enum { N = 400000 };
	static uint8_t s[N];
	int which = argc > 1 ? atoi(argv[1]) : -1;
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;
		for (int k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
		table[i] = c;
	}
	if (which < 0 || which == 0) printf("%d\n", sieve(s, N));
	if (which < 0 || which == 1) for (int i = 0; i < 3; i++) printf("%x\n", crc(s, N));
	if (which < 0 || which == 2) printf("%u\n", fib(25));
	if (which < 0 || which == 3) printf("%g\n", matrix(100));
	static int a[2000];
	for (int i = 0; i < 2000; i++)
		a[i] = (int)((unsigned)i * 2654435761u >> 8);
	if (which < 0 || which == 4) sort(a, 2000);
	if (which < 0 || which == 5) printf("%ld\n", list(20000));
	printf("%d\n", a[1000]);
	return 0;
}
