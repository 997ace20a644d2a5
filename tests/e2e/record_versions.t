# Threads that have too many values go on in versions of their functions that record none: nobody sees a difference.
cat >kinds.cc <<'P'
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>

enum { CELLS = 16 };
static volatile unsigned cells[CELLS], next;
static bool crashes;
struct large { long a[9]; };
typedef unsigned (*step)(unsigned);

__attribute__((noinline)) static unsigned stir(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		cells[next % CELLS] = next = next * 5 + 1;
	return next;
}
__attribute__((noinline)) static large by_value(large l, long a, long b, long c, long d, long e, long f, double g)
{
	l.a[cells[l.a[0] % CELLS] % 9] += a + b + c + d + e + f + (long)g;
	return l;
}
__attribute__((noinline)) static long sum(int n, ...)
{
	va_list list;
	long s = cells[cells[n] % CELLS] * 0;
	va_start(list, n);
	while (n--)
		s += va_arg(list, long);
	va_end(list);
	return s;
}
__attribute__((noinline)) static unsigned deep(unsigned n)
{
	if (!n)
		throw cells[cells[1] % CELLS] * 0 + 7;
	return deep(n - 1) + cells[cells[n % CELLS] % CELLS] * 0;
}
__attribute__((noinline)) static void crash(unsigned n)
{
	cells[cells[n] % CELLS] = 1;
	*(volatile int *)(long)(cells[cells[n] % CELLS] & 0) = 1;
	cells[0]++;
}
static void *work(void *p)
{
	unsigned long result = 0;
	volatile step s = stir;
	stir(*(unsigned *)p);
	for (unsigned round = 0; round < 5; round++) {
		large l = {{round}};
		l = by_value(l, 1, 2, 3, 4, 5, 6, 7.5);
		for (long a : l.a)
			result += (unsigned long)a;
		result += (unsigned long)sum(3, 10L, 20L, 30L) + (s == stir);
		try {
			deep(20);
		} catch (unsigned e) {
			result += e;
		}
	}
	if (crashes)
		crash(3);
	printf("%lu %u\n", result, s(100));
	return p;
}
int main(int argc, char **argv)
{
	pthread_t t;
	unsigned many = 6000000, none = (unsigned)argc - 1; /* one works, alone and fast; the compiler does not know */
	(void)argv;
	crashes = argc > 1;
	pthread_create(&t, nullptr, work, &many);
	pthread_join(t, nullptr);
	stir(none);
	return 0;
}
P
for opt in "-O2 -g" "-O2" "-O0"; do
	clang++-19 $opt -w -pthread kinds.cc -o plain
	rethread c++ $opt -w -pthread kinds.cc -o kinds
	[ "$opt" = -O0 ] || nm kinds | grep -q 'stir.*\.quick' || fail "$opt: there is one version only"
	./plain >expected
	./kinds >out
	cmp out expected || fail "$opt, not recorded: $(cat out)"
	rethread record -q -o run ./kinds >out
	cmp out expected || fail "$opt: $(cat out)"
	rethread info run | grep -q '^values *too many' || fail "$opt: values were recorded to the end"
	rm -rf run
done
# Where a thread that records none crashes is told by the function's own name, without debug information, too.
for opt in "-O2 -g" "-O2"; do
	rethread c++ $opt -w -pthread kinds.cc -o kinds
	rethread record -q -o run ./kinds now >out 2>&1 || true
	rethread dump --no-lines run >dumped
	grep -q 'crash' dumped || fail "$opt: $(cat dumped)"
	grep -E '\.(quick|values)' dumped && fail "$opt: the name of a version"
	rm -rf run
done
true
