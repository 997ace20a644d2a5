# A handler is taken away while another thread calls it. Without recorded values and times the executor, which runs the
# main thread first, takes every call for one of the function that aborts. An abort with more of the path to come is a wrong guess,
# not the failure; and once a read was found to come before the write, so are the ones after it, without a run for each.
cat >prog.c <<'P'
#include <pthread.h>
#include <stdlib.h>
static int sums[4];
static volatile int done;
static void add(int i) { sums[i % 4] += i; }
static void gone(int i) { (void)i; abort(); }
static void (*volatile handler)(int) = add;
static void *calls(void *a)
{
	for (int i = 0; i < 1000000; i++) {
		handler(i);
		done = i;
		for (volatile int k = 0; k < 2000; k++)
			;
	}
	return a;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, calls, NULL);
	while (done < 100)
		;
	handler = gone;
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread prog.c -o prog
status 134 env RETHREAD_OPTIONS=values=0,time=0 rethread record -o trace ./prog 2>err
rethread reproduce -v --engine solve trace >out 2>err
has out 'proven by replay'
runs=$(sed -n 's/.*symbolically in \([0-9]*\) runs.*/\1/p' err | tail -n 1)
[ "$runs" -lt 20 ] || fail "$runs runs: $(cat err)"
rethread replay -n 5 trace >out
has out 'reproduced 5/5'
