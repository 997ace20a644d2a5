# A handler that spoils errno: the program fails when it is recorded as it does by itself, and so it does in a replay.
cat >spoil.c <<'P'
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int came;
static sem_t here;
static void spoils(int s)
{
	came = 1;
	close(-1); /* bug: errno is EBADF from now on */
	(void)s;
}
static void harmless(int s)
{
	int saved = errno;
	came = 1;
	close(-1);
	errno = saved;
	(void)s;
}
static void *counts(void *x)
{
	char byte;
	errno = 0;
	sem_post(&here);
	while (!came)
		*(long *)x += 1;
	/* A call that is done, and one that fails: the handler came before that. */
	int was = errno;
	assert(read(-1, &byte, 1) == -1 && errno == EBADF);
	assert(was == 0);
	return x;
}
int main(int argc, char **v)
{
	pthread_t t;
	long n = 0;
	(void)argc;
	signal(SIGUSR1, v[1][0] == 's' ? spoils : harmless);
	sem_init(&here, 0, 0);
	pthread_create(&t, NULL, counts, &n);
	sem_wait(&here);
	pthread_kill(t, SIGUSR1);
	pthread_join(t, NULL);
	puts("fine");
	return 0;
}
P
clang -g -pthread spoil.c -o plain
status 134 ./plain spoils 2>/dev/null
rethread cc -O1 -g -pthread spoil.c -o p
status 134 rethread record -- ./p spoils >recorded 2>err
rethread reproduce --engine solve >out 2>&1 || fail "not reproduced: $(cat out)"
rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"
has out '^reproduced 20/20$'
status 0 rethread record -- ./p harmless >recorded
same "$(cat recorded)" fine
status 134 rethread record --scheme rw -- ./p spoils >recorded 2>err
rethread reproduce >out 2>&1 || fail "not followed: $(cat out)"
rethread replay -n 20 >out 2>&1 || fail "not replayed: $(cat out)"
has out '^reproduced 20/20$'
