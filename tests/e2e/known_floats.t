# Numbers of a thread's own that are rounded, converted to integers, or go through functions that IEEE 754 defines to the last bit come out the same
# in the executor: branches on them are not recorded, also where the target has instructions for a product with a sum. That the run failed shows what they came to.
cat >p.c <<'P'
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
static volatile int turn;
static unsigned long sum;
/* A thread's own numbers: what is rounded, and made an integer of, comes out the same everywhere. */
static unsigned long own(int n, double x)
{
	unsigned long s = 0;
	int bound = (int)(n * 1.5);
	for (int i = 0; i < bound; i++)
		s += (unsigned long)(i * 0.75);
	for (int i = 0; i < n; i++) {
		x = x * 1.1 + i * 0.3;
		if (sqrt(x) > 20)
			x = fmod(x, 0.7);
		if ((long)(x * 1e15) % 3)
			s++;
	}
	return s;
}
static void *work(void *a)
{
	unsigned long s = own(100, 0.5) + own((int)strtol("50", NULL, 10), 0.25);
#ifdef SHOW
	printf("%lu\n", s);
#endif
	int t = turn;
	sched_yield();
	turn = t + 1;
	sched_yield();
	assert(turn == t + 1 || s != EXPECTED);
	__atomic_fetch_add(&sum, s, __ATOMIC_RELAXED);
	return a;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
P
try() { # try OPTIONS...
	clang-19 "$@" -pthread -DEXPECTED=0 -DSHOW p.c -o native -lm
	./native | sort -u >sum
	rethread cc "$@" -g -pthread -DEXPECTED="$(cat sum)" p.c -o p -lm
	rethread analyze --why p >out
	! grep -E 'sqrt|fmod|strtol|differently' out || fail "recorded with $*"
	status 134 rethread record -q --until-failure --runs 5000 -o trace -- ./p 2>err
	rethread reproduce --engine solve trace >out 2>&1 || fail "not reproduced with $*: $(cat out)"
	rm -r trace
	cat sum
}
try -O1 >plain
grep -qw fma /proc/cpuinfo || exit 0
try -O2 -mfma >fused
! cmp -s plain fused || fail "the same sum with and without the instruction: $(cat plain)"
