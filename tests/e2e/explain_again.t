# ABA, by both engines: the head of a list is what it was when a thread looked, but what is behind it is not.
cat >list.c <<'P'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
struct node { _Atomic(struct node *) next; atomic_int taken; };
static struct { _Atomic(struct node *) head; } list;
static struct node *take(unsigned pause)
{
	struct node *n = atomic_load(&list.head);
	while (n) {
		struct node *next = atomic_load(&n->next);
		if (pause)
			usleep(pause);
		if (atomic_compare_exchange_weak(&list.head, &n, next))
			break;
	}
	if (n && atomic_exchange(&n->taken, 1))
		abort(); /* somebody has it */
	return n;
}
static void give(struct node *n)
{
	struct node *head = atomic_load(&list.head);
	atomic_store(&n->taken, 0);
	do
		atomic_store(&n->next, head);
	while (!atomic_compare_exchange_weak(&list.head, &head, n));
}
static void *other(void *p)
{
	give(take(0));
	usleep(4000);
	struct node *n = take(0);
	take(0);
	give(n);
	return p;
}
int main(void)
{
	pthread_t t;
	for (int i = 0; i < 3; i++)
		give(calloc(1, sizeof(struct node)));
	pthread_create(&t, NULL, other, NULL);
	usleep(2000);
	take(8000);
	pthread_join(t, NULL);
	take(0);
}
P
for opt in -O0 -O2 "-O2 search"; do
	rethread cc ${opt% *} -g -pthread list.c -o list
	status 134 rethread record -q --until-failure --runs 500 ./list 2>err
	rethread reproduce --engine $([ "${opt#* }" = search ] && echo search || echo solve) --budget 60 >out 2>&1 || fail "$opt: $(cat out)"
	rethread explain >out
	sed -n '/^What came round again:$/,/^$/p' out | tr -s ' \n' ' ' >text
	has text 'thread 1 read list(.head)?: .* list.c:9 .* and thread 1 read .* list.c:11 .* then thread 1:1 updated list(.head)?: .* list.c:14 .*and thread 1:1 wrote .* list.c:26 .*then thread 1 updated list(.head)?: .* list.c:14 .*which was no longer true'
done
