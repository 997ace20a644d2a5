# A barrier by hand that hangs: threads go round for a second, each time the same. A replay goes round a few times, and not as often.
cat >barrier.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
enum { THREADS = 3, PHASES = 3000 };
static atomic_int count;
static int grid[THREADS][PHASES], yields;
static void barrier(void) {
	if (atomic_fetch_add(&count, 1) == THREADS - 1) {
		atomic_store(&count, 0);
		return;
	}
	while (atomic_load(&count) != 0) /* bug: may be 1 again before this one has looked */
		if (yields) sched_yield();
}
static void *run(void *a) {
	int me = (int)(long)a, other = (me + 1) % THREADS;
	for (int p = 0; p < PHASES; p++) {
		grid[me][p] = p + me;
		barrier();
		assert(grid[other][p] == p + other);
	}
	return a;
}
int main(int argc, char **v) {
	(void)v;
	pthread_t t[THREADS];
	yields = argc > 1;
	for (long i = 0; i < THREADS; i++) pthread_create(&t[i], 0, run, (void *)i);
	for (int i = 0; i < THREADS; i++) pthread_join(t[i], 0);
	return 0;
}
P
rethread cc -O2 -g -pthread barrier.c -o barrier
for how in "" yields; do
	status 124 rethread record -q --timeout 1 --until-failure --runs 50 ./barrier $how 2>err
	rethread reproduce --engine solve --budget 50 >out 2>&1 || fail "$how: $(cat out)"
	has out 'proven by replay'
	# The recorded run had millions of rounds.
	awk '/^fail/ && $3 > 100000 { print; exit 1 }' "$(latest)/schedule" || fail "$how: $(cat "$(latest)/schedule")"
	rethread replay -n 2 >out 2>&1 || fail "$how: $(cat out)"
	has out '^reproduced 2/2$'
done
