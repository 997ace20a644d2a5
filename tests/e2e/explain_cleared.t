# Who clears a place for the next round and reads there later what another has put there by then did not count: what explains the failure is who looked at an entry that both then marked.
cat >rounds.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>
enum { ROUNDS = 10 };
static int queue[2], length, next, total;
static bool done[ROUNDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t phase;
static int take(void)
{
	int item = -1;
	pthread_mutex_lock(&lock);
	if (next < length)
		item = queue[next++];
	pthread_mutex_unlock(&lock);
	return item;
}
static void put(int item)
{
	pthread_mutex_lock(&lock);
	queue[length++] = item;
	pthread_mutex_unlock(&lock);
}
static void *works(void *fills)
{
	for (int round = 0; round < ROUNDS; round++) {
		if (fills) {
			put(round);
			put(round);
		}
		pthread_barrier_wait(&phase);
		for (int item; (item = take()) >= 0;)
			if (!done[item]) {
				usleep(1);
				done[item] = true;
				__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
			}
		pthread_barrier_wait(&phase);
		if (!fills)
			length = next = 0;
		pthread_barrier_wait(&phase);
	}
	return fills;
}
int main(void)
{
	pthread_t t[2];
	pthread_barrier_init(&phase, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, works, i ? t : NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(total == ROUNDS);
}
P
rethread cc -O2 -g -pthread rounds.c -o rounds
status 134 rethread record -q --until-failure --runs 1000 ./rounds 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1:[12] overwrote \(rounds.c:37\) what thread 1:[12] had written to done\[[0-9]\] \(rounds.c:37\) without having seen it'
