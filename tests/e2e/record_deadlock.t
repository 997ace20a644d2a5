# A deadlock is seen at once, a hang by --timeout; record ends both and says which.
cat >p.c <<'E'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *other(void *x) {
	pthread_mutex_lock(&b);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&a);
	return x;
}
int main(int n, char **v) {
	(void)v;
	if (n > 1) for (;;) pause();
	pthread_t t;
	pthread_barrier_init(&both, 0, 2);
	pthread_create(&t, 0, other, 0);
	pthread_mutex_lock(&a);
	pthread_barrier_wait(&both);
	pthread_mutex_lock(&b);
	pthread_join(t, 0);
	return 0;
}
E
rethread cc -O2 p.c -o p
status 124 timeout 20 rethread record --until-failure ./p 2>err
has err 'deadlock'
has "$(latest)/meta.json" '"kind": "deadlock"'
status 124 rethread record --timeout 1 ./p hang 2>err
has err 'timeout: still running after 1 s'
