# A thread polls two places, and the read before that belongs to something else: a lap then begins in the middle of a round, at the second of them. The
# read that ends the wait is another one than those that went on with it, also where those are one read (src/sym/spin.c) and the laps are left out behind it (src/sym/laps.c).
cat >poll.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
enum { ROUNDS = 6 };
static atomic_int ready;
static volatile int taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *give(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		usleep(3000);
		pthread_mutex_lock(&lock);
		int behind = i - taken;
		pthread_mutex_unlock(&lock);
		atomic_fetch_add(&ready, behind > ROUNDS ? 2 : 1);
	}
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, give, NULL);
	for (int round = 0; round < ROUNDS; round++) {
		while (atomic_load(&ready) <= taken)
			sched_yield();
		pthread_mutex_lock(&lock);
		taken++;
		pthread_mutex_unlock(&lock);
	}
	pthread_join(t, NULL);
	assert(taken != ROUNDS);
}
P
ENGINE=solve proven poll.c
