# Programs that a test runner starts: a script, or with --children any program. When it fails, the trace is of the process that failed.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static long count, arrived, waits;
static void *adds(void *arg)
{
	long was = count;
	__atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < 2) /* the other has read it, too */
		usleep(100);
	count = was + 1;
	return arg;
}
static void *locks(void *arg)
{
	pthread_mutex_lock(arg ? &a : &b);
	usleep(20000);
	pthread_mutex_lock(arg ? &b : &a);
	return arg;
}
static void *takes(void *arg)
{
	usleep(20000); /* the signal has come by then */
	pthread_mutex_lock(&a);
	waits++;
	pthread_cond_wait(&filled, &a);
	pthread_mutex_unlock(&a);
	return arg;
}
static void *polls(void *arg)
{
	while (!__atomic_load_n(&waits, __ATOMIC_RELAXED))
		usleep(1000);
	return arg;
}
int main(int argc, char **argv)
{
	void *(*start)(void *) = !strcmp(argv[1], "deadlock") ? locks : !strcmp(argv[1], "lost") ? takes : !strcmp(argv[1], "polls") ? polls : adds;
	pthread_t t[2];
	char line[20] = "";
	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, start, (void *)i);
	pthread_cond_signal(&filled);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (!strcmp(argv[1], "assert"))
		assert(count == 2);
	if (!strcmp(argv[1], "status") && count != 2)
		return 7;
	if (!strcmp(argv[1], "input")) {
		assert(fgets(line, sizeof line, stdin));
		printf("%s %ld %s", argv[2], count, line);
	}
	return 0;
}
P
rethread cc -O2 -g -pthread p.c -o p
# runner LINES: the script.
runner() {
	printf '#!/bin/sh\n%s\n' "$1" >runner
	chmod +x runner
}
traces() { rethread ls 2>/dev/null | wc -l; }

# One of several fails: by an assertion, others before and after it do not.
runner './p fine; ./p assert; status=$?; ./p fine; exit $status'
status 134 rethread record ./runner 2>err
has err '^rethread: ./p, process [0-9]+: assert: ' 'count == 2'
[ "$(find "$(latest)" -name 'log.*' | wc -l)" = 1 ] || fail "$(ls "$(latest)")"
rethread info >out
has out "program +$PWD/p" 'command +./p assert' 'failure +assert'
rethread reproduce >out 2>&1 || fail "$(cat out)"
rethread replay -n 5 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 5/5$'
rethread rm --all

# An assertion comes before an exit status; of two that failed alike the first counts. Side by side, too.
runner './p status & ./p assert 2>/dev/null; wait; exit 1'
status 1 rethread record ./runner 2>err
has err 'assert: '
runner './p status; ./p fine; exit 3'
status 3 rethread record ./runner 2>err
has err 'process [0-9]+: exit status 7'
rethread rm --all

# Deadlocks and hangs: the process is ended, and the runner goes on.
runner './p deadlock; ./p fine; exit 5'
status 5 rethread record ./runner 2>err
has err 'process [0-9]+: deadlock'
rethread reproduce >out 2>&1 || fail "$(cat out)"
runner './p lost; exit 5'
status 5 rethread record ./runner 2>err
has err 'process [0-9]+: timeout: all threads wait'
runner './p fine; ./p polls; echo never'
status 124 rethread record --timeout 1 ./runner >out 2>err
has err 'process [0-9]+: timeout: still running'
[ ! -s out ] || fail "the runner went on"
rethread rm --all

# Nothing failed, or it is not known who did.
runner 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do ./p fine || exit 1; done; sleep 0.3'
rethread record ./runner 2>err
has err '^rethread: 12 processes were recorded, and none failed; no trace is kept$'
runner './p fine; exit 4'
status 4 rethread record ./runner 2>err
has err 'exit status 4, but none of the 1 recorded processes failed: nothing is kept'
runner './p fine; ./p fine; echo wrong'
status 4 rethread record --fail-if 'grep -q wrong' ./runner >out 2>err
has err '2 programs were recorded, and which one is to blame is not known'
[ "$(traces)" = 0 ] || fail "traces are left: $(rethread ls)"

# Of one that did not fail there is a trace, with what it was called as, and its input.
runner 'echo hello | ./p input there'
rethread record ./runner >out
has out '^there 1 hello$'
rethread info >out
has out 'command +./p input there' 'no failure'
rethread rm --all

# Until it fails; and a program that is no script.
runner 'n=$(cat n); echo $((n + 1)) >n; if [ $n -lt 3 ]; then ./p fine; else ./p assert; fi'
echo 0 >n
status 134 rethread record --until-failure --runs 10 ./runner 2>err
has err '^rethread: run 4: ./p, process [0-9]+: assert: '
status 4 rethread record sh -c './p assert' 2>err
has err 'was not built by rethread: .* --children, if it starts programs that were'
status 134 rethread record --children sh -c './p assert || exit 134' 2>err
has err 'process [0-9]+: assert: '
status 4 rethread record --children true 2>err
has err 'none took its place \(exec\) or was started by it'
