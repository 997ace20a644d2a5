# A sequentially consistent store is an exchange, which drains the store buffer; a relaxed one is not, and neither is a fence for
# the compiler only a fence of the machine's.
cat >p.c <<'P'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic int strong, weak;
static int a, b;
static void *left(void *arg)
{
	atomic_store_explicit(&weak, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	a = atomic_load(&strong);
	return arg;
}
static void *right(void *arg)
{
	atomic_store(&strong, 1);
	atomic_thread_fence(memory_order_seq_cst);
	b = atomic_load(&weak);
	return arg;
}
int main(void)
{
	pthread_t l, r;
	pthread_create(&l, NULL, left, NULL);
	pthread_create(&r, NULL, right, NULL);
	pthread_join(l, NULL);
	pthread_join(r, NULL);
	abort();
}
P
rethread cc -O2 -g -pthread p.c -o p
status 134 rethread record -- ./p 2>err
rethread infer --memory-model tso >out 2>&1 || fail "$(cat out)"
rethread explain --all >out
has out 'updates strong: 0 -> 1' 'buffers weak = 1'
same "$(grep -c ' fence' out)" 1
