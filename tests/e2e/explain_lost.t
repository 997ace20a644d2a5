# A write through a pointer that had been replaced: the other thread had copied what was there, or looked at it, and nobody sees the write any more.
cat >slots.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
struct slot { long count; const char *name; };
static struct registry { pthread_mutex_t lock; struct slot *slots; size_t used, size; } registry = {.lock = PTHREAD_MUTEX_INITIALIZER};
static size_t add(struct registry *r, const char *name)
{
	pthread_mutex_lock(&r->lock);
	if (r->used == r->size) {
		struct slot *bigger = calloc(2 * r->size + 2, sizeof *bigger);
		if (r->used)
			memcpy(bigger, r->slots, r->used * sizeof *bigger);
		r->slots = bigger; /* the old one stays, somebody may have it */
		r->size = 2 * r->size + 2;
	}
	r->slots[r->used].name = name;
	size_t i = r->used++;
	pthread_mutex_unlock(&r->lock);
	return i;
}
static void *counts(void *p)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&registry.lock);
		struct slot *s = &registry.slots[(size_t)p];
		pthread_mutex_unlock(&registry.lock);
		if (i % 8 == 7)
			sched_yield();
		s->count++;
	}
	return p;
}
int main(void)
{
	pthread_t t[2];
	for (size_t i = 0; i < 2; i++)
		add(&registry, "first");
	for (size_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, counts, (void *)i);
	for (int i = 0; i < 60; i++)
		add(&registry, "more");
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 2; i++)
		assert(registry.slots[i].count == 100);
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread slots.c -o slots
	status 134 rethread record -q --until-failure --runs 5000 ./slots 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread explain >out
	tr -s ' \n' ' ' <out >text
	has text 'Who came in between: thread 1:[12] read registry.slots: &slot(#[0-9]+)? slots.c:27 .*then thread 1 wrote it: &slot(#[0-9]+)? slots.c:15 .*then thread 1:[12] wrote slot(#[0-9]+)?\[[01]\].count: [0-9]+ slots.c:31 s->count\+\+; which is where the pointer led that had been replaced that came too late: thread 1 had read it before slots.c:14 .*had registry.lock locked then, and gave it up'
done
