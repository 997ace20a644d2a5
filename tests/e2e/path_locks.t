# Scheme path: the order of read-write locks, spinlocks, recursive mutexes and tries is inferred; once is known.
cat >rw.c <<'P'
/* A cache under a read-write lock: looked up as a reader, filled as a writer, without looking again.
 * args: 
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int filled, fills;
static void *user(void *p)
{
	for (int i = 0; i < 4; i++) {
		pthread_rwlock_rdlock(&lock);
		int there = filled;
		pthread_rwlock_unlock(&lock);
		sched_yield();
		if (!there) {
			pthread_rwlock_wrlock(&lock);
			filled = 1;
			fills++;
			pthread_rwlock_unlock(&lock);
		}
	}
	if (!pthread_rwlock_trywrlock(&lock)) {
		pthread_rwlock_unlock(&lock);
	}
	return p;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, user, NULL);
	for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
	assert(fills == 1);
	printf("%d\n", fills);
}
P
SCHEME=path proven rw.c
cat >once.c <<'P'
/* Once, a spinlock, a mutex that is tried, a recursive one.
 * args: 
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int limit, count, busy, rounds;
static void begin(void) { pthread_spin_init(&spin, 0); limit = 6; }
static int get(void)
{
	pthread_mutex_lock(&mutex);
	int c = count;
	pthread_mutex_unlock(&mutex);
	return c;
}
static void *worker(void *p)
{
	pthread_once(&once, begin);
	for (int i = 0; i < limit / 2; i++) {
		pthread_mutex_lock(&mutex);
		int c = get();
		pthread_mutex_unlock(&mutex);
		if (pthread_mutex_trylock(&other)) {
			busy++;
		} else {
			sched_yield();
			pthread_mutex_unlock(&other);
		}
		pthread_spin_lock(&spin);
		count = c + 1;
		rounds++;
		pthread_spin_unlock(&spin);
	}
	return p;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
	assert(count == limit);
	printf("%d %d %d\n", count, busy, rounds);
}
P
SCHEME=path proven once.c
