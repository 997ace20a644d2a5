# What a failure rests on is the branch that led there, not those of the message behind it, which looks at everything again.
cat >sold.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { LOTS = 6, TICK = 20000 };
static pthread_mutex_t book = PTHREAD_MUTEX_INITIALIZER;
static struct lot { int price, leader; struct lot *next; } lot[LOTS], *volatile first;
static void *bids(void *arg)
{
	usleep(TICK); /* bug: it has been sold by then */
	pthread_mutex_lock(&book);
	lot[3].price = 90;
	pthread_mutex_unlock(&book);
	return arg;
}
static int sold(void)
{
	int sum = 0;
	for (struct lot *l = first; l; l = l->next)
		if (l->leader >= 0)
			sum += l->price;
	return sum;
}
int main(void)
{
	pthread_t t;
	for (int i = 0; i < LOTS; i++) {
		lot[i].price = 10;
		lot[i].leader = i % 3 - 1;
		lot[i].next = first;
		first = &lot[i];
	}
	lot[3].leader = 2;
	pthread_create(&t, NULL, bids, NULL);
	pthread_mutex_lock(&book);
	int paid = sold();
	pthread_mutex_unlock(&book);
	pthread_join(t, NULL);
	if (paid != sold()) {
		fprintf(stderr, "paid %d, sold %d\n", paid, sold());
		abort();
	}
	return 0;
}
P
rethread cc -O2 -g -pthread sold.c -o sold
status 134 rethread record -q ./sold 2>err
rethread reproduce >out 2>&1 || fail "$(cat out)"
rethread explain >out
has out '^In short: thread 1 read lot\[3\].price \(sold.c:21\) before thread 1:1 wrote it \(sold.c:12\)' 'it found 90' 'it found 10'
