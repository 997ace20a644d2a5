# Scheme rw: the twin records the order of all accesses, and reproducing follows it.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static volatile int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *a)
{
	for (int i = 0; i < 200; i++)
		x = x + 1;
	pthread_mutex_lock(&m);
	x = x + 1;
	pthread_mutex_unlock(&m);
	return a;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	printf("%d\n", x);
	fflush(stdout);
	assert(x == 402);
}
P
rethread cc -O2 -g p.c -o p
for scheme in rw rw:leap; do
	status 134 rethread record --scheme $scheme --until-failure --runs 2000 ./p >out 2>err
	has err 'assert: .*x == 402'
	recorded=$(tail -n 1 out)
	rethread info >info
	has info "^scheme +$scheme$" '^order +[1-9][0-9]* entries'
	rethread reproduce >out 2>err
	has out 'followed and proven by replay: [0-9]+ waits'
	rethread replay -v -n 10 >out 2>err
	has out 'reproduced 10/10'
	same "$(grep -c "^$recorded\$" out)" 10
	status 2 rethread reproduce --engine solve 2>err
	rethread dump >dump
	has dump 'main at .*p.c:24'
done
# A run that does not fail; a deadlock; a signal.
rethread cc -O2 -g -pthread "$BUGS/mysql_deadlock.c" -o d
status 124 rethread record --scheme rw --until-failure --timeout 10 ./d >out 2>err
has err 'deadlock: '
rethread reproduce >out 2>err
rethread replay -n 5 >out 2>err
has out 'reproduced 5/5'
cat >q.c <<'P'
#include <pthread.h>
static int *volatile at;
static void *use(void *a) { *at = 1; return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, use, 0); pthread_join(t, 0); }
P
rethread cc -O0 -g q.c -o q
status 139 rethread record --scheme rw ./q 2>err
rethread reproduce >out 2>err
rethread replay -n 5 >out 2>err
has out 'reproduced 5/5'
status 2 rethread record --scheme wr ./q 2>err
has err 'rw:leap'
# Without its twin the program says what is missing.
RETHREAD_OPTIONS=dir=.,scheme=rw ./d >out 2>err & wait_=$!
sleep 0.3
kill $wait_ 2>/dev/null || :
has err 'recorded by the twin'
