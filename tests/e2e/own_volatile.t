# A volatile variable that nobody else knows, as delay loops and functions that call setjmp have, changes like any other of a thread's own:
# the branches on it are not recorded. One that a signal handler or another thread comes to is anybody's.
cat >p.c <<'P2'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

static volatile long loose;
static volatile int *heard[2];

static void handler(int sig)
{
	(void)sig;
	*heard[0] = 1;
}

static void delay(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}

static int retried(void)
{
	jmp_buf again;
	volatile int tries = 0;
	setjmp(again);
	if (++tries < 3)
		longjmp(again, 1);
	return tries;
}

static long await_signal(void)
{
	volatile int told = 0;
	long rounds = 0;
	heard[0] = &told;
	raise(SIGUSR1);
	while (!told)
		rounds++;
	return rounds;
}

static void *work(void *unused)
{
	(void)unused;
	for (long i = 0; i < 200; i++) {
		delay((int)(i % 7) * 10);
		loose = loose + 1; /* bug: both threads do */
	}
	return (void *)(long)(retried() - 3);
}

int main(int argc, char **argv)
{
	pthread_t t[2];
	signal(SIGUSR1, handler);
	if (await_signal() && argc > 5)
		return 1;
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++) {
		void *wrong;
		pthread_join(t[i], &wrong);
		if (wrong)
			return 2;
	}
	(void)argv;
	if (loose != 400)
		abort();
	return 0;
}
P2
ENGINE=solve proven p.c
rethread analyze p >out
sed -n '/^ *[0-9]* *delay /p' out | tee delay | grep 'branches: [0-9]* known' && ! grep recorded delay || fail "a delay loop is recorded: $(cat delay)"
sed -n '/^ *[0-9]* *retried /p' out | grep 'branches: [0-9]* known' || fail "what setjmp came back to is recorded: $(cat out)"
sed -n '/^ *[0-9]* *await_signal /p' out | grep 'recorded' || fail "what a handler writes is taken for known: $(cat out)"
