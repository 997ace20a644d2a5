# Of two loads through one pointer, which nothing keeps in order, the code generator puts the second first, in the recorded program: it faults there, and the
# twin, where a gate stands between them, in the first one.
cat >turned.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
struct event { long source; char *at; long n; char local[16]; };
static struct event *slots[64];
static _Atomic int tail;
static void *source(void *unused)
{
	for (int i = 0; i < 60; i++) {
		struct event *e = malloc(sizeof *e);
		*e = (struct event){ i, i % 3 ? e->local : malloc(40), 8, "" };
		tail = i + 1;
		sched_yield();
		slots[i] = e;
	}
	return unused;
}
int main(void)
{
	pthread_t t;
	long chars = 0;
	pthread_create(&t, NULL, source, NULL);
	for (int i = 0; i < 60; i++) {
		while (tail <= i)
			;
		struct event *e = slots[i];
		chars += e->n;
		if (e->at != e->local)
			free(e->at);
		free(e);
	}
	pthread_join(t, NULL);
	return printf("%ld\n", chars) < 0;
}
P
rethread cc -O2 -g -pthread turned.c -o turned
status 139 rethread record -q --until-failure --runs 100 ./turned 2>err
rethread reproduce --engine solve --budget 20 >out 2>&1 || fail "not reproduced: $(cat out)"
rethread replay -n 5 | grep -q '5/5' || fail "not replayed"
rethread explain | tr -s ' \n' ' ' >text
has text 'In short: thread 1:1 let others see tail \(turned.c:14\) before it wrote slots\[[0-9]+\] \(turned.c:16\), which thread 1 read in between \(turned.c:28\)\.'
