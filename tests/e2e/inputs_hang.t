# A thread that waits for ever for input that never comes is part of the failure.
cat >p.c <<'P'
#include "race.h"
static int to[2];
static void *waiter(void *x)
{
	char c;
	read(to[0], &c, 1);
	return x;
}
int main(void)
{
	pthread_t w;
	assert(!pipe(to));
	pthread_create(&w, 0, waiter, 0);
	both(20, 20);
	if (total == want)
		write(to[1], "x", 1);
	pthread_join(w, 0);
	return 0;
}
P
rethread cc -O2 -g -I"$ROOT/tests/e2e" p.c -o p
rethread record --until-failure --timeout 2 ./p 2>err || true
has err 'timeout: still running'
rethread reproduce --budget 60 >out 2>&1 || fail "not reproduced: $(cat out)"
rethread replay -n 5 >out
has out '^reproduced 5/5$'
