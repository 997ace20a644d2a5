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

# What a thread keeps from one round to the next is of the lap before, for a lap that begins behind the read of it: then another read begins a lap.
cat >keep.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int sequence, time_, bid, ask, over;
static void *publish(void *arg)
{
	for (int i = 1; i < 6; i++) {
		atomic_store(&sequence, 2 * i - 1);
		atomic_store(&time_, i);
		atomic_store(&bid, i);
		usleep(i == 5 ? 1000 : 0); /* bug: the other one takes an odd number for that of a whole copy */
		atomic_store(&ask, i);
		atomic_store(&sequence, 2 * i);
		usleep(1000);
	}
	atomic_store(&over, 1);
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, publish, NULL);
	int newest = atomic_load(&time_); /* so the laps that are looked at first begin elsewhere than the rounds */
	while (!atomic_load(&over)) {
		int before = atomic_load(&sequence), when = atomic_load(&time_), b = atomic_load(&bid), a = atomic_load(&ask);
		if (atomic_load(&sequence) != before)
			continue;
		assert(when >= newest);
		newest = when;
		assert(a >= b);
	}
	pthread_join(t, NULL);
}
P
rethread cc -O2 -g -pthread -o keep keep.c
status 134 rethread record -q -o kept ./keep 2>err
rethread infer -v kept >out 2>&1 || fail "$(cat out)"
test "$(sed -n 's/.* \([0-9]*\) events.*/\1/p' out | head -1)" -lt 5000 || fail "laps are executed: $(cat out)"
