/*
 * Atomics: a stack whose pop reads the next element before it takes the top off (ABA), and a flag with relaxed order.
 *
 * fails: assert
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define CELLS 4
static struct cell {
	_Atomic int owner;
	_Atomic(struct cell *) next;
} cells[CELLS];
static _Atomic(struct cell *) top;
static _Atomic long ops;

static struct cell *pop(int yields)
{
	struct cell *c = atomic_load_explicit(&top, memory_order_acquire);
	while (c) {
		struct cell *next = atomic_load_explicit(&c->next, memory_order_relaxed);
		if (yields)
			sched_yield();
		if (atomic_compare_exchange_weak(&top, &c, next))
			return c;
	}
	return NULL;
}

static void push(struct cell *c)
{
	struct cell *t = atomic_load(&top);
	do
		atomic_store_explicit(&c->next, t, memory_order_relaxed);
	while (!atomic_compare_exchange_weak(&top, &t, c));
}

static void *work(void *x)
{
	int me = (int)(long)x;
	for (int i = 0; i < 60; i++) {
		struct cell *a = pop(i % 3 == 0), *b = pop(0);
		if (a)
			assert(atomic_exchange(&a->owner, me) == 0);
		if (b)
			assert(atomic_exchange(&b->owner, me) == 0);
		atomic_fetch_add_explicit(&ops, (a != NULL) + (b != NULL), memory_order_relaxed);
		if (i % 5 == me)
			sched_yield();
		if (a)
			atomic_store(&a->owner, 0), push(a);
		if (b)
			atomic_store(&b->owner, 0), push(b);
	}
	printf("thread %d is done after %ld\n", me, atomic_load(&ops));
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < CELLS; i++)
		push(&cells[i]);
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%ld operations\n", ops);
}
