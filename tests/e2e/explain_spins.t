# A thread that does not wait, but goes round for ever: what it finds, who left that, and why it stays so: it did not see what was there for a moment, or who would have let
# it go on had looked too early.
first() { # TRACE: into the file `short`
	rethread reproduce --budget 30 "$1" >out 2>&1 || fail "$(cat out)"
	rethread explain "$1" >out
	sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
}
cat >spin.c <<'P'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int go, ready;
static void *worker(void *arg)
{
	for (int round = 0; round < 3; round++) {
		atomic_fetch_add(&ready, 1);
		while (!atomic_load(&go))
			;
	}
	return arg;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int round = 0; round < 3; round++) {
		while (atomic_load(&ready) < 2)
			;
		atomic_store(&ready, 0);
		atomic_store(&go, 1);
		atomic_store(&go, 0);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}
P
rethread cc -O2 -g -pthread spin.c -o spin
status 124 rethread record -q --until-failure --runs 500 --timeout 1 -o spin.trace ./spin 2>err
first spin.trace
has short 'In short: thread 1:[12] goes round for ever: it finds go = 0 \(spin.c:8\), which thread 1 had written \(spin.c:23\); before that thread 1 had set it to 1 \(spin.c:22\), which thread 1:[12] did not see\. $'
cat >mcs.c <<'P'
#include <pthread.h>
#include <stdatomic.h>
struct node {
	_Atomic(struct node *) next;
	atomic_int locked;
};
static _Atomic(struct node *) tail;
static long counter;
static void lock(struct node *me)
{
	atomic_store(&me->next, NULL);
	atomic_store(&me->locked, 1);
	struct node *before = atomic_exchange(&tail, me);
	if (before) {
		atomic_store(&before->next, me);
		while (atomic_load(&me->locked))
			;
	}
}
static void unlock(struct node *me)
{
	struct node *next = atomic_load(&me->next);
	if (!next) {
		struct node *expected = me;
		if (atomic_compare_exchange_strong(&tail, &expected, NULL))
			return;
		next = atomic_load(&me->next);
		if (!next)
			return;
	}
	atomic_store(&next->locked, 0);
}
static void *work(void *arg)
{
	struct node me;
	for (int i = 0; i < 200; i++) {
		lock(&me);
		counter++;
		unlock(&me);
	}
	return arg;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread mcs.c -o mcs
status 124 rethread hunt -q --seed 3 --timeout 1 -o mcs.trace ./mcs 2>err
first mcs.trace
has short 'In short: thread (1:[12]) goes round for ever: it finds me.locked = 1 \(mcs.c:16\), which it had written itself \(mcs.c:12\), and nobody has changed; thread 1:[12] had looked at me.next \(mcs.c:(22|27)\) before thread \1 wrote it \(mcs.c:15\)\. $'
