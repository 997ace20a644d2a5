# Hunt: a thread that tries for a lock, and counts how often, waits for whoever has it. It had the turn for ever before, and the run "hung".
cat >p.c <<'P'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int tries, sum;
static void *add(void *p)
{
	for (int i = 0; i < 5; i++) {
		while (pthread_mutex_trylock(&lock))
			tries++;
		sum++;
		pthread_mutex_unlock(&lock);
	}
	return p;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return sum != 15;
}
P
rethread cc -O2 -g -pthread -o p p.c
rethread hunt --runs 100 --timeout 4 ./p 2>err || fail "$(cat err)"
has err 'no failure in 100 runs'
