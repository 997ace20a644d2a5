# Three counters lose updates in the same two lines, and the first is found wrong: it lost its last one long before the end, further than the slice goes back, the others lose some up to
# the end. Who came in between is told of the one that is wrong.
cat >counters.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
enum { ROUNDS = 600, EARLY = 60 };
struct counter { pthread_mutex_t lock; long n, most; };
static struct counter counters[3] = {{PTHREAD_MUTEX_INITIALIZER, 0, 1 << 20}, {PTHREAD_MUTEX_INITIALIZER, 0, 1 << 20}, {PTHREAD_MUTEX_INITIALIZER, 0, 1 << 20}};
static void add(struct counter *c)
{
	long n = c->n; /* too early */
	sched_yield();
	pthread_mutex_lock(&c->lock);
	c->n = n + 1 < c->most ? n + 1 : c->most;
	pthread_mutex_unlock(&c->lock);
}
static void add_whole(struct counter *c)
{
	pthread_mutex_lock(&c->lock);
	c->n = c->n + 1 < c->most ? c->n + 1 : c->most;
	pthread_mutex_unlock(&c->lock);
}
static void *counts(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		if (i % 3 || i < EARLY)
			add(&counters[i % 3]);
		else
			add_whole(&counters[0]);
	return arg;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, counts, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(counters[0].n == 2 * (ROUNDS / 3));
	return 0;
}
P
rethread cc -O1 -g -pthread counters.c -o counters
status 134 rethread record -q --until-failure --runs 3000 ./counters 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short 'In short: thread (1:[12]) overwrote \(counters.c:13\) what thread 1:[12] had written to counters\[0\].n \(counters.c:(13|19)\) without having seen it: it had read it before that \(counters.c:10\); thread \1 does not have counters\[0\].lock \(counters.c:10\)\.'
