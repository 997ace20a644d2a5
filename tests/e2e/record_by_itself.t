# A program that is started without the tool, with the variable that tells its recorder where to write, leaves all that the other commands need.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
static int ready, data;
static void *writes(void *x)
{
	for (int i = 0; i < 50; i++)
		sched_yield();
	__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
	for (int i = 0; i < 50; i++)
		sched_yield();
	data = atoi(x);
	return x;
}
int main(int n, char **v)
{
	pthread_t t;
	pthread_create(&t, 0, writes, v[n - 1]);
	while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
		sched_yield();
	int d = *(volatile int *)&data;
	if (getenv("STATUS") && d != atoi(v[1]))
		exit(atoi(getenv("STATUS")));
	assert(d == atoi(v[1]));
	return 0;
}
P
rethread cc -O2 -g -pthread p.c -o p
failing() { # STATUS COMMAND...: until it fails so, in the folder t
	local want=$1 got i
	shift
	for i in $(seq 300); do
		rm -rf t && mkdir t
		got=0
		"$@" >out 2>err || got=$?
		[ $got = 0 ] || break
	done
	same "$got" "$want"
}
failing 134 env RETHREAD_OPTIONS=dir=t AFTER=1 ./p 42
same "$(find t -type f -exec stat -c %a {} + | sort -u)" 600
rethread info t >out
has out "program +$PWD/p$" 'command +./p 42' "directory +$PWD" 'failure +assert'
rethread dump t >out 2>err
has out '^  line main at p.c:' 'failure: assert'
same "$(cat err)" ""
rethread reproduce t >out 2>&1 || fail "not reproduced: $(cat out)"
has out 'reproduced and proven by replay'
rethread replay -n 5 t >out 2>&1
has out 'reproduced 5/5'
# An exit status is said in the log, since nobody else saw it.
failing 9 env RETHREAD_OPTIONS=dir=t,scheme=path STATUS=9 ./p 42
rethread dump t >out
has out '^failure: exit status 9'
# The environment may hold secrets: without it, paths are bits.
failing 134 env RETHREAD_OPTIONS=dir=t,command=0 ./p 42
same "$(ls t | grep -c '^log')" 1
same "$(ls t | wc -l)" 1
rethread dump t >out 2>err
has err 'the trace does not name its program'
