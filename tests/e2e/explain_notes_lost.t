# Many threads, so that of each only the last accesses are told. What the main thread put into a block is not told any more when the run ends; what the
# thread that had the memory before left there as it freed it is. Who reads the block does not use freed memory: the failure has nothing to do with it.
cat >rounds.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { ROUNDS = 80, ROOM = 100 };

struct item { long kind, value, spare; };

static struct item *item;
static long table[ROOM], sum;
static int made;
static long *volatile answer;

static void *make(void *arg)
{
	struct item *i = item;
	sum += i->kind + i->value;
	if (i->spare == 12345) /* nobody wrote it: what lay there before */
		sum++;
	for (int k = 0; k < ROOM; k++)
		sum += table[k];
	if (i != arg)
		answer = &sum;
	__atomic_store_n(&made, 1, __ATOMIC_SEQ_CST);
	sched_yield();
	free(i);
	answer = &sum; /* at the end of the run, too late */
	return arg;
}

static void *use(void *arg)
{
	for (int i = 0; i < 100; i++) {
		if (__atomic_load_n(&made, __ATOMIC_SEQ_CST))
			return (void *)*answer;
		sched_yield();
	}
	return arg;
}

int main(void)
{
	for (int r = 0; r < ROUNDS; r++) {
		pthread_t a, b;
		made = 0;
		answer = NULL;
		item = malloc(sizeof *item);
		item->kind = r;
		item->value = 2 * r;
		for (int k = 0; k < ROOM; k++)
			table[k] += k;
		pthread_create(&a, NULL, make, r < ROUNDS - 15 ? NULL : item);
		pthread_create(&b, NULL, use, NULL);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
	}
	return 0;
}
P
rethread cc -O1 -g rounds.c -o rounds -pthread
status 139 rethread record -q --until-failure --runs 300 ./rounds
rethread reproduce --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out >short
has short 'let others see made \(rounds.c:[0-9]+\) before it wrote answer'
