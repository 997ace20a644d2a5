# gdb at a terminal: breakpoints, steps, threads held by the schedule, Ctrl-C; the replay fails as recorded all the same.
if ! python3 -c 'import pty; pty.openpty()' 2>/dev/null; then
	echo "NOTE: this machine has no pseudo-terminals (/dev/pts), so no session was held"
	return
fi
command -v python3 >/dev/null || { echo "NOTE: no python3 here to type with"; exit 0; }
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
static volatile int total;
static void add(int n)
{
	for (int i = 0; i < n; i++) {
		int t = total;
		if (i % 5 == 2)
			sched_yield();
		total = t + 1;
	}
}
static void *work(void *a)
{
	add(30);
	return a;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, work, 0);
	pthread_create(&u, 0, work, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	int got = total;
	puts("sleeps");
	fflush(stdout);
	sleep(3);
	assert(got == 60);
}
P
rethread cc -O0 -g p.c -o p
status 134 rethread record --scheme rw --until-failure ./p >out 2>err
rethread reproduce >out 2>err
session() {
	SESSION_TIMEOUT=90 timeout 100 python3 "$ROOT/tests/e2e/session.py" rethread replay --gdb >out 2>&1
}
# The stop is in the program, just before the failing operation: the next step is the failure.
session <<'G'
bt
print got == total
next
G
has out 'just before the failing operation' '^#0 .* main \(\) at p.c:32' '^\$1 = 1' 'received signal SIGABRT'
# A name that the runtime has too means the program's; threads are stepped, and the schedule waits for them.
session <<'G'
delete
break add
run
next
next
wait 2
rethread threads
delete
continue
rethread threads
continue
G
has out 'hit Breakpoint [0-9.]+, add \(n=30\) at p.c:9' '^1:[12] +gdb thread [0-9]+ +access' 'received signal SIGABRT'
has out '^ +in add \(\) at p.c' '^1:1 .*ended; its part of the schedule is done'
# Ctrl-C while it runs.
session <<'G'
delete
&run
until sleeps
^C
rethread threads
rethread schedule
continue
continue
G
has out 'received signal SIGINT' '^> 1 .*the failure is expected|^x 1:[12] .*waits until' 'received signal SIGABRT'
