# A read of eight bytes that lie in two words, a few of which race: all of them are part of the event.
cat >wide.c <<'P'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
static struct __attribute__((packed, aligned(8))) {
	uint32_t before;
	uint64_t number; /* its lower half in one word of eight bytes, its upper half in the next */
	uint32_t behind;
} all = {.number = 5};
typedef uint64_t unaligned __attribute__((aligned(4)));
static volatile int odd;
static void *writes(void *p)
{
	for (int i = 0; i < 10; i++, usleep(1))
		((volatile uint16_t *)&all)[5]++; /* the last two bytes of the number */
	return p;
}
static void *reads(void *p)
{
	for (int i = 0; i < 20; i++, usleep(1)) {
		uint64_t n = *(volatile unaligned *)((char *)&all + 4);
		if (n & 1)
			odd++;
		if (n >> 49 & 1)
			odd++;
	}
	return p;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, writes, NULL);
	pthread_create(&t[1], NULL, reads, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	abort();
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -fno-strict-aliasing -pthread -o wide wide.c
	rethread record -q ./wide || true
	rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "$opt: $(cat out)"
done
# An atomic pointer is a number of 64 bits to the compiler: where memory holds the only address that the recorded one can stand for, it is that.
cat >pointer.c <<'P'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static _Atomic(struct node { atomic_int pay; } *) newest;

static void *count(void *p)
{
	struct node *last = NULL;
	for (int i = 0; i < 40; i++, usleep(50)) {
		struct node *n = atomic_load_explicit(&newest, memory_order_acquire);
		if (n && n != last)
			n->pay++;
		last = n;
	}
	return p;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, count, NULL);
	for (int i = 0; i < 20; i++, usleep(50))
		newest = calloc(1, sizeof *newest);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	abort();
}
P
rethread cc -O2 -g -pthread -o pointer pointer.c
rethread record -q ./pointer || true
rethread infer -v --budget 30 >out 2>&1 || fail "$(cat out)"
has out ' 0 assumptions'
