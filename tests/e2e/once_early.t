# Who comes back from pthread_once before the thread that ran the routine does so after the routine's last access: which is no step of
# pthread_once, and the replay does not look for one there.
cat >onces.c <<'P'
/* Several threads need many things that one of them makes; that all are there is what fails. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
enum { N = 60, THREADS = 4 };
static pthread_once_t once[N];
static int made[N];
static __thread int at;
static volatile int rounds;
static pthread_barrier_t start;
static void make(void)
{
	rounds++;
	usleep(200); /* the others wait by now */
	made[at] = at + 1;
}
static void *uses(void *p)
{
	long sum = 0;
	for (at = 0; at < N; at++) {
		pthread_barrier_wait(&start);
		pthread_once(&once[at], make);
		sum += made[at];
	}
	return (void *)sum;
}
int main(void)
{
	pthread_t t[THREADS];
	long sum = 0;
	pthread_barrier_init(&start, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, uses, NULL);
	for (int i = 0; i < THREADS; i++) {
		void *s;
		pthread_join(t[i], &s);
		sum += (long)s;
	}
	if (sum == THREADS * N * (N + 1l) / 2)
		abort();
	return 0;
}
P
rethread cc -O2 -g -pthread onces.c -o onces
status 134 rethread record ./onces 2>err
rethread reproduce --engine solve --budget 40 >out 2>&1 || fail "not reproduced: $(cat out)"
has out 'reproduced and proven by replay'
