# A block from calloc that two threads give back: the C library marks none of them once the threads' lists are full, which calloc does not empty,
# and sees it only because the block is the last that came back to its arena, whatever threads with other arenas do.
cat >cleared.c <<'C'
/* Both owners of a block give it back. */
#include <pthread.h>
#include <stdlib.h>
struct block { int owners; char text[60]; };
static struct block *volatile block;
static volatile int owners = 2;
static void fill(void)
{
	void *volatile other[7];
	for (int i = 0; i < 7; i++)
		other[i] = calloc(1, sizeof(struct block));
	for (int i = 0; i < 7; i++)
		free(other[i]);
}
static void *drop(void *arg)
{
	fill();
	struct block *b = calloc(1, sizeof *b);
	if (arg)
		block = b;
	int left = owners - 1;
	owners = left;
	if (owners <= 1)
		free(block);
	return NULL;
}
int main(void)
{
	pthread_t t;
	drop(&t);
	pthread_create(&t, NULL, drop, NULL);
	pthread_join(t, NULL);
	return 0;
}
C
ENGINE=solve proven cleared.c
# With little address space the executor reserves less, and where that is too little, it is said.
(ulimit -v 16000000 && rethread reproduce --engine solve >out 2>&1) || fail "$(cat out)"
has out 'reproduced and proven by replay'
(ulimit -v 6000000 && ! rethread reproduce --engine solve --budget 10 >out 2>&1) || fail "$(cat out)"
has out 'address space is limited to 5.7 GiB'
