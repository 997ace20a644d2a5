# Engine search keeps to the recorded order of locks: a failure that hangs on nothing else comes in its first attempt.
cat >turns.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static unsigned seen; /* who came, a bit each */
static void *comes(void *who)
{
	pthread_barrier_wait(&both);
	for (int i = 0; i < 12; i++) {
		pthread_mutex_lock(&m);
		seen = seen << 1 | (who != NULL);
		pthread_mutex_unlock(&m);
		sched_yield();
	}
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&t[0], NULL, comes, NULL);
	pthread_create(&t[1], NULL, comes, &m);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	assert((seen + 77u * (unsigned)getpid()) * 0x9e3779b1u >> 27 != 3); /* of all orders, one in 32, and other ones in each run */
	return 0;
}
P
rethread cc -O1 -g -pthread turns.c -o turns
for i in 1 2 3; do
	status 134 rethread record --until-failure --runs 3000 -- ./turns >recorded 2>err
	rethread reproduce --engine search >out 2>&1 || fail "$(cat out)"
	has out 'reproduced and proven by replay: 1 attempt, '
done
