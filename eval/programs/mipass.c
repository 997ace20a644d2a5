/* For eval/real.sh: blocks of mimalloc that one thread allocates and others give back; what is in them is looked at before. */
#include <mimalloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, SLOTS = 16, ROUNDS = 3000, WORDS = 6 };

static _Atomic(unsigned long *) slots[SLOTS];

static unsigned long *make(unsigned long n)
{
	unsigned long *p = mi_malloc(WORDS * sizeof *p);
	for (int i = 0; i < WORDS; i++)
		p[i] = n + (unsigned)i;
	return p;
}

static unsigned long drop(unsigned long *p)
{
	if (!p)
		return 0;
	for (int i = 1; i < WORDS; i++)
		if (p[i] != p[0] + (unsigned)i)
			abort();
	unsigned long n = p[0];
	mi_free(p);
	return n;
}

static void *work(void *arg)
{
	unsigned long me = (unsigned long)arg, state = me + 1, sum = 0;
	for (unsigned long i = 1; i <= ROUNDS; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		sum += drop(atomic_exchange(&slots[(state >> 33) % SLOTS], make((me * ROUNDS + i) * 100)));
	}
	return (void *)sum;
}

int main(void)
{
	pthread_t t[THREADS];
	unsigned long sum = 0;
	for (unsigned long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		void *part;
		pthread_join(t[i], &part);
		sum += (unsigned long)part;
	}
	for (int i = 0; i < SLOTS; i++)
		sum += drop(slots[i]);
	printf("%lu\n", sum);
	return sum != 100ul * (THREADS * ROUNDS) * (THREADS * ROUNDS + 1) / 2;
}
