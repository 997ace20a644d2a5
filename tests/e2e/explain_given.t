# A failure that rests on what came from outside only: neither texts nor `stderr` are said to be what the thread found there before anybody had written it.
cat >given.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int ends[2];
static void *reader(void *arg)
{
	int n = 0;
	if (read(ends[0], &n, sizeof n) != sizeof n || n != 1) {
		fprintf(stderr, "number %d came\n", n);
		abort();
	}
	return arg;
}
static void *writer(void *arg)
{
	int n = 2;
	return write(ends[1], &n, sizeof n) == sizeof n ? arg : NULL;
}
int main(void)
{
	pthread_t t[2];
	if (pipe(ends))
		return 1;
	pthread_create(&t[0], NULL, reader, NULL);
	pthread_create(&t[1], NULL, writer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread given.c -o given
status 134 rethread record -- ./given 2>err
rethread reproduce --budget 20 >out 2>&1 || fail "not reproduced: $(cat out)"
rethread explain | tr -s ' \n' ' ' >text
! grep -qE 'stderr =|\.str|nobody is known to have written' text || fail "$(cat text)"
has text 'In short: '
