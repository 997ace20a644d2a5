# Scheme base: inputs and the failure, no paths, no order; engine solve says that it cannot do anything with that, engine
# search can.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, rounds;
static void *work(void *x) {
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&m);
		n += i & 1;
		pthread_mutex_unlock(&m);
	}
	return x;
}
int main(int argc, char **v) {
	(void)v;
	pthread_t t[2];
	char line[20];
	if (!fgets(line, sizeof line, stdin)) return 3;
	rounds = atoi(line);
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	printf("%d\n", n), fflush(stdout);
	assert(argc == 1 || n != rounds);
	return 0;
}
P
rethread cc -O1 -g -pthread p.c -o p
echo 50000 >input
rethread record --scheme base ./p <input >out 2>err
same "$(cat out)" 50000
status 134 rethread record --scheme base ./p x <input >out 2>err
same "$(cat out)" 50000
rethread info >out
has out 'scheme +base' 'branches +0 bits' 'sync +0 entries' 'failure +assert'
rethread dump >out 2>err
has out '^thread 1: 0 branches' '^thread 1:1: 0 branches' 'input fgets = .*"50000' 'failure: assert' 'main at .*p.c:24'
has err 'scheme base records no paths'
! grep -q ' sync ' out || fail "an order in scheme base"
status 4 rethread reproduce --engine solve 2>err
has err 'scheme base records inputs but no paths' 'record again with --scheme path\+sync'
rethread reproduce --budget 60 >out 2>err || fail "$(cat out err)"
has out 'reproduced and proven by replay: [0-9]+ attempts?'
# The cap, met before the failure: said, too.
status 134 rethread record --max-log 16K ./p x <input >out 2>err
has err 'the log ends early: --max-log was reached'
status 4 rethread reproduce --engine solve --budget 20 2>err
has err 'the log ends before the failure \(--max-log was reached\)'
