# A failure that no interleaving explains: stores that linger in buffers. Under sc that is proven, unless code outside of the log had a hand
# in it; under tso it is found.
cat >dekker.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
enum { ROUNDS = 300 };
static atomic_int want[2][ROUNDS * 16], there[ROUNDS], entered[ROUNDS];
static void *enter(void *arg)
{
	int self = arg != 0;
	for (int i = 0; i < ROUNDS; i++) {
		atomic_fetch_add(&there[i], 1);
		while (atomic_load_explicit(&there[i], memory_order_acquire) < 2)
			;
		atomic_store_explicit(&want[self][i * 16], 1, memory_order_relaxed);
		if (!atomic_load_explicit(&want[!self][i * 16], memory_order_relaxed))
			assert(atomic_fetch_add(&entered[i], 1) == 0);
	}
	return arg;
}
/* Of 47 bits: some look like addresses. */
static volatile unsigned long hashes;
static void hash(void)
{
	unsigned long h = 1;
	for (int i = 0; i < 5000; i++) {
		h = h * 6364136223846793005ul + 1;
		for (unsigned long v = h >> 17; v; v >>= 16)
			hashes ^= v % 63;
	}
}
int main(void)
{
	pthread_t t;
	hash();
	pthread_create(&t, 0, enter, &t);
	enter(0);
	pthread_join(t, 0);
	return 0;
}
P
rethread cc -O2 -g -pthread dekker.c -o dekker
status 134 rethread record --until-failure --runs 5000 -- ./dekker 2>err
status 1 rethread reproduce --engine solve --memory-model sc >out 2>&1
has out 'no interleaving under sc explains the log: proven'
echo 'thread /lib/libforeign.so' >"$(latest)/libraries"
status 4 rethread reproduce --engine solve --memory-model sc >out 2>&1
has out 'proves nothing: what /lib/libforeign.so did is not recorded' 'warning: what threads did in /lib/libforeign.so is not recorded'
rethread reproduce --engine solve --memory-model tso >out 2>&1
has out 'reproduced and proven by replay'
