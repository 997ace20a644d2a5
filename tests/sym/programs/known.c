/*
 * Branches that need not be recorded, beside branches that must be: every way a condition can be known or not.
 * What is printed shows each decision; the run test compares it, and that the log is used up to the last bit.
 */
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long hash = 5381;
static void mark(long k)
{
	hash = hash * 33 ^ (unsigned long)k;
}

/* Parameters that are constants at every call, and a result made of them. */
__attribute__((noinline)) static int classify(int v, int limit)
{
	if (v < limit)
		return 1;
	if (v % 3 == 0)
		return 2;
	switch (v & 7) {
	case 1: return 3;
	case 2: return 4;
	case 5: return 5;
	case 7: return 6;
	default: return 7;
	}
}

static const int table[] = {3, -1, 4, -1, -5, 9, 2, -6, 5, 3, 5};
static const char *const words[] = {"a", "bb", "ccc", "dddd"};
static __thread int depth;
static volatile int input;

__attribute__((noinline)) static int collatz(int n)
{
	int steps = 0;
	while (n != 1) { /* known, but its end is not obvious: recorded */
		n = n % 2 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

__attribute__((noinline)) static int recursive(int n)
{
	return n < 2 ? n : recursive(n - 1) + recursive(n - 2);
}

/* In a circle, with a branch on the way to the next call and others that need not be recorded. */
static int odd(int n, int k);
__attribute__((noinline)) static int even(int n, int k)
{
	int r = k & 1 ? 3 : 5;
	if (n % 5 == k)
		r += 7;
	return n <= 0 ? r : odd(n - 1, k) * 3 + r;
}
__attribute__((noinline)) static int odd(int n, int k)
{
	int r = even(n - 1, (k + 1) % 5);
	if (r % 3 == 1)
		mark(r);
	return r;
}

/* A number from outside, that decides many branches: an anchor. */
__attribute__((noinline)) static int anchored(int many)
{
	int n = input + many, sum = 0, *own = malloc(256 * sizeof *own);
	if (!own)
		return -1;
	for (int k = 0; k < 256; k++)
		own[k] = k * n % 11;
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++)
			if (own[(i * k) % 256] > 4)
				sum += i ^ k;
	free(own);
	return sum;
}

/* Through memory of this thread alone. */
__attribute__((noinline)) static int private_memory(int n)
{
	int count[16] = {0}, found = 0;
	for (int i = 0; i < n; i++)
		count[i * 7 % 16] += i;
	for (int i = 0; i < 16; i++)
		if (count[i] > 30)
			found += i;
	int *zero = calloc(8, sizeof *zero);
	if (!zero)
		return -1;
	zero[3] = n;
	for (int i = 0; i < 8; i++)
		if (zero[i])
			found += 100 * i;
	free(zero);
	return found;
}

/* Not known: addresses, what was not initialised, what came from outside. */
__attribute__((noinline)) static int unknown(const char *text)
{
	char *a = malloc(16), *b = malloc(16);
	int r = (a < b) ? 1 : 2, odd = ((unsigned long)a >> 4 & 1) ? 10 : 20;
	if (!a || !b)
		return 0;
	strcpy(a, text);
	for (char *p = a; *p; p++)
		if (*p == 'c')
			r = 5, odd = 0;
	free(a);
	free(b);
	return r > 2 ? 7 : odd > 5 ? 8 : 9;
}

__attribute__((noinline)) static double floats(void)
{
	double x = 1;
	for (int i = 0; i < 40; i++) {
		x = x * 1.5 - (x > 20 ? 19.25 : 0);
		if (x > 7.5)
			mark(i);
	}
	return x;
}

__attribute__((noinline)) static int pointers(void)
{
	int a[12], sum = 0;
	for (int *p = a; p != a + 12; p++)
		*p = (int)(p - a);
	for (int *p = a; p < a + 12; p++)
		if (*p & 1)
			sum += *p;
	return sum;
}

/* A mix: the path chosen by an input, the counts known all the same. */
__attribute__((noinline)) static int mixed(int in)
{
	int n = 3, sum = 0;
	if (in > 4)
		n = 9;
	for (int i = 0; i < n; i++)
		if (i % 4 != 1)
			sum += i ^ in;
	int limit = in ? 5 : 6; /* a select, perhaps: then unknown */
	for (int i = 0; i < limit; i++)
		sum += sum & 1 ? 3 : 5;
	return sum;
}

int main(void)
{
	for (int i = 0; i < 50; i++)
		mark(classify(i, 10));
	for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i] < 0)
			mark(i);
	for (int i = 0; i < 4; i++)
		if (words[i][i] == 0)
			mark(-i);
	for (depth = 0; depth < 5; depth++)
		if (depth & 2)
			mark(depth);
	mark(collatz(27));
	mark(recursive(12));
	mark(even(30, 2));
	mark(private_memory(20));
	mark(anchored(40));
	unknown("abc");
	mark((long)(floats() * 1000));
	mark(pointers());
	for (input = 0; input < 8; input++)
		mark(mixed(input));
	printf("%lu\n", hash);
	return 0;
}
