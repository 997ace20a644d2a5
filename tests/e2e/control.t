# Programs that read and set the control registers of floating point (oneTBB by inline assembly, others by intrinsics) are decoded, inferred and replayed.
cat >control.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <xmmintrin.h>
struct control { unsigned mxcsr; unsigned short word; };
static void get(struct control *c) { __asm__ __volatile__("stmxcsr %0\n\tfstcw %1" : "=m"(c->mxcsr), "=m"(c->word)); }
static void set(const struct control *c) { __asm__ __volatile__("ldmxcsr %0\n\tfldcw %1" : : "m"(c->mxcsr), "m"(c->word)); }
static struct control shared;
static volatile double third;
static volatile long rounds;
static void *work(void *unused)
{
	struct control mine;
	set(&shared);
	get(&mine);
	assert((mine.mxcsr & _MM_ROUND_MASK) == _MM_ROUND_UP && mine.word == shared.word);
	third = 1.0 / third;
	if (_mm_getcsr() & _MM_EXCEPT_INEXACT)
		rounds = rounds + 1;
	return unused;
}
int main(void)
{
	pthread_t t[2];
	third = 3;
	get(&shared);
	unsigned was = shared.mxcsr;
	shared.mxcsr = (was & ~_MM_ROUND_MASK) | _MM_ROUND_UP;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	_mm_setcsr(was);
	assert(third < 2);
	abort();
}
P
rethread cc -O2 -g -pthread -o control control.c
rethread record -q ./control || true
rethread dump >out 2>err || fail "$(cat err)"
! grep 'paths are bits' err || fail "not decoded"
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 5/5$'
