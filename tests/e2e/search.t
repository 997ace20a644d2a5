# Engine search: from path+sync, path and base, by attempts alone; proven by replay, explained, and repeatable.
cat >p.c <<'C'
#include "race.h"
/* Two threads add without a lock; what a third one takes from a queue is ordered by a mutex and a condition variable. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int queue, closed, taken;
static void *taker(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!closed || queue) {
		while (!queue && !closed)
			pthread_cond_wait(&filled, &lock);
		taken += queue;
		queue = 0;
	}
	pthread_mutex_unlock(&lock);
	return unused;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, taker, NULL);
	for (int i = 0; i < 5; i++) {
		both(7, 8);
		pthread_mutex_lock(&lock);
		queue += i;
		closed = i == 4;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
	}
	pthread_join(t, NULL);
	assert(total == want);
	assert(taken == 10);
}
C
rethread cc -O2 -g -pthread -I"$ROOT/tests/e2e" p.c -o p
for scheme in path+sync path base; do
	rethread record --scheme $scheme --until-failure --runs 2000 -- ./p 2>err || true
	has err '^rethread: trace: '
	rethread reproduce --engine search --budget 100 --json figures >out 2>&1 || fail "$scheme: $(cat out)"
	has out 'reproduced and proven by replay: [0-9]+ attempts?'
	has figures '"engine": "search"' '"outcome": "reproduced"'
	rethread replay -n 20 >out 2>&1 || fail "$scheme: $(cat out)"
	has out '^reproduced 20/20$'
	rethread explain >out
	has out 'context switch' 'race.h:.*(reads|writes) total = ' 'p.c:.*FAILS'
	grep '"attempts"' figures >first
	rethread reproduce --engine search --budget 100 --json figures >out 2>&1
	same "$(grep '"attempts"' figures)" "$(cat first)"
done
# What does not come again is never called impossible.
echo 'int main(void) { return 0; }' >q.c
rethread cc q.c -o q
touch flag
rethread record --fail-if "test -e $PWD/flag" -- ./q 2>err || true
has err 'predicate:'
rm flag
status 3 rethread reproduce --engine search --budget 1 2>err
has err 'the budget of 1 s ended after [0-9]+ attempts?'
status 2 rethread reproduce --engine search --seed x 2>err

# What solve does not model is left to search.
cat >goto.c <<'C'
#include "race.h"
static volatile int ready;
static void *run(void *x)
{
	__asm__ goto("jmp %l0" : : : : use);
	total = 1;
	return x;
use:	assert(ready);
	return x;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	usleep(100000);
	ready = 1;
	pthread_join(t, NULL);
}
C
rethread cc -O1 -g -pthread -I"$ROOT/tests/e2e" goto.c -o goto 2>err
status 134 rethread record -- ./goto 2>err
rethread reproduce --budget 100 >out 2>&1 || fail "$(cat out)"
has out 'going on with engine search' 'reproduced and proven by replay: [0-9]+ attempts?'
rethread replay -n 10 >out 2>&1 || fail "$(cat out)"

# A deadlock, and a thread that is being created when another fails.
for bug in mysql_deadlock transmission; do
	args=$(sed -n 's/^ \* args: //p' "$BUGS/$bug.c")
	rethread cc -O2 -g -pthread "$BUGS/$bug.c" -o $bug
	rethread record --until-failure --runs 2000 --timeout 20 -- ./$bug $args >recorded 2>err || true
	has err '^rethread: trace: '
	rethread reproduce --engine search --budget 100 >out 2>&1 || fail "$bug: $(cat out)"
	rethread replay -n 10 >out 2>&1 || fail "$bug: $(cat out)"
done
