# What `hunt` found is explained also where it went wrong thousands of accesses before it showed, and the executor cannot follow (asm goto), so that the trail is all there is.
cat >p.c <<'C'
#include <assert.h>
#include <pthread.h>
enum { THREADS = 3, ROUNDS = 3000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int users; long hits; } table;
static void *work(void *arg)
{
	table.users++; /* bug: without the lock */
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		table.hits++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
int main(void)
{
	pthread_t t[THREADS];
	__asm__ goto("" : : : : begins);
begins:
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	assert(table.users == THREADS);
	return 0;
}
C
rethread cc -O2 -g -pthread p.c -o p
status 134 rethread hunt -q --runs 3000 ./p
rethread reproduce >out 2>&1 || fail "$(cat out)"
rethread explain >out
has out '^Who came in between:$' 'thread 1:. read table.users: ' 'then thread 1:. wrote it: ' '\([0-9]{4,} other steps\)'
# Nobody else wrote it since, but of that the trail has lost too much to say so.
has out 'who had written that is not known'
