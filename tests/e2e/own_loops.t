# Threads in the middle of long or endless loops over memory of their own when another fails, or when all are killed.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
struct own { unsigned long state; int n, at; unsigned char seen[256]; struct own *next; };
static int shared, begun, ends[2];
volatile long sink;
static __attribute__((noinline)) long weigh(long n) { __asm__ volatile("" : "+r"(n)); return n; }
static __attribute__((noinline)) struct own *make(int n) {
	struct own *o = calloc(1, sizeof *o), *p = calloc(1, sizeof *p);
	o->n = p->n = n, o->next = p, p->next = o, o->state = 1, p->state = 2;
	return o;
}
static void *endless(void *x) { /* of its own structures, round and round */
	__atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
	for (struct own *o = make(200);; o = o->next) {
		o->state = o->state * 6364136223846793005ul + 1442695040888963407ul;
		if (o->seen[o->state >> 56]++ > 100) o->at = (int)weigh(o->at + 1);
	}
	return x;
}
static void *bounded(void *x) { /* how far it goes is from outside */
	unsigned char n[2] = {0};
	if (read(ends[0], n, 2) != 2) abort();
	__atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
	struct own *o = make(n[0]);
	for (long i = 0; i < (long)n[0] << 40; i++)
		if (o->seen[i & 255]++ == n[1]) o->at = (int)weigh(o->at + 3);
	sink = o->at;
	return x;
}
static void *calls(void *x) {
	__atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
	struct own *o = make(77);
	long sum = 0;
	for (long i = 0; i < 1l << 42; i++)
		sum += o->seen[weigh(i) & 255] == 0 ? weigh(i) : weigh(-i);
	sink = sum;
	return x;
}
static void *adds(void *x) { shared++; return x; }
int main(int argc, char **argv) {
	pthread_t t[5];
	unsigned char bytes[2] = {9, 77};
	if (pipe(ends) || write(ends[1], bytes, 2) != 2) abort();
	pthread_create(&t[0], NULL, endless, NULL);
	pthread_create(&t[1], NULL, bounded, NULL);
	pthread_create(&t[2], NULL, calls, NULL);
	pthread_create(&t[3], NULL, adds, NULL);
	pthread_create(&t[4], NULL, adds, NULL);
	while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < 3) usleep(1000);
	pthread_join(t[3], NULL);
	pthread_join(t[4], NULL);
	usleep(5000);
	if (argc > 1) kill(getpid(), SIGKILL);
	assert(shared == 1);
}
P
rethread cc -O2 -g -w -pthread p.c -o p
status 134 rethread record -q ./p
timeout 60 rethread reproduce >out
has out 'reproduced and proven by replay'
status 137 rethread record -q ./p x
rethread dump >dump
