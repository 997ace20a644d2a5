/* Loops, arrays, structs, function pointers, recursion, switches, bitfields, odd integer widths. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point { int x, y; };
struct flags { unsigned a : 3; int b : 5; unsigned long long c : 37; unsigned d : 1; };
typedef int binary(int, int);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static binary *table[] = {add, sub, mul};

static unsigned long fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__attribute__((noinline)) static struct point swap(struct point p)
{
	struct point q = {p.y, p.x};
	return q;
}

struct big { long v[6]; };
__attribute__((noinline)) static struct big grow(struct big b, int by)
{
	for (int i = 0; i < 6; i++)
		b.v[i] += by * i;
	return b;
}

__attribute__((noinline)) static const char *name(int n)
{
	switch (n) {
	case 0: return "zero";
	case 1: return "one";
	case 7: return "seven";
	case -3: return "minus three";
	case 1000: case 1001: return "thousand";
	default: return n % 2 ? "odd" : "even";
	}
}

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

static void quicksort(int *a, int n)
{
	if (n < 2)
		return;
	int p = a[n / 2], i = 0, j = n - 1;
	while (i <= j) {
		while (a[i] < p) i++;
		while (a[j] > p) j--;
		if (i <= j) {
			int t = a[i];
			a[i++] = a[j];
			a[j--] = t;
		}
	}
	quicksort(a, j + 1);
	quicksort(a + i, n - i);
}

static uint32_t rng = 12345;
static uint32_t next(void) { return rng = rng * 1664525u + 1013904223u; }

_Static_assert(sizeof(_BitInt(24)) == 4, "");
__attribute__((noinline)) static long odd(long seed)
{
	unsigned _BitInt(24) a = (unsigned _BitInt(24))seed;
	_BitInt(17) b = (_BitInt(17))(seed * 3);
	_BitInt(33) c = b;
	unsigned _BitInt(5) d = (unsigned _BitInt(5))seed;
	for (int i = 0; i < 10; i++) {
		a = a * 5 + 7;
		b = b - 3 * i;
		c = c * b + a;
		d = d + 11;
		if (c < b)
			a ^= 0xfff;
		b = b / 3 + (b % 7) - (b >> 2);
		a = a / 3 + a % 11 + (a << 3);
	}
	return (long)a + (long)b * 7 + (long)c + (long)d;
}

__attribute__((noinline)) static void shifts(unsigned v, int s)
{
	for (int i = 0; i < 32; i += 5)
		printf("%x %x %x %llx %llx\n", v << i, v >> i, (unsigned)(s >> i),
		       (unsigned long long)v << (i + 13), (unsigned long long)((long long)s >> i));
	printf("%d %d %u %u\n", s / 7, s % 7, v / 7, v % 7);
	printf("%d %d\n", (int8_t)(v >> 3) / 3, (int16_t)(v >> 7) % 13);
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("fib %lu\n", fib(15));
	for (int i = 0; i < 3; i++)
		printf("%d\n", table[i](7 + argc, 3));
	struct point p = swap((struct point){3, 4});
	printf("%d %d\n", p.x, p.y);
	struct big b = {{1, 2, 3, 4, 5, 6}};
	b = grow(b, 10);
	for (int i = 0; i < 6; i++)
		printf("%ld ", b.v[i]);
	puts("");
	static const int numbers[] = {0, 1, 7, -3, 1000, 1001, 5, 6};
	for (int i = 0; i < 8; i++)
		puts(name(numbers[i]));
	int a[50], c[50];
	for (int i = 0; i < 50; i++)
		a[i] = c[i] = (int)(next() >> 8) % 1000;
	quicksort(a, 50);
	qsort(c, 50, sizeof *c, compare);
	printf("sorted %d\n", memcmp(a, c, sizeof a));
	for (int i = 0; i < 50; i++)
		printf("%d ", a[i]);
	puts("");
	struct flags f = {0};
	for (int i = 0; i < 20; i++) {
		f.a += 3;
		f.b -= 7;
		f.c = f.c * 31 + next();
		f.d ^= 1;
		printf("%u %d %llu %u\n", f.a, f.b, (unsigned long long)f.c, f.d);
	}
	for (int i = 0; i < 5; i++)
		printf("odd %ld\n", odd(next()));
	shifts(0x9abcdef1u, -123456789);
	char text[64];
	strcpy(text, "hello");
	strcat(text, ", world");
	printf("%s %zu %d\n", text, strlen(text), strcmp(text, "hello"));
	return 3;
}
