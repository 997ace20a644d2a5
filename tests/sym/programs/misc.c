/* setjmp, thread-local variables, constructors, alloca and variable length arrays, callbacks, 128 bits, atomics. */
#include <alloca.h>
#include <search.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf out;
static _Thread_local int mine = 7;
_Thread_local long shared_tls[3] = {1, 2, 3};
static int constructed;
__attribute__((constructor)) static void construct(void) { constructed = 11; }

__attribute__((noinline)) static void deep(int n)
{
	mine++;
	if (n == 0)
		longjmp(out, 5);
	deep(n - 1);
}

__attribute__((noinline)) static int vla(int n)
{
	int a[n], s = 0;
	for (int i = 0; i < n; i++)
		a[i] = i * i;
	for (int k = 0; k < 100; k++) {
		char *p = alloca(16);
		memset(p, k, 16);
		s += p[3];
	}
	for (int i = 0; i < n; i++)
		s += a[i];
	return s;
}

__attribute__((noinline)) static unsigned __int128 wide(unsigned __int128 x, __int128 y)
{
	for (int i = 0; i < 20; i++) {
		x = x * 1000003 + (unsigned __int128)y;
		y = (y << 3) - (__int128)(x >> 70) * 13;
		y = y / 7 + y % 11;
		if (y < 0)
			x ^= ~(unsigned __int128)0 >> 5;
		if ((x & 1) == 0)
			x = x / 3 + x % 5;
	}
	return x + (unsigned __int128)y;
}

static int by_string(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static jmp_buf from_callback;
static int jumping(const void *a, const void *b)
{
	if (*(const char *)a == *(const char *)b)
		longjmp(from_callback, 3);
	return *(const char *)a - *(const char *)b;
}

static _Atomic int counter;
static atomic_ulong bits;
static _Atomic(int *) pointer;

__attribute__((noinline)) static void atomics(void)
{
	for (int i = 0; i < 10; i++)
		atomic_fetch_add(&counter, i);
	atomic_fetch_or(&bits, 0xf0f0);
	atomic_fetch_and(&bits, 0xff00);
	atomic_fetch_xor(&bits, 0x1234);
	int expected = 45;
	_Bool ok = atomic_compare_exchange_strong(&counter, &expected, 99);
	_Bool no = atomic_compare_exchange_strong(&counter, &expected, 1);
	int old = atomic_exchange(&counter, 3), x = 4;
	atomic_store(&pointer, &x);
	printf("%d %d %d %d %lx %d %d\n", ok, no, expected, old, (unsigned long)atomic_load(&bits),
	       *atomic_load(&pointer), atomic_fetch_sub(&counter, 1) - 1);
	atomic_thread_fence(memory_order_seq_cst);
	__asm__ volatile("" ::: "memory");
	__asm__ volatile("pause");
	__builtin_ia32_pause();
	__builtin_ia32_mfence();
}

/* Hides values from the optimiser. */
__attribute__((noinline)) static void hidden(long a, int b, const char *c)
{
	__asm__("" : "+r"(a), "+r"(b));
	__asm__ volatile("# %0 %1 %3" : "+r"(c), "+m"(a), "+r"(b) : "r"(a), "m"(b) : "memory");
	printf("%ld %d %s\n", a, b, c);
}

__attribute__((noinline)) static void bits_and_bytes(uint64_t v, uint32_t u, uint8_t b)
{
	printf("%d %d %d %d %d\n", __builtin_popcountll(v), __builtin_clzll(v), __builtin_ctzll(v),
	       __builtin_clz(u), __builtin_popcount(b));
	printf("%llx %x %x\n", (unsigned long long)__builtin_bswap64(v), __builtin_bswap32(u), __builtin_bswap16(b));
	printf("%x %llx\n", (u << 7) | (u >> 25), (unsigned long long)((v >> 11) | (v << 53)));
	int sum, product;
	long lsum;
	printf("%d ", __builtin_add_overflow((int)u, (int)u, &sum));
	printf("%d ", __builtin_mul_overflow((int)u, 3, &product));
	printf("%d %d %d %ld\n", __builtin_sub_overflow((long)v, (long)~v, &lsum), sum, product, lsum);
	printf("%x %llx\n", __builtin_bitreverse32(u), (unsigned long long)__builtin_bitreverse64(v));
	printf("%d %d\n", abs((int)u), u > 5 ? (int)(u % 5) : -1);
}

int main(void)
{
	volatile int times = 0;
	int r = setjmp(out);
	printf("setjmp %d\n", r);
	if (r == 0) {
		times++;
		deep(10);
	}
	printf("%d %d %d\n", mine, times, constructed);
	shared_tls[1] += mine;
	printf("%ld\n", shared_tls[0] + shared_tls[1] + shared_tls[2]);
	printf("vla %d\n", vla(20));
	unsigned __int128 w = wide(((unsigned __int128)0x123456789abcdefull << 64) | 99, -12345);
	printf("%016llx%016llx\n", (unsigned long long)(w >> 64), (unsigned long long)w);
	const char *names[] = {"pear", "apple", "fig", "banana"};
	qsort(names, 4, sizeof *names, by_string);
	const char *key = "fig";
	const char **found = bsearch(&key, names, 4, sizeof *names, by_string);
	printf("%s %s %ld\n", names[0], names[3], (long)(found - names));
	char twice[] = "abcdecba";
	int jumped = setjmp(from_callback);
	if (!jumped)
		qsort(twice, 8, 1, jumping);
	printf("jumped %d\n", jumped);
	atomics();
	bits_and_bytes(0x00f3b2c4d5e60718ull, 0x7654321fu, 0xb5);
	hidden(1234567890123, -7, "text");
	return 0;
}
