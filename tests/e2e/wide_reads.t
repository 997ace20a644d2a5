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
