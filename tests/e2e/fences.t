# An atomic update drains the store buffer whether it races or not, and also when it compares and does not exchange: the
# executor keeps it as a fence, or schedules under TSO would delay stores past it, which replay cannot follow.
cat >fence.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, mine[2];
static int seen[2];
static void *left(void *a)
{
	atomic_store_explicit(&x, 1, memory_order_relaxed);
	atomic_fetch_add(&mine[0], 1);
	seen[0] = atomic_load_explicit(&y, memory_order_relaxed) != 0;
	return a;
}
static void *right(void *a)
{
	int unlike = 5;
	atomic_store_explicit(&y, 1, memory_order_relaxed);
	atomic_compare_exchange_strong(&mine[1], &unlike, 6);
	seen[1] = atomic_load_explicit(&x, memory_order_relaxed) != 0;
	return a;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, left, 0);
	pthread_create(&t[1], 0, right, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	assert(seen[0] + seen[1] == 7);
	return 0;
}
P
rethread cc -O2 -g fence.c -o fence
status 134 rethread record -o trace ./fence 2>err
rethread reproduce trace --memory-model tso >out 2>err
rethread explain --all trace >out
has out 'fence.c:9 .*fence' 'fence.c:17 .*fence'

# Fences, pauses and text that does nothing are known however they are written.
cat >written.c <<'P'
#include <assert.h>
#include <pthread.h>
static volatile int x;
static void *work(void *a)
{
	for (int i = 0; i < 3; i++) {
		__asm__ __volatile__("rep;nop\n" ::: "memory");
		__asm__ __volatile__("rep ; nop" ::: "memory");
		__asm__ __volatile__("\tpause\n\t" ::: "memory");
		__asm__ __volatile__("nop; nop # twice\n" ::: "memory");
		__asm__ __volatile__("# nothing" ::: "memory");
		__asm__ __volatile__(" mfence ;" ::: "memory");
		__asm__ __volatile__("mfence; lfence" ::: "memory");
		__asm__ __volatile__("lock addl $0,0 (%%rsp)" ::: "memory", "cc");
		__asm__ __volatile__("lock; orq $0x0, -8(%%rsp)" ::: "memory", "cc");
		x = x + 1;
	}
	return a;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	pthread_join(t, 0);
	work(0);
	assert(x == 7);
}
P
rethread cc -O1 -g -pthread written.c -o written
status 134 rethread record -o written.trace ./written 2>err
rethread reproduce --engine solve written.trace >out 2>&1 || fail "$(cat out)"
rethread explain --all written.trace >out
has out 'written.c:12 .*fence' 'written.c:13 .*fence' 'written.c:14 .*fence' 'written.c:15 .*fence'
! grep 'written.c:8 .*fence' out || fail "a pause is no fence"
# What is not understood is named.
cat >unknown.c <<'P'
#include <stdlib.h>
int main(void)
{
	__asm__ __volatile__("mfence\n\tcld" ::: "memory");
	abort();
}
P
rethread cc -O1 -g unknown.c -o unknown
status 134 rethread record -o unknown.trace ./unknown 2>err
status 4 rethread reproduce --engine solve unknown.trace >out 2>&1
has out 'unknown.c:4: .*inline assembly "mfence'
