# A cycle of read-write locks is a deadlock that is seen at once, and reproduced by each engine. The main thread, which joins the others, is
# blocked as well, in the replay of what a search has found too.
cat >tables.c <<'P'
#include <pthread.h>
static pthread_rwlock_t orders = PTHREAD_RWLOCK_INITIALIZER, customers = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both;
static volatile int rows[2];
static void *counts(void *p)
{
	pthread_rwlock_rdlock(&orders);
	pthread_barrier_wait(&both);
	pthread_rwlock_rdlock(&customers);
	rows[0] += rows[1];
	return p;
}
static void *moves(void *p)
{
	pthread_rwlock_wrlock(&customers);
	pthread_barrier_wait(&both);
	rows[1]++;
	pthread_rwlock_wrlock(&orders);
	rows[0]++;
	return p;
}
static void *looks(void *p)
{
	pthread_rwlock_rdlock(&orders);
	rows[0] += 2;
	pthread_rwlock_unlock(&orders);
	return p;
}
int main(void)
{
	void *(*const all[])(void *) = { looks, counts, moves };
	pthread_t t[3];
	pthread_barrier_init(&both, NULL, 2);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, all[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread tables.c -o tables
replayed() {
	has out 'proven by replay'
	rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"
	has out '^reproduced 20/20$'
}
n='read-write lock [0-9]* held by thread'
for scheme in path+sync path; do
	status 124 timeout 30 rethread record --scheme $scheme ./tables 2>err
	has err "deadlock: thread 1:2 waits for $n 1:3, thread 1:3 waits for $n 1:2"
	for engine in solve search; do
		rethread reproduce --engine $engine --budget 40 >out 2>&1 || fail "$scheme, $engine: $(cat out)"
		replayed
	done
done
rethread explain >out
has out 'thread 1:2'
