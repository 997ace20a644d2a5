# Workers that look at a configuration again and again while another thread now and then makes a new one: in between they read the
# same, some hundred thousand times, and that is not a symbol for each read. Their laps are not alike, so none is left out.
cat >config.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
enum { WEIGHTS = 6, LAST = 8 };
struct config { int weights[WEIGHTS]; volatile int sum; };
static struct config *volatile current;
static volatile int stop;
static void pass(int n)
{
	for (volatile int i = 0; i < n; i++)
		;
}
static struct config *make(int version)
{
	struct config *c = malloc(sizeof *c);
	c->sum = 0;
	for (int i = 0; i < WEIGHTS; i++)
		c->sum += c->weights[i] = version + i;
	return c;
}
static void *publish(void *arg)
{
	for (int version = 1; version <= LAST; version++) {
		usleep(1500);
		struct config *c = make(version);
		int sum = c->sum;
		if (version == LAST)
			c->sum = 0;
		current = c; /* bug: the last one is seen before it is whole */
		if (version == LAST)
			usleep(5000);
		c->sum = sum;
	}
	stop = 1;
	return arg;
}
static void *work(void *arg)
{
	unsigned x = (unsigned)(long)arg;
	long done = 0;
	while (!stop) {
		const struct config *c = current;
		int sum = 0;
		for (int i = 0; i < WEIGHTS; i++) {
			x = x * 1664525u + 1013904223u;
			sum += c->weights[i];
			done += x >> 28 == 3 ? 1 : 0;
		}
		if (sum != c->sum)
			abort();
		pass(x >> 28 == 5 ? 100 : 90);
	}
	return (void *)done;
}
int main(void)
{
	pthread_t t[3];
	current = make(0);
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i < 2 ? work : publish, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
P
rethread cc -O1 -g -pthread -o config config.c
rethread record -q --until-failure --runs 50 ./config >rec 2>&1 || true
rethread reproduce --engine solve --budget 60 -v >out 2>&1 || fail "$(cat out)"
symbols=$(sed -n 's/^executed.* \([0-9]*\) symbols.*/\1/p' out | head -n 1)
# Up to 300000 are no trouble, and are left as they are.
test "$symbols" -le 300000 || fail "$symbols symbols"
same "$(rethread replay -n 5 2>&1 | tail -n 1)" "reproduced 5/5"
