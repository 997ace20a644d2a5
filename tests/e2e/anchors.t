# Numbers that come seldom and bound loops are recorded themselves, so that the loops' branches need not be.
cat >p.c <<'P'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct job { long id, rounds; };
static void *work(void *x) {
	struct job *j = x;
	unsigned sum = 1;
	for (int i = 0; i < 1000; i++) {
#pragma clang loop unroll(disable)
		for (long k = j->rounds; k > 0; k--)
			sum = sum % 7 > 2 ? sum * 3 + 1 : sum ^ (unsigned)k;
		pthread_mutex_lock(&m);
		j->id += sum;
		pthread_mutex_unlock(&m);
	}
	return x;
}
int main(int argc, char **argv) {
	pthread_t t[2];
	struct job jobs[2];
	(void)argv;
	for (int i = 0; i < 2; i++) {
		jobs[i] = (struct job){i, argc * 100};
		pthread_create(&t[i], 0, work, &jobs[i]);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return jobs[0].id == jobs[1].id + 1;
}
P
rethread cc -O2 -g -pthread p.c -o p
rethread analyze p >out
has out '^ +10  work +1 load; branches: 2 known$'
rethread record -o trace -- ./p || fail "the recorded program: $?"
rethread dump trace >/dev/null
