# Who goes round for ever looks so often that nothing else would be in the trail of `hunt`: it has the same look a few times only, so that it is known what was there for a moment.
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
status 124 rethread hunt -q --timeout 1 -o spin.trace ./spin 2>err
first spin.trace
has short 'In short: thread 1:[12] goes round for ever: it finds go = 0 \(spin.c:8\), which thread 1 had written \(spin.c:23\); before that thread 1 had set it to 1 \(spin.c:22\), which thread 1:[12] did not see\. $'
