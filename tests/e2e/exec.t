# A program that becomes another one by exec: the trace is of that one, with its arguments, environment and directory.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *p) { n++; return p; }
int main(int argc, char **argv)
{
	pthread_t t;
	if (!strcmp(argv[1], "first")) {
		usleep(100000); /* so that `record` has seen a log already */
		setenv("SECOND", "yes", 1);
		if (chdir("/")) return 1;
		execl("/proc/self/exe", "second", argv[2], "", "x", NULL);
	}
	pthread_create(&t, NULL, work, NULL);
	n++;
	pthread_join(t, NULL);
	if (!strcmp(argv[1], "deadlock")) {
		pthread_mutex_lock(&a);
		pthread_mutex_lock(&a);
	}
	assert(argc != 4 || strcmp(argv[1], "assert") || strcmp(getenv("SECOND"), "yes"));
	return 0;
}
P
rethread cc -O1 -g p.c -o p -pthread
status 134 rethread record -o t1 ./p first assert 2>err
has err 'rethread: assert: p.c:25'
rethread info t1 >out
has out '^program +/.*/p$' '^command +second assert  x$' '^directory +/$'
has t1/meta.json '"SECOND=yes"'
same "$(ls t1 | grep -c command)" 0
rethread reproduce --engine solve t1 >out 2>&1 || fail "not reproduced: $(cat out)"
rethread replay -n 5 t1 >out 2>&1 || fail "not replayed: $(cat out)"
# What is kept of the environment is as for others.
status 134 rethread record --no-env -o t2 ./p first assert 2>err
if grep -q SECOND=yes t2/meta.json; then fail "the environment was kept"; fi
# Deadlocks are looked for in the new log.
status 124 timeout 10 rethread record -o t3 ./p first deadlock 2>err
has err 'deadlock: thread 1 waits for mutex 1 held by thread 1'
# A script in its place, as libtool makes them.
printf '#!/bin/sh\nSECOND=yes\nexport SECOND\n/bin/true\nexec ./p "$@" "" x\n' >wrapper
chmod +x wrapper
status 134 rethread record -o t4 ./wrapper assert 2>err
has err 'rethread: assert: p.c:25'
rethread info t4 >out
has out '^program +/.*/p$' '^command +./p assert  x$'
rethread reproduce --engine solve t4 >out 2>&1 || fail "not reproduced: $(cat out)"
status 4 rethread record --scheme rw ./wrapper 2>err
has err 'wrapper was not built by rethread: scheme rw'
