# A number of 64 bits that a thread reads in a block which was given back, where the allocator had left its own: it decides an address, so it is recorded, and is another one here.
cat >number.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static long *volatile shared;
static long slots[8];
static void *uses(void *arg)
{
	long *mine = shared;
	usleep(20000);
	slots[mine[0]++ & 7]++;
	usleep(1000);
	assert(mine[0] == 6);
	return arg;
}
int main(void)
{
	pthread_t t;
	long *block = malloc(56);
	block[0] = 5;
	shared = block;
	pthread_create(&t, NULL, uses, NULL);
	usleep(5000);
	free(block);
	pthread_join(t, NULL);
	return (int)slots[0];
}
C
rethread cc -O1 -g -pthread number.c -o number
rethread record ./number 2>err && fail "did not fail: $(cat err)"
has err 'assert: number.c:13'
rethread reproduce --engine solve --budget 30 >out 2>&1 || fail "not inferred: $(cat out)"
rethread replay -n 10 >out 2>&1 || fail "not replayed: $(cat out)"
has out '^reproduced 10/10$'
