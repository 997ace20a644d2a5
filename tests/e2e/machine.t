# Instructions that only the machine knows, as inline assembly and as intrinsics: they do not end inference, and what those answer
# that ask for the time or the processor's features is recorded, so that paths and output are found again.
cat >prog.c <<'P'
#include <cpuid.h>
#include <emmintrin.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <x86intrin.h>
static volatile int racy;
static volatile long sum;
static unsigned long counter(void)
{
	unsigned low, high;
	__asm__ __volatile__("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (unsigned long)high << 32 | low;
}
static int highest(unsigned long x)
{
	unsigned long r;
	__asm__("bsrq %1,%0" : "=r"(r) : "r"(x) : "cc");
	return (int)r;
}
static unsigned long product(unsigned long a, unsigned long b, unsigned long *high)
{
	unsigned long low;
	__asm__("mulq %3" : "=a"(low), "=d"(*high) : "0"(a), "r"(b) : "cc");
	return low;
}
static int far(long a, long b)
{
	return _mm_cvtsi128_si32(_mm_sad_epu8(_mm_set_epi64x(a, b), _mm_set_epi64x(b, ~a)));
}
static void *work(void *p)
{
	for (int i = 0; i < 20; i++, usleep(1)) {
		int k = racy;
		unsigned long high;
		racy = k + 1;
		if ((counter() >> 6) % 3 == 0)
			sum += highest((unsigned long)k + 5);
		if (product((unsigned long)i << 60, (unsigned long)k, &high) + high > 8)
			sum += far(k, i);
	}
	return p;
}
int main(void)
{
	unsigned a = 0, b = 0, c = 0, d = 0;
	pthread_t t[2];
	__get_cpuid(1, &a, &b, &c, &d);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%x %llu %d %ld %d\n", b, __rdtsc(), highest(a + 1), sum, far(-3, 7));
	fflush(stdout);
	abort();
}
P
for opt in -O0 -O2; do
	RETHREAD_PASS_VERIFY=1 rethread cc $opt -g -pthread -o prog prog.c
	status 134 rethread record -- ./prog >recorded 2>err
	rethread infer --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread reproduce --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread replay >replayed 2>&1 || fail "$opt: $(cat replayed)"
	grep -qxF "$(cat recorded)" replayed || fail "$opt: $(cat recorded) became $(cat replayed)"
	rethread replay -n 20 >out 2>&1 || fail "$opt: $(cat out)"
	has out '^reproduced 20/20$'
	rethread dump >dump 2>err
	! grep -q 'paths are bits' err
done
# The program itself has the instruction in its place, not a call, in whatever versions the function has.
objdump -d prog --no-show-raw-insn | awk '/<work[.a-z]*>:/ { on = 1 } /^$/ { on = 0 } on' >work
has work 'bsr' 'psadbw'
! grep -q 'call.*rethread_machine_' work
