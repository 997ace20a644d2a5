# A thread that is cancelled while it waits for a signal takes its lock again, and ends with it where no cleanup handler gives it up.
cat >taker.c <<'P'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int waiting, items;
static void *takes(void *p)
{
	pthread_mutex_lock(&lock);
	waiting = 1;
	while (!items)
		pthread_cond_wait(&more, &lock);
	items--;
	pthread_mutex_unlock(&lock);
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, takes, NULL);
	for (int seen = 0; !seen; usleep(100)) {
		pthread_mutex_lock(&lock);
		seen = waiting;
		pthread_mutex_unlock(&lock);
	}
	pthread_cancel(t);
	pthread_join(t, NULL);
	pthread_mutex_lock(&lock);
	items++;
	pthread_mutex_unlock(&lock);
}
P
rethread cc -O2 -g -pthread taker.c -o taker
status 124 rethread record -q --timeout 10 ./taker 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
tr -s ' \n' ' ' <out >text
has text 'thread 1 waits for ever for lock \(taker.c:27\): thread 1:1 took it again \(taker.c:11\) when it was cancelled, and ended without giving it up\.' \
	'which thread 1:1 took again when it was cancelled here, and did not give up before it ended'
