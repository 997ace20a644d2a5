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
