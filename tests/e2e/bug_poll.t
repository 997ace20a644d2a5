# Loops that poll, for a long time: one flag, several, through functions, with a lock by hand, and such as count their rounds. Laps that are
# all the same, but for what they count, are not executed.
cat >poll.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static atomic_int a, b, lock;
static atomic_long head, tail;
static volatile int flags[3];
static int kind, data, wrong, odd;
static long tries;
static int ready(void) { return atomic_load(&a) && atomic_load(&b); }
static int all(void) {
	for (int i = 0; i < 3; i++)
		if (!flags[i]) return 0;
	return 1;
}
static void take(void) {
	for (int no = 0;; no = 0) {
		while (atomic_load(&lock)) {
		}
		if (atomic_compare_exchange_strong(&lock, &no, 1)) return;
	}
}
/* As many accesses as the number has bits that are set: a wrong one leads to other places. */
static void use(unsigned long n) {
	for (; n; n >>= 1)
		if (n & 1) odd++;
}
static void *waits(void *x) {
	long n = 0;
	unsigned char steps = 0;
	switch (kind) {
	case 1: while (!atomic_load(&a)) {} break;
	case 2: while (atomic_load(&head) == atomic_load(&tail)) sched_yield(); break;
	case 3: while (!ready()) {} break;
	case 4: take(); atomic_store(&lock, 0); break;
	case 5: while (!all()) {} break;
	case 6: while (!atomic_load(&a)) n++; break;
	case 7: while (!ready() && ++n < 2000000000) sched_yield(); break;
	case 8: while (!atomic_load(&a)) tries += 3; n = tries; break;
	case 9: for (n = 1000; n < 2000000000; n += 2) if (flags[2]) break; break;
	case 10: while (!atomic_load(&a)) if (++steps % 32 == 0) sched_yield(); n = steps; break;
	}
	use((unsigned long)n);
	if (data != 2) wrong++; /* bug: it comes later */
	return x;
}
int main(int argc, char **v) {
	pthread_t t;
	(void)argc;
	kind = atoi(v[1]);
	if (kind == 4) take();
	pthread_create(&t, 0, waits, 0);
	usleep(30000);
	data = 1;
	atomic_store(&a, 1);
	flags[2] = 1;
	usleep(10000);
	flags[0] = 1;
	atomic_store(&b, 1);
	usleep(10000);
	flags[1] = 1;
	tail = 5;
	if (kind == 4) atomic_store(&lock, 0);
	usleep(20000);
	data = 2;
	pthread_join(t, 0);
	if (wrong) abort();
	return 0;
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread poll.c -o poll
	for kind in 1 2 3 4 5 6 7 8 9 10; do
		# Who is not given a processor for 20 ms is too late for the bug.
		rethread record -q --until-failure --runs 50 ./poll $kind 2>err || true
		rethread reproduce --engine solve --budget 50 -v >out 2>&1 || fail "$opt $kind: $(cat out)"
		has out 'reproduced and proven by replay: .* context switch(es)? \((the fewest|few, not proven the fewest, which are at least [0-9]+)\)'
		# A lap each would be a hundred thousand at the least.
		[ "$(sed -n 's/^executed .* SAPs, \([0-9]*\) events.*/\1/p' out | tail -1)" -lt 1000 ] || fail "$opt $kind: $(cat out)"
		rethread replay -n 5 >out 2>&1 || fail "$opt $kind: $(cat out)"
		has out '^reproduced 5/5$'
	done
done
