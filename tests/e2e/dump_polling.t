# The lines of a thread that polls for long are counted, not executed one by one.
cat >poll.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int go;

static void *poll(void *a)
{
	while (!go) {
	}
	return a;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, poll, NULL);
	usleep(300000);
	go = 1;
	pthread_join(t, NULL);
	abort();
}
P
rethread cc -O1 -g -pthread -o poll poll.c
status 134 rethread record -q ./poll 2>err
rethread dump --thread 1:1 --budget 5 >out 2>err
same "$(cat err)" ""
branches=$(sed -n 's/^thread 1:1: \([0-9]*\) branches.*/\1/p' out)
[ "$branches" -gt 1000000 ] || fail "it did not poll: $(cat out)"
has out "so far from line 9 of poll: $((branches + 1)) times in all" 'line poll at poll.c:11'
