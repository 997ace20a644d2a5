# What is read in each round of a loop the optimiser reads once, before it, and that has no line any more; the code generator makes one instruction
# of that, the sum and the write in the recorded program, which has the line of the sum, and two in the twin. Both fail in the same place.
cat >moved.c <<'P'
#include <pthread.h>
#include <stdlib.h>
struct session { int seen; int *hits; };
static struct session *volatile current;
static int total;
__attribute__((noinline)) static void tick(struct session *s)
{
	s->seen++;
	for (int i = 0; i < 20; i++)
		++*s->hits;
}
static void *worker(void *unused)
{
	for (int i = 0; i < 3000; i++)
		tick(current);
	return unused;
}
int main(void)
{
	pthread_t t;
	static struct session a = { 0, &total }, b;
	current = &a;
	pthread_create(&t, NULL, worker, NULL);
	for (volatile int i = 0; i < 1000; i++)
		;
	current = &b;
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread moved.c -o moved
status 139 rethread record --until-failure --runs 500 -- ./moved 2>err
rethread reproduce --engine solve --budget 20 >out 2>&1 || fail "not reproduced: $(cat out)"
rethread replay -n 5 | grep -q '5/5' || fail "not replayed"
