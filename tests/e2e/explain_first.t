# What `explain` begins with: of a deadlock who waits for whom, of what engine search found the last reads of the thread that failed.
cat >cycle.c <<'P'
#include <pthread.h>
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t row = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static void *other(void *p)
{
	pthread_mutex_lock(&row);
	pthread_barrier_wait(&both);
	pthread_rwlock_wrlock(&table); /* blocks */
	return p;
}
int main(int argc, char **argv)
{
	pthread_t t;
	(void)argv;
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&t, NULL, other, NULL);
	pthread_rwlock_rdlock(&table);
	pthread_barrier_wait(&both);
	if (argc > 1)
		pthread_join(t, NULL);
	pthread_mutex_lock(&row);
	return 0;
}
P
rethread cc -O2 -g -pthread cycle.c -o cycle
# story ENGINE: up to the first empty line behind the account, in one line.
story() {
	rethread reproduce --engine "$1" --budget 60 >out 2>&1 || fail "$1: $(cat out)"
	rethread explain >out
	sed -n '/^Who waits/,/^$/p' out | tr -s ' \n' ' '
}
status 124 rethread record ./cycle 2>err
same "$(story solve)" 'Who waits for whom: thread 1 waits for row: cycle.c:22 pthread_mutex_lock(&row); which thread 1:1 has had since cycle.c:7 pthread_mutex_lock(&row); thread 1:1 waits for table: cycle.c:9 pthread_rwlock_wrlock(&table); /* blocks */ which thread 1 has had since cycle.c:18 pthread_rwlock_rdlock(&table); '
tr -s ' \n' ' ' <out >text
has text 'In short: thread 1 waits for row \(cycle.c:22\), which thread 1:1 took \(cycle.c:7\); thread 1:1 waits for table \(cycle.c:9\), which thread 1 took \(cycle.c:18\)\.'
story search >text
has text 'thread 1 waits for row: [^ ]*cycle.c:22 pthread_mutex_lock\(&row\); which thread 1:1 has had since [^ ]*cycle.c:7 pthread_mutex_lock\(&row\);' \
	'thread 1:1 waits for table: [^ ]*cycle.c:9 pthread_rwlock_wrlock\(&table\); .* which thread 1 has had since [^ ]*cycle.c:18 pthread_rwlock_rdlock\(&table\);'
status 124 rethread record ./cycle join 2>err
story solve >text
has text 'thread 1 waits for the end of thread 1:1: cycle.c:21 pthread_join\(t, NULL\); thread 1:1 waits for table: '

cat >long.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *count, rounds;
static void *counts(void *p)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&lock);
		rounds++;
		*count += 2;
		pthread_mutex_unlock(&lock);
	}
	return p;
}
int main(void)
{
	pthread_t t;
	__asm__ goto("" : : : : begins); /* the executor cannot follow: the trail is all there is */
begins:
	count = calloc(1, sizeof *count);
	pthread_create(&t, NULL, counts, NULL);
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&lock);
		rounds++;
		*count += 0;
		pthread_mutex_unlock(&lock);
	}
	pthread_join(t, NULL);
	assert(*count != 400);
}
P
rethread cc -O1 -g -pthread long.c -o long
status 134 rethread record ./long 2>err
rethread reproduce --engine search --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain >out
has out '^What the failing thread read last:$' '^    it found 400$' 'long.c:[0-9]+  assert\(\*count != 400\);' 'FAILS' '\([0-9]+ other steps\)' \
	'which thread 1(:1)? had written in (main|counts)'
[ "$(wc -l <out)" -lt 90 ] || fail "long: $(wc -l <out) lines"
rethread explain --all >out
[ "$(wc -l <out)" -gt 500 ] || fail "not all: $(wc -l <out) lines"
