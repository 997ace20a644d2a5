/*
 * A read-write lock that is given up between looking and writing.
 *
 * fails: assert
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[8], used, tries;

static void *insert(void *x)
{
	int me = (int)(long)x;
	for (int key = 1; key <= 6; key++) {
		pthread_rwlock_rdlock(&lock);
		int found = 0, at;
		for (int i = 0; i < used; i++)
			found |= table[i] == key;
		at = used;
		pthread_rwlock_unlock(&lock);
		if (found)
			continue;
		if (key % 3 == 0)
			sched_yield();
		if (pthread_rwlock_trywrlock(&lock) == EBUSY) {
			__atomic_fetch_add(&tries, 1, __ATOMIC_RELAXED);
			pthread_rwlock_wrlock(&lock);
		}
		printf("thread %d puts %d at %d of %d\n", me, key, at, used);
		table[used++ % 8] = key;
		pthread_rwlock_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, insert, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d keys, %d tries in vain\n", used, tries);
	fflush(stdout);
	assert(used == 6);
}
