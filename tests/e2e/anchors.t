# What decides many branches is recorded once, or known: numbers that are read before a loop, tables that were made before the first
# thread, calls in a circle. Inference follows all the same.
cat >p.c <<'E'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
enum { THREADS = 2 };
static unsigned *table, size, rounds;
static unsigned next, marks[4096];
static long sum;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t meet;
__attribute__((noinline)) static long depth(unsigned n, unsigned k)
{
	if (n < 2)
		return 1;
	if (n % 3 == k)
		return depth(n - 1, k) + 1;
	return depth(n - 2, k) + depth(n / 2, k);
}
static void *work(void *unused)
{
	long own = 0;
	pthread_mutex_lock(&mutex);
	unsigned from = next, to = from + size / THREADS;
	next = to;
	pthread_mutex_unlock(&mutex);
	for (unsigned round = 0; round < rounds; round++)
		for (unsigned i = from; i < to; i++) {
			if (table[i] % 5 == 0)
				own += depth(table[i] % 11, 1);
			if (marks[i] > round)
				own++;
			else
				marks[i] = table[i] % 4;
		}
	long before = sum;
	pthread_barrier_wait(&meet);
	sum = before + own;
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	unsigned random = 1;
	if (argc != 3)
		return 2;
	size = (unsigned)atoi(argv[1]), rounds = (unsigned)atoi(argv[2]);
	table = malloc(size * sizeof *table);
	for (unsigned i = 0; i < size; i++)
		table[i] = (random = random * 1664525 + 1013904223) >> 8;
	pthread_barrier_init(&meet, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	assert(sum > 3000); /* of which one half is lost */
}
E
rethread cc -O2 -g -pthread p.c -o p
rethread analyze p >out
has out '^ +26  work .*known' '^ +27  work +branches: .*known' '^ +29  work .*recorded' '^ +14  depth .*known'
! grep -Eq '^  (global +(size|table)|heap) ' out || fail "what is written before the first thread is shared: $(cat out)"
grep -Eq '^ +2[67]  work .*recorded' out && fail "recorded, though a number would do: $(cat out)"
status 134 rethread record ./p 1000 3
rethread reproduce >out
has out 'reproduced and proven by replay'
