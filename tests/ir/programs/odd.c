/* What real programs contain besides loads and branches; the output must not change. */
#include "ir.h"

#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef float vec4 __attribute__((vector_size(16)));
static vec4 vectors[8];
static __thread int tls_counter = 7;
static __thread struct {
	char name[20];
	int *p;
} tls_record;
static volatile __int128 wide;
static _Atomic(void *) pointer;
static jmp_buf back;

__attribute__((constructor)) static void before_main(void)
{
	tls_counter++;
	vectors[0] = (vec4){1, 2, 3, 4};
}

__attribute__((weak)) int weak_missing(int);
int real_name(int v)
{
	return v + 1;
}
int alias_name(int) __attribute__((alias("real_name")));

static int chosen(int v)
{
	return v * 2;
}
static int (*resolve(void))(int)
{
	return chosen;
}
int by_ifunc(int) __attribute__((ifunc("resolve")));

__attribute__((naked)) static int naked_seven(void)
{
	__asm__("movl $7, %eax\n\tret");
}

static int sum(int n, ...)
{
	va_list args, copy;
	va_start(args, n);
	va_copy(copy, args);
	int s = 0;
	for (int i = 0; i < n; i++)
		s += va_arg(args, int) + (int)va_arg(copy, int);
	va_end(args);
	va_end(copy);
	return s;
}

static int compute(const unsigned char *code)
{
	static const void *const labels[] = {&&add, &&sub, &&end};
	int v = 0;
	goto *labels[*code++];
add:
	v += 3;
	goto *labels[*code++];
sub:
	v -= 1;
	goto *labels[*code++];
end:
	return v;
}

static int asm_goto(int v)
{
	__asm__ goto("testl %0, %0\n\tjz %l1" : : "r"(v) : "cc" : zero);
	return 1;
zero:
	return 2;
}

static int even(int n);
__attribute__((noinline)) static int odd(int n)
{
	if (n == 0)
		return 0;
	__attribute__((musttail)) return even(n - 1);
}
__attribute__((noinline)) static int even(int n)
{
	if (n == 0)
		return 1;
	__attribute__((musttail)) return odd(n - 1);
}

static int deep(int n)
{
	char *p = alloca((size_t)(16 + opaque(n)));
	memset(p, n, 16);
	if (n == 5)
		longjmp(back, 3);
	return deep(n + 1) + p[3];
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

struct frame {
	int v[40];
};
static int large_frame(struct frame s)
{
	int t = 0;
	for (int i = 0; i < 40; i++)
		t += s.v[i];
	return t;
}

static long double extended(long double x, _Complex double c)
{
	return x * 2 + __real__ c;
}

int main(void)
{
	int numbers[] = {5, 3, 9, 1, 7};
	qsort(numbers, 5, sizeof *numbers, compare);
	for (int i = 0; i < 5; i++)
		printf("%d ", numbers[i]);
	for (int i = 1; i < 8; i++)
		vectors[i] = vectors[i - 1] * 1.5f + vectors[0];
	printf("%g %g\n", (double)vectors[7][0], (double)vectors[7][3]);
	printf("%d %d %d %d\n", tls_counter, weak_missing ? weak_missing(1) : -1,
	       alias_name((int)opaque(4)), by_ifunc((int)opaque(5)));
	strcpy(tls_record.name, "record");
	tls_record.p = &tls_counter;
	printf("%s %d %d %d\n", tls_record.name, *tls_record.p, naked_seven(), sum(3, 1, 2, 3));
	printf("%d %d %d\n", compute((const unsigned char[]){0, 0, 1, 0, 2}),
	       asm_goto((int)opaque(0)), asm_goto((int)opaque(1)));
	printf("%d %d\n", even((int)opaque(10)), odd((int)opaque(10)));
	int r = setjmp(back);
	printf("jump %d\n", r ? r : deep(0));
	__int128 w = wide;
	wide = w + ((__int128)1 << 70);
	printf("%d\n", (int)(wide >> 70));
	void *old = atomic_exchange(&pointer, &wide);
	printf("%d\n", !old && atomic_compare_exchange_strong(&pointer, &old, NULL));
	uint64_t low, high;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	__asm__("" : "+r"(low));
	struct frame frame;
	for (int i = 0; i < 40; i++)
		frame.v[i] = i;
	int (*volatile call)(struct frame) = large_frame;
	printf("%d\n", call(frame));
	printf("%Lg\n", extended(opaque(3), opaque(2) + 0.0 * __builtin_complex(0.0, 1.0)));
	return (int)opaque(3);
}
