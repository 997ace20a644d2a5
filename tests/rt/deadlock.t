# The thread that closes a cycle sees it, at once; nothing is reported where there is none.
program p <<'E'
#include "recorded.h"
static pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t all;
static void *philosopher(void *arg)
{
	long i = (long)arg;
	pthread_mutex_lock(&m[i]);
	pthread_barrier_wait(&all);
	pthread_mutex_lock(&m[(i + 1) % 3]);
	return NULL;
}
static pthread_rwlock_t l[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static void *only_reads(void *arg)
{
	pthread_rwlock_rdlock(&l[0]);
	pthread_barrier_wait(&all);
	usleep(100000);
	pthread_rwlock_unlock(&l[0]);
	return arg;
}
static void *reads_both(void *arg)
{
	pthread_rwlock_rdlock(&l[0]);
	pthread_barrier_wait(&all);
	pthread_rwlock_rdlock(&l[1]);
	return arg;
}
static void *reads_and_ends(void *arg) { pthread_rwlock_rdlock(&l[0]); return arg; }
static void *locks_and_joins(void *arg) { (void)arg; usleep(50000); pthread_mutex_lock(&m[0]); return NULL; }
int main(int argc, char **argv)
{
	pthread_t t[3];
	if (!strcmp(argv[1], "self")) {
		pthread_mutex_lock(&m[0]);
		pthread_mutex_lock(&m[0]);
	}
	if (!strcmp(argv[1], "join")) {
		pthread_mutex_lock(&m[0]);
		pthread_create(&t[0], NULL, locks_and_joins, NULL);
		pthread_join(t[0], NULL);
	}
	pthread_barrier_init(&all, NULL, 3);
	if (!strcmp(argv[1], "upgrade")) {
		pthread_rwlock_rdlock(&l[0]);
		pthread_rwlock_wrlock(&l[0]);
	}
	if (!strcmp(argv[1], "readers") || !strcmp(argv[1], "reader first")) {
		int first = strcmp(argv[1], "readers") != 0;
		pthread_rwlock_wrlock(&l[1]);
		pthread_create(&t[0], NULL, first ? reads_both : only_reads, NULL);
		pthread_create(&t[1], NULL, first ? only_reads : reads_both, NULL);
		pthread_barrier_wait(&all);
		pthread_rwlock_wrlock(&l[0]);
	}
	if (!strcmp(argv[1], "ended")) {
		for (int i = 0; i < 20; i++) {
			pthread_create(&t[0], NULL, reads_and_ends, NULL);
			pthread_join(t[0], NULL);
		}
		pthread_barrier_init(&all, NULL, 2);
		pthread_rwlock_wrlock(&l[1]);
		pthread_create(&t[0], NULL, reads_both, NULL);
		pthread_barrier_wait(&all);
		pthread_rwlock_wrlock(&l[0]);
	}
	for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, philosopher, (void *)i);
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
	return 0;
}
E
deadlocks() { # HOW MESSAGE
	rm -rf trace
	mkdir trace
	RETHREAD_OPTIONS=dir=trace ./p "$1" &
	for i in $(seq 100); do
		sleep 0.02
		dump 2>&1
		grep -q '^failure deadlock' dump && break
	done
	kill -KILL $!
	wait $! 2>/dev/null || true
	dump
	has dump "^failure deadlock 0 [0-9:]* frames [1-9][0-9]* $2\$" '^thread 1.* waits [1-9]'
}
deadlocks self 'thread 1 waits for mutex 1 held by thread 1'
deadlocks join 'thread 1 waits for the end of thread 1:1, thread 1:1 waits for mutex 1 held by thread 1'
deadlocks upgrade 'thread 1 waits for read-write lock 1 held by thread 1'
# Of two readers, one only is in the cycle; the other gives its lock up.
deadlocks readers 'thread 1 waits for read-write lock [0-9]* held by thread 1:2, thread 1:2 waits for read-write lock [0-9]* held by thread 1'
deadlocks 'reader first' 'thread 1 waits for read-write lock [0-9]* held by thread 1:1, thread 1:1 waits for read-write lock [0-9]* held by thread 1'
# Many that have ended without giving it up are in nobody's way: they wait for nothing.
deadlocks ended 'thread 1 waits for read-write lock [0-9]* held by thread 1:21, thread 1:21 waits for read-write lock [0-9]* held by thread 1'
n='thread 1:[123]'
deadlocks three "thread 1:1 waits for mutex . held by $n, $n waits for mutex . held by $n, $n waits for mutex . held by thread 1:1"

# Plenty of blocking in changing order, but never a cycle.
program q <<'E'
#include "recorded.h"
static pthread_mutex_t m[4];
static pthread_rwlock_t l[4];
static void locks(int i, int writes)
{
	if (writes) pthread_rwlock_wrlock(&l[i]);
	else pthread_rwlock_rdlock(&l[i]);
}
static void *thread(void *arg)
{
	unsigned seed = (unsigned)(long)arg;
	for (int i = 0; i < 20000; i++) {
		int a = rand_r(&seed) % 4, b = rand_r(&seed) % 4;
		if (a == b) continue;
		pthread_mutex_lock(&m[a < b ? a : b]);
		pthread_mutex_lock(&m[a < b ? b : a]);
		pthread_mutex_unlock(&m[a]);
		pthread_mutex_unlock(&m[b]);
		locks(a < b ? a : b, i % 3 == 0);
		locks(a < b ? b : a, i % 5 == 0);
		pthread_rwlock_unlock(&l[a]);
		pthread_rwlock_unlock(&l[b]);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[6];
	for (int i = 0; i < 4; i++) pthread_mutex_init(&m[i], NULL), pthread_rwlock_init(&l[i], NULL);
	for (long i = 0; i < 6; i++) pthread_create(&t[i], NULL, thread, (void *)(i + 1));
	for (int i = 0; i < 6; i++) pthread_join(t[i], NULL);
	return 0;
}
E
record 0 ./q
dump
has dump '^failure none' '^flags 4 .*threads 7 dropped 0'

# Nor is it one when a call says that it would be, or when somebody who joins has been cancelled.
program r <<'E'
#include "recorded.h"
#include <errno.h>
static void *cancels(void *other)
{
	pthread_cancel(*(pthread_t *)other);
	pthread_join(*(pthread_t *)other, NULL);
	return NULL;
}
static pthread_barrier_t ready;
static void *joins(void *self)
{
	pthread_t t;
	pthread_barrier_wait(&ready);
	pthread_create(&t, NULL, cancels, self);
	pthread_join(t, NULL);
	return NULL;
}
int main(void)
{
	static pthread_t t[300];
	pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
	pthread_barrier_init(&ready, NULL, 2);
	pthread_rwlock_wrlock(&l);
	if (pthread_rwlock_rdlock(&l) != EDEADLK || pthread_rwlock_wrlock(&l) != EDEADLK) return 1;
	if (pthread_join(pthread_self(), NULL) != EDEADLK) return 3;
	for (int i = 0; i < 4; i++) {
		pthread_mutex_t m;
		pthread_mutexattr_t a;
		pthread_mutexattr_init(&a);
		pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
		pthread_mutexattr_setrobust(&a, i & 1);
		pthread_mutexattr_setprotocol(&a, i & 2 ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE);
		pthread_mutex_init(&m, &a);
		if (pthread_mutex_lock(&m) || pthread_mutex_lock(&m) != EDEADLK || pthread_mutex_unlock(&m)) return 2;
	}
	for (int i = 0; i < 300; i++) {
		pthread_create(&t[i], NULL, joins, &t[i]);
		pthread_barrier_wait(&ready);
	}
	usleep(100000);
	return 0;
}
E
record 0 ./r
dump
has dump '^failure none'
