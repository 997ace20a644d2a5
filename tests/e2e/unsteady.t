# Chance has a part in the failure, inside of a library that nothing is recorded of: what fails in some replays only is said to, with how often, and has a status of its own.
cat >p.c <<'P'
#include <pthread.h>
#include <sched.h>
void check(int wrong);
static int total;
static void *add(void *a)
{
	int t = total;
	sched_yield();
	total = t + 1;
	return a;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	check(total != 2);
	return 0;
}
P
cat >q.c <<'P'
#include <stdlib.h>
void check(int wrong)
{
	unsigned low, high;
	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	if (wrong && (low >> 6 & 1))
		abort();
}
P
clang-19 -O1 -fPIC -shared q.c -o libq.so
rethread cc -O2 -g -pthread p.c -o p -L. -lq -Wl,-rpath,"$PWD"
rethread record --until-failure --runs 5000 ./p 2>err && fail "no failure"
status 5 rethread reproduce --engine search --budget 30 --json figures >out 2>&1
has out '^reproduced [1-9][0-9]*/[1-9][0-9]*: not in every replay: .*something decides that no schedule orders'
has figures '"outcome": "unsteady"'
status 1 rethread replay -n 40 >out 2>&1
has out '^reproduced [1-9][0-9]*/40$'
