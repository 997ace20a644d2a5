# A thread that polls reads the same again and again, which is only counted: what it finds at last is in the log as well.
cat >poll.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { ITEMS = 60 };
static struct item { atomic_int filled; } items[ITEMS];
static atomic_int newest[2]; /* by two producers */

static void *consume(void *arg)
{
	for (int have = 0; have < ITEMS - 1;) {
		int a = atomic_load_explicit(&newest[0], memory_order_acquire);
#ifdef FENCE
		atomic_thread_fence(memory_order_seq_cst);
#endif
		int b = atomic_load_explicit(&newest[1], memory_order_acquire), n = a > b ? a : b;
		if (n == have)
			continue;
		assert(atomic_load_explicit(&items[n].filled, memory_order_relaxed));
		have = n;
	}
	return arg;
}

int main(void)
{
	pthread_t t;
	items[0].filled = 1;
	pthread_create(&t, NULL, consume, NULL);
	for (int i = 1, by = 7; i < ITEMS; i += by, by = by % 5 + 2) {
		usleep(3000); /* the other one polls some hundred thousand times */
		if (i > ITEMS / 2) {
			atomic_store_explicit(&newest[i % 2], i, memory_order_release);
			usleep(100); /* bug: too late */
		}
		items[i].filled = 1;
		atomic_store_explicit(&newest[i % 2], i, memory_order_release);
	}
	pthread_join(t, NULL);
	return 0;
}
P
# So with a fence in each lap, which does nothing after the first.
for opt in -UFENCE -DFENCE; do
	rethread cc -O2 -g $opt -pthread -o poll poll.c
	rm -rf trace
	status 134 rethread record -q -o trace ./poll 2>err
	rethread info trace | grep '^values' && fail "values were left out"
	rethread infer -v trace >out 2>&1 || fail "$(cat out)"
	has out ' 0 assumptions'
	test "$(sed -n 's/.* \([0-9]*\) events.*/\1/p' out | head -1)" -lt 5000 || fail "$opt: laps are executed: $(cat out)"
	rethread reproduce --engine solve --budget 30 trace >out 2>&1 || fail "$opt: $(cat out)"
	has out 'reproduced and proven by replay'
done
