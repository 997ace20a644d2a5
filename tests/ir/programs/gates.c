/* Volatile accesses and external calls, counted by the program itself: each is one site. */
#include "ir.h"

#include <stdatomic.h>
#include <string.h>

volatile int g;
static volatile long array[64];
static atomic_int a;
static struct big {
	char bytes[4096];
} one, two;

#define FOUR(x) x x x x
/* Too many sites outside of loops for gates in line; in the loop they are. */
__attribute__((noinline)) static unsigned long many(void)
{
	unsigned long n = 0;
	FOUR(FOUR(g = g + 1; n += 2;))
	for (long i = opaque(3); i; i--) { /* call */
		g = g + 1;
		n += 2;
	}
	return n + 1;
}

int main(void)
{
	unsigned long n = 0;
	for (int i = 0; i < 10; i++) {
		g = g + 1; /* load, store */
		n += 2;
	}
	for (int i = 0; i < 64; i++) {
		array[i] = i;
		n++;
	}
	for (int i = 0; i < 5; i++) {
		atomic_fetch_add(&a, 1);
		atomic_thread_fence(memory_order_seq_cst);
		n += 2;
	}
	int expected = 5;
	atomic_compare_exchange_strong(&a, &expected, 7);
	n++;
	/* What opaque() sees must be in memory, so that nothing below is optimised away. */
	opaque((long)&one + (long)&two); /* call */
	one.bytes[opaque(4)] = 3;        /* call, store */
	two = one;                       /* copy */
	n += 4;
	if (two.bytes[opaque(4)] != 3) /* call, load */
		return 1;
	n += 2;
	for (int i = 0; i < 3; i++) {
		mark(i);
		n++;
	}
	long (*volatile through)(long) = opaque; /* its own access is private: not a site */
	__asm__ volatile("" ::: "memory");
	n++;
	long (*f)(long) = through;
	f(2); /* indirect call */
	n++;
	memset(&two, (int)opaque(0), sizeof two); /* call, fill */
	n += 2;
	if (two.bytes[opaque(9)] != 0) /* call, load */
		return 1;
	n += 2;
	n += many();
	ir_expect(n + 1);
	return 0;
}
