# A run without end in which a thread polls for what never comes: recorded by its timeout, inferred, and replayed, where it does not end either.
cat >live.c <<'P'
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int arrived;
static volatile int count;
static pthread_barrier_t start;
static void *counts(void *x) {
	pthread_barrier_wait(&start);
	int c = count;
	usleep(2000); /* bug: an update is lost here */
	count = c + 1;
	atomic_fetch_add(&arrived, 1);
	return x;
}
static void *waits(void *x) {
	while (atomic_load(&arrived) < 2) {
	}
	while (count < 2) {
	}
	return x;
}
int main(void) {
	pthread_t t[3];
	pthread_barrier_init(&start, 0, 2);
	for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, i < 2 ? counts : waits, 0);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	return 0;
}
P
rethread cc -O2 -g -pthread live.c -o live
for how in "path+sync solve" "rw follow"; do
	set -- $how
	status 124 rethread record -q --scheme $1 --timeout 1 --until-failure --runs 50 ./live 2>err
	rethread reproduce --engine $2 --budget 50 >out 2>&1 || fail "$how: $(cat out)"
	has out 'proven by replay'
	rethread replay -n 2 >out 2>&1 || fail "$how: $(cat out)"
	has out '^reproduced 2/2$'
done
