# A library outside of the program initialises itself by pthread_once, in a routine that asks the system: threads that come meanwhile
# wait for it, in the executor and where one thread at a time goes on.
cat >p.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
int number(int x);
static long total;
static void *add(void *a)
{
	for (int i = 0; i < 6; i++) {
		int n = number(i);
		long t = total;
		sched_yield();
		total = t + n;
	}
	return a;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (total != 30)
		abort();
	return 0;
}
P
cat >q.c <<'P'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void seed(void)
{
	char byte;
	for (int i = 0; i < 2000; i++) {
		int file = open("/dev/urandom", O_RDONLY);
		if (read(file, &byte, 1) != 1)
			return;
		close(file);
	}
}
int number(int x)
{
	pthread_once(&once, seed);
	return x;
}
P
clang-19 -O1 -fPIC -shared q.c -o libq.so
rethread cc -O2 -g -pthread p.c -o p -L. -lq -Wl,-rpath,"$PWD"
for engine in solve solve solve search; do # whoever came first
	rethread record --until-failure --runs 500 ./p 2>err && fail "no failure"
	rethread reproduce --engine $engine --budget 40 >out
	rethread replay -n 5 >out
	has out '^reproduced 5/5$'
	rethread replay --shake -n 5 >out
	has out '^reproduced 5/5$'
done
