# Blocks of eight bytes have room for sixteen, which the allocator itself uses: nobody is said to have written behind their end.
cat >small.c <<'P'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
struct pair { int a, b; };
static _Atomic(struct pair *) current;
static struct pair *pair_new(int v)
{
	struct pair *p = malloc(sizeof *p);
	p->a = v;
	p->b = -v;
	return p;
}
static void *reader(void *arg)
{
	struct pair *p = current;
	usleep(20000);
	if (p->a + p->b != 0)
		abort();
	return arg;
}
int main(void)
{
	pthread_t t;
	current = pair_new(7);
	pthread_create(&t, NULL, reader, NULL);
	usleep(10000);
	free(atomic_exchange(&current, pair_new(8)));
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread small.c -o small
status 134 rethread record --until-failure --runs 20 -- ./small 2>err
rethread reproduce --budget 20 >out 2>&1 || fail "not reproduced: $(cat out)"
rethread explain | tr -s ' \n' ' ' >text
has text 'In short: thread 1:1 read pair(#[0-9]+)?.a \(small.c:18\) after thread 1 had freed it'
! grep -q 'behind the end' text || fail "$(cat text)"
