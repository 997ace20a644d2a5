# Where the other threads were at the moment of the failure: recorded by themselves, without changing what the program does.
cat >s.c <<'P'
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t here;
static volatile long spins;
static __attribute__((noinline)) void wait_long(void) {
	pthread_mutex_lock(&m);
	sem_post(&here);
	pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
}
static void *waits(void *x) { wait_long(); return x; }
static __attribute__((noinline)) void spin_long(void) { sem_post(&here); for (;;) spins++; }
static void *runs(void *x) { spin_long(); return x; }
static __attribute__((noinline)) void poll_long(void) { sem_post(&here); poll(0, 0, 100000); _exit(3); }
static void *polls(void *x) { poll_long(); return x; }
static void *ends(void *x) { return x; }
static void *blocks(void *x) {
	sigset_t s;
	int got;
	sigfillset(&s);
	pthread_sigmask(SIG_BLOCK, &s, 0);
	sem_post(&here);
	sigwait(&s, &got);
	_exit(4);
	return x;
}
int main(int argc, char **v) {
	(void)v;
	pthread_t t;
	void *(*f[])(void *) = {waits, runs, polls, blocks};
	pthread_create(&t, 0, ends, 0);
	pthread_join(t, 0);
	for (int i = 0; i < 4; i++) pthread_create(&t, 0, f[i], 0);
	for (int i = 0; i < 4; i++) sem_wait(&here);
	usleep(20000);
	if (argc > 1) *(volatile int *)0 = 1;
	assert(!argc);
}
P
rethread cc -O1 -g -pthread s.c -o s
# backtraces_of STATUS COMMAND: recorded until nobody was too slow to answer, which a busy machine may make of it.
backtraces_of() {
	for i in 1 2 3 4 5; do
		status $1 rethread record -q "${@:2}" 2>err
		rethread dump --no-lines >out
		[ "$(grep -c "at the moment of the failure it was here" out)" -ge 3 ] && return
	done
	fail "$(cat out)"
}
for arguments in "" x; do
	backtraces_of $([ "$arguments" ] && echo 139 || echo 134) ./s $arguments
	has out "#[0-9] wait_long at .*s.c:14"
	has out "#0 spin_long at .*s.c:18"
	has out "#[0-9] poll_long at .*s.c:20"
	# Who waits for signals is not asked.
	! sed -n "/^thread 1:5/,\$p" out | grep "at the moment" || fail "$(cat out)"
done
rethread dump --no-lines --json | python3 -c 'if 1:
	import json, sys
	threads = json.load(sys.stdin)["threads"]
	names = [[f["function"] for f in t.get("backtrace", [])] for t in threads]
	assert not names[0] and not names[1] and "waits" in names[2] and "runs" in names[3] and "polls" in names[4] and not names[5], names'
# A deadlock: who waits without an end is asked.
cat >d.c <<'P'
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t b;
static sem_t never;
static void *locks(void *x) {
	long i = (long)x;
	pthread_mutex_lock(&m[i]);
	pthread_barrier_wait(&b);
	pthread_mutex_lock(&m[!i]);
	return x;
}
static void *sleeps(void *x) { sleep(100); _exit(3); return x; }
static void *waits(void *x) { sem_wait(&never); _exit(3); return x; }
int main(void) {
	pthread_t t[4];
	pthread_barrier_init(&b, 0, 2);
	pthread_create(&t[2], 0, sleeps, 0);
	pthread_create(&t[3], 0, waits, 0);
	usleep(10000);
	pthread_create(&t[0], 0, locks, (void *)0);
	pthread_create(&t[1], 0, locks, (void *)1);
	pthread_join(t[0], 0);
}
P
rethread cc -O1 -g -pthread d.c -o d
backtraces_of 124 ./d
has out "#[0-9] locks at .*d.c:11"
has out "#[0-9] waits at .*d.c:15"
has out "#[0-9] main at .*d.c:24"
! grep "#[0-9] sleeps" out || fail "$(cat out)"
# One that the program outlives: nobody notices anything.
cat >o.c <<'P'
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t b;
static void *locks(void *x) {
	long i = (long)x;
	pthread_mutex_lock(&m[i]);
	pthread_barrier_wait(&b);
	pthread_mutex_lock(&m[!i]);
	return x;
}
int main(void) {
	pthread_t t[2];
	pthread_barrier_init(&b, 0, 2);
	for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, locks, (void *)i);
	int n = poll(0, 0, 300);
	_exit(n ? errno : 7);
}
P
rethread cc -O1 -g -pthread o.c -o o
mkdir alone
status 7 env RETHREAD_OPTIONS=dir=alone ./o
# A program with actions for all signals is left alone.
cat >a.c <<'P'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void comes(int s) { (void)s; _exit(5); }
static void *sleeps(void *x) { sleep(100); return x; }
int main(void) {
	pthread_t t;
	for (int s = SIGRTMIN; s <= SIGRTMAX; s++) signal(s, comes);
	pthread_create(&t, 0, sleeps, 0);
	usleep(10000);
	abort();
}
P
rethread cc -O1 -g -pthread a.c -o a
status 134 rethread record -q ./a 2>err
rethread dump --no-lines >out
! grep "at the moment" out || fail "$(cat out)"
# A run that is ended for its time: all threads are asked, unless the program has an action for the signal that asks.
cat >t.c <<'P'
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static void comes(int s) { (void)s; _exit(5); }
static void *sleeps(void *x) { for (;;) sleep(100); return x; }
int main(int argc, char **v) {
	pthread_t t;
	(void)v;
	if (argc > 1) signal(SIGSYS, comes);
	pthread_create(&t, 0, sleeps, 0);
	pthread_join(t, 0);
}
P
rethread cc -O1 -g -pthread t.c -o t
for i in 1 2 3 4 5; do
	status 124 rethread record -q --timeout 1 ./t 2>err
	rethread dump --no-lines >out
	[ "$(grep -c "at the moment of the failure it was here" out)" = 2 ] && break
done
has out "#[0-9] sleeps at .*t.c:5"
has out "#[0-9] main at .*t.c:11"
status 124 rethread record -q --timeout 1 ./t x 2>err
rethread dump --no-lines >out
! grep "at the moment" out || fail "$(cat out)"
# A run that fails by its exit status, or by what it showed: everybody's place when it ended.
cat >e.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static __attribute__((noinline)) void poll_here(void) { for (;;) usleep(1000); }
static void *polls(void *x) { poll_here(); return x; }
static __attribute__((noinline)) void bail_out(const char *how) {
	if (*how == '_') _exit(3);
	exit(*how - '0');
}
int main(int argc, char **v) {
	pthread_t t;
	pthread_create(&t, 0, polls, 0);
	usleep(20000);
	puts("ends");
	if (argc > 1 && !fork()) _exit(1); /* a process of its own */
	bail_out(v[1]);
}
P
rethread cc -O1 -g -pthread e.c -o e
for how in 3 _ 0; do
	for i in 1 2 3 4 5; do
		rethread record -q --fail-if 'grep -q ends' ./e $how >recorded 2>err || true
		rethread dump --no-lines >out
		grep -q "#[0-9] poll_here" out && break
	done
	has out "#[0-9] bail_out at .*e.c:[89]$" "#[0-9] poll_here at .*e.c:5$" "#[0-9] polls at .*e.c:6$"
done
# Nobody is asked when nothing is wrong.
rethread record -q ./e 0 >recorded
rethread dump --no-lines >out
! grep "it was here" out || fail "$(cat out)"
