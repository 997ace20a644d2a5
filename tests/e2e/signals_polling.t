# A thread that polls and runs handlers in between: what it does not see others do for long is left out up to the next handler.
cat >poll.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static volatile int over, asked, bad;

static void on_signal(int s)
{
	(void)s;
	asked++;
}

static void *poll(void *a)
{
	while (!over) {
	}
	if (asked == 3) /* not known to the others: a thread that comes too late */
		bad = 1;
	return a;
}

int main(void)
{
	pthread_t t;
	signal(SIGUSR1, on_signal);
	pthread_create(&t, NULL, poll, NULL);
	for (int i = 0; i < 3; i++) {
		usleep(150000);
		pthread_kill(t, SIGUSR1);
	}
	usleep(20000);
	over = 1;
	pthread_join(t, NULL);
	assert(!bad);
	return 0;
}
P
rethread cc -O2 -g -pthread -o poll poll.c
status 134 rethread record -q ./poll 2>err
rethread reproduce --engine solve --budget 25 >out 2>&1 || fail "$(cat out)"
rethread replay -n 3 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 3/3$'
