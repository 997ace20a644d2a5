# Threads that hold a stream's lock write with macros: the lock orders them like any other, and they race elsewhere.
cat >p.c <<'P'
#include "race.h"
static void *say(void *n)
{
	for (int i = 0; i < 5; i++) {
		flockfile(stdout);
		putc_unlocked('a' + (int)(long)n, stdout);
		add(3);
		putc_unlocked('\n', stdout);
		funlockfile(stdout);
		add(2);
	}
	return NULL;
}
int main(void)
{
	pthread_t t, u;
	want = 50;
	pthread_create(&t, NULL, say, (void *)0);
	pthread_create(&u, NULL, say, (void *)1);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return judge();
}
P
rethread cc -O2 -g -I"$ROOT/tests/e2e" p.c -o p
reproduced /dev/null ./p
! grep 'is not recorded: ' err || fail 'unknown functions'
