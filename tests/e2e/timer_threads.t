# Threads that the C library makes for timers are not recorded: that is said when it is recorded, and nothing is proven.
cat >timer.c <<'P'
#include <signal.h>
#include <stdlib.h>
#include <time.h>

static volatile int ticks;

static void tick(union sigval v)
{
	ticks += v.sival_int;
}

int main(void)
{
	timer_t t;
	struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick, .sigev_value.sival_int = 1};
	struct itimerspec s = {{0, 1000000}, {0, 1000000}};
	if (timer_create(CLOCK_MONOTONIC, &e, &t) || timer_settime(t, 0, &s, NULL))
		return 2;
	while (ticks < 3) {
	}
	abort();
}
P
rethread cc -O1 -g -o timer timer.c
status 134 rethread record ./timer 2>err
has err 'warning: what threads of timer_create \(SIGEV_THREAD\) did is not recorded'
! rethread reproduce --engine solve --budget 10 >out 2>&1 || fail "$(cat out)"
has out 'SIGEV_THREAD'
! grep -q 'explains the log: proven' out || fail "$(cat out)"
