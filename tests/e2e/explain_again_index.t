# ABA in a list of numbers: the head has 32 bits and what is behind it 16, and the thread has the head from an exchange that failed.
cat >slots.c <<'P'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
enum { SLOTS = 5, NONE = 0xffff };
static _Atomic unsigned head = NONE;
static struct { _Atomic unsigned short next; atomic_int taken; } slots[SLOTS];
static unsigned take(unsigned pause)
{
	unsigned n = atomic_load(&head);
	while (n != NONE) {
		unsigned next = atomic_load(&slots[n].next);
		if (pause)
			usleep(pause);
		if (atomic_compare_exchange_strong(&head, &n, next))
			break;
	}
	if (n != NONE && atomic_exchange(&slots[n].taken, 1))
		abort(); /* somebody has it */
	return n;
}
static void give(unsigned n)
{
	unsigned was = atomic_load(&head);
	atomic_store(&slots[n].taken, 0);
	do
		atomic_store(&slots[n].next, (unsigned short)was);
	while (!atomic_compare_exchange_strong(&head, &was, n));
}
static void *other(void *p)
{
	take(0);
	usleep(10000);
	unsigned n = take(0);
	take(0);
	give(n);
	return p;
}
int main(void)
{
	pthread_t t;
	for (unsigned i = 0; i < SLOTS; i++)
		give(i);
	pthread_create(&t, NULL, other, NULL);
	take(8000);
	pthread_join(t, NULL);
	take(0);
}
P
rethread cc -O2 -g -pthread slots.c -o slots
status 134 rethread record -q --until-failure --runs 500 ./slots 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short 'In short: ABA: when thread 1 exchanged head \(slots.c:15\), it held what the thread had read there \(slots.c:1[05]\), but had been something else in between, and what was put there \(slots.c:12\) was no longer true\.'
