# The thread that fails has only been told so by another, which looked without the lock: explain says what that one had read, not just who set the mark.
cat >rooms.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
enum { GUESTS = 64 };
static char here[GUESTS], there[GUESTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int missing;
static void *looks(void *x)
{
	for (int round = 0; round < 20; round++)
		for (int i = 0; i < GUESTS; i++)
			if (!there[i] && !here[i]) {
				__atomic_fetch_add(&missing, 1, __ATOMIC_SEQ_CST);
				return x;
			}
	return NULL;
}
int main(void)
{
	pthread_t t;
	for (int i = 0; i < GUESTS; i++)
		here[i] = 1;
	pthread_create(&t, NULL, looks, NULL);
	for (int i = 0; i < GUESTS; i++) {
		pthread_mutex_lock(&lock);
		here[i] = 0;
		sched_yield();
		there[i] = 1;
		pthread_mutex_unlock(&lock);
	}
	pthread_join(t, NULL);
	if (missing)
		exit(3);
}
P
rethread cc -O2 -g -pthread rooms.c -o rooms
status 3 rethread record -q --until-failure --runs 2000 ./rooms 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
has short 'In short: thread 1:1 (read|wrote missing \(rooms.c:13\) because it had found) (there|here)\[[0-9]+\]'
