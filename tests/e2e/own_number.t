# Which of its kind a thread is, in the place of a pointer, is known to inference like any number: what it decides is not recorded. So is what a
# thread is given by several creators, and what comes out of a number that was stored as a pointer.
cat >p.c <<'P2'
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

static volatile long loose;
static long sums[8];

static void *count(void *number)
{
	long id = (long)number, sum = 0;
	for (long i = 0; i < 100 * (id + 1); i++)
		sum += i % (id + 3) ? i : -i;
	sums[id] = sum;
	long was = loose;
	sched_yield();
	loose = was + 1; /* bug: all threads do */
	return NULL;
}

static void *climb(void *number)
{
	int steps = (int)(intptr_t)number, height = 0;
	for (int i = 0; i < steps; i++)
		height += i & 1 ? 2 : -1;
	long was = loose;
	sched_yield();
	loose = was + 1;
	return (void *)(intptr_t)height;
}

int main(void)
{
	pthread_t t[6];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, count, (void *)i);
	pthread_create(&t[3], NULL, count, (void *)(uintptr_t)5);
	for (int i = 4; i < 6; i++)
		pthread_create(&t[i], NULL, climb, (void *)(intptr_t)(i * 10));
	for (int i = 0; i < 6; i++)
		pthread_join(t[i], NULL);
	if (loose != 6)
		abort();
	return sums[5] == 1;
}
P2
ENGINE=solve proven p.c
rethread analyze p >out
for f in count climb; do
	sed -n "/^ *[0-9]* *$f /p" out >lines
	grep -q 'known' lines || fail "$f has no known branches: $(cat out)"
done
grep -E '^ *[0-9]+ +(count|climb) .*recorded' out && fail "what a thread's number decides is recorded: $(cat out)"
true
