# A count that two threads change at once without the lock, which loses one of the changes: that is said, and not that the one came too early because it had taken work from the same
# queue before. Whichever interleaving hunt finds.
cat >parts.c <<'P'
#include <pthread.h>
enum { PARTS = 24 };
static int queue[PARTS + 1], first, last, left = PARTS + 1, missing = PARTS;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static void add(int n)
{
	pthread_mutex_lock(&lock);
	queue[last++] = n;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
}
static void *works(void *x)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (first == last && left)
			pthread_cond_wait(&more, &lock);
		int n = left ? queue[first++] : -1;
		pthread_mutex_unlock(&lock);
		if (n < 0)
			return x;
		if (n < PARTS && --missing == 0) /* without the lock */
			add(PARTS);
		pthread_mutex_lock(&lock);
		if (--left == 0)
			pthread_cond_broadcast(&more);
		pthread_mutex_unlock(&lock);
	}
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < PARTS; i++)
		add(i);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, works, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}
P
rethread cc -O2 -g -pthread parts.c -o parts
for seed in 1 2 3; do
	status 124 rethread hunt -q --seed $seed ./parts 2>err
	rethread reproduce >out 2>&1 || fail "$(cat out)"
	rethread explain >out
	sed -n '/^In short/,/^$/p' out | tr -s ' \n' ' ' >short
	has short '\. Thread 1:[123] overwrote \(parts.c:23\) what thread 1:[123] had written to missing \(parts.c:23\) without having seen it'
done
