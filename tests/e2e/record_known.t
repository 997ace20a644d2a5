# Branches that inference recomputes are not recorded; a thread that was killed in the middle of such is no trap for it.
cat >p.c <<'E'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int shared;
volatile long sink[2];
static void *counts(void *unused) /* a counted loop of its own: not recorded, and far from done when the process dies */
{
	unsigned long n = 1;
	for (long i = 0; i < 1l << 42; i++) {
		n = n * 6364136223846793005ul + 1442695040888963407ul;
		__asm__ volatile("" : "+r"(n));
	}
	sink[0] = (long)n;
	return unused;
}
static void *searches(void *unused) /* nor is this, although nobody knows when it ends: others do not see it */
{
	unsigned long n = 1, steps = 0;
	for (; n; steps++)
		n = n * 6364136223846793005ul + 1442695040888963407ul;
	sink[1] = (long)steps;
	return unused;
}
static void *adds(void *unused) { shared++; return unused; }
int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], NULL, counts, NULL);
	pthread_create(&t[1], NULL, searches, NULL);
	pthread_create(&t[2], NULL, adds, NULL);
	pthread_join(t[2], NULL);
	usleep(20000);
	assert(shared == 2);
}
E
rethread cc -O2 -g -pthread p.c -o p
status 134 rethread record ./p
rethread dump >dump
has dump '^thread 1:1: 0 branches' '^thread 1:2: 0 branches'
rethread reproduce >out
has out 'reproduced and proven by replay'
