# A racy divisor: division and remainder by zero, and the least number divided by -1. With -O2 two of the divisions are one instruction,
# which has no line.
cat >divisor.c <<'P'
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
static volatile int parts = 1, shares, least = INT_MIN;
static int wrong;
static void *resizes(void *x)
{
	for (int i = 0; i < 200; i++) {
		parts = wrong; /* while it is counted again */
		if (i % 7 == 0)
			sched_yield();
		parts = 1 + i % 3;
	}
	return x;
}
int main(int argc, char **argv)
{
	pthread_t t;
	char what = argv[argc - 1][0];
	wrong = what == '-' ? -1 : 0;
	pthread_create(&t, NULL, resizes, NULL);
	for (int i = 0; i < 200; i++) {
		if (what == '/')
			shares += 60 / parts;
		else if (what == '%')
			shares += 61 % parts;
		else
			shares += least / parts;
	}
	pthread_join(t, NULL);
	printf("%d\n", shares);
	return 0;
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread divisor.c -o divisor
	for what in / % -; do
		status 136 rethread record --until-failure --runs 20000 ./divisor $what >/dev/null 2>err
		has err 'SIGFPE'
		rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$opt $what: $(cat out)"
		rethread replay -n 20 >out 2>&1 || fail "$opt $what: not replayed: $(cat out)"
		has out '^reproduced 20/20$'
		rethread explain >out
		has out 'thread 1 read parts' 'which thread 1:1 had written'
	done
done
