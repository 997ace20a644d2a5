# Signals reach the program; record ends as it does, keeps no trace, and calls it no failure. Those that do not ask for an
# end change nothing.
cat >p.c <<'E'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile sig_atomic_t told;
static void end(int s) { (void)s; _exit(11); }
static void tell(int s) { (void)s; told = 1; }
int main(int n, char **v) {
	(void)v;
	if (n > 1) signal(SIGTERM, end);
	if (n > 2) signal(SIGUSR1, tell);
	if (n > 3) signal(SIGTERM, tell);
	puts("ready");
	fflush(stdout);
	while (!told) pause();
	return n > 3 ? 0 : 7;
}
E
rethread cc -O2 p.c -o p
interrupted() { # SIGNAL STATUS ARGUMENTS...
	local sig=$1 want=$2 got=0
	shift 2
	rm -f out
	# env: the shell would start a background job with SIGINT and SIGQUIT ignored
	env --default-signal=INT,QUIT rethread record --until-failure ./p "$@" >out 2>err &
	local pid=$!
	for i in $(seq 100); do grep -q ready out && break; sleep 0.05; done
	kill -$sig $pid
	wait $pid || got=$?
	same "$got" "$want"
}
interrupted TERM 143
has err 'no failure in 1 run'
interrupted INT 130
interrupted TERM 11 handler
interrupted HUP 129
interrupted QUIT 131
interrupted USR2 140
has err 'no failure in 1 run'
same "$(rethread ls | wc -l)" 0
interrupted USR1 7 both handlers
has err 'run 1: exit status 7'
same "$(rethread ls | wc -l)" 1
# Who ends the search for a failure is not told that there was none, though the run that was under way ended well.
interrupted TERM 143 ends well then
has err 'no failure in 1 run'
# A shell starts a background job with SIGINT and SIGQUIT ignored: they reach a program that has its own handler, as they do
# without record, and no other.
cat >b.c <<'E'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile sig_atomic_t told;
static void tell(int s) { told = s; }
int main(void) {
	signal(SIGQUIT, tell);
	puts("ready");
	fflush(stdout);
	for (int i = 0; i < 100 && !told; i++) usleep(50000);
	return told == SIGQUIT ? 0 : 3;
}
E
rethread cc -O2 b.c -o b
rm -f out
(trap '' INT QUIT; exec rethread record ./b >out 2>err) &
pid=$!
for i in $(seq 100); do grep -q ready out && break; sleep 0.05; done
kill -INT $pid
kill -QUIT $pid
wait $pid || fail "ended with $?, not by its handler"
# Who crashes as it ends, because it was asked to, has failed, also where no handler saw it (the signal was blocked).
cat >crash.c <<'E'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
static int *volatile nothing;
int main(void)
{
	sigset_t set;
	int got;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGSEGV);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	puts("ready");
	fflush(stdout);
	sigdelset(&set, SIGSEGV);
	sigwait(&set, &got);
	return *nothing;
}
E
rethread cc -O2 -pthread crash.c -o p
interrupted TERM 139
has err 'SIGSEGV'
