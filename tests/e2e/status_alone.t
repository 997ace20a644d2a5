# A long run that loses many updates prints how many: an interleaving with that very number is hard to find, but the failure is the
# exit status, so any that ends so will do.
cat >lost.c <<'P2'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
struct port { unsigned up : 1, speed : 7, duplex : 2, vlan : 12, errors : 10; };
static volatile struct port ports[4];
static int ready;
static void together(void)
{
	__atomic_fetch_add(&ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&ready, __ATOMIC_SEQ_CST) < 2)
		sched_yield();
}
static void *links(void *p)
{
	together();
	for (int i = 0; i < 12000; i++)
		ports[i & 3].up = i & 1, ports[i & 3].speed = (unsigned)i & 127;
	return p;
}
static void *counts(void *p)
{
	together();
	for (unsigned i = 0; i < 4000; i++)
		ports[i & 3].errors++; /* bug: the other thread writes the same word */
	return p;
}
int main(void)
{
	pthread_t t[2];
	unsigned errors = 0;
	pthread_create(&t[0], NULL, links, NULL);
	pthread_create(&t[1], NULL, counts, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 4; i++)
		errors += ports[i].errors;
	printf("%u errors\n", errors);
	return errors == 4000 ? 0 : 7;
}
P2
rethread cc -O2 -g -pthread -o lost lost.c
rethread record --until-failure --runs 3000 --timeout 10 -- ./lost >recorded 2>&1 && fail "$(tail -1 recorded)"
has recorded 'exit status 7'
rethread reproduce --engine solve --budget 40 >out 2>&1 || fail "$(tail -1 recorded) $(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
has out 'reproduced 5/5'
