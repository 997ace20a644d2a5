# SIGTERM and SIGINT reach the program; record ends as it does, keeps the trace, and calls it no failure.
cat >p.c <<'E'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void end(int s) { (void)s; _exit(11); }
int main(int n, char **v) {
	(void)v;
	if (n > 1) signal(SIGTERM, end);
	puts("ready");
	fflush(stdout);
	for (;;) pause();
}
E
rethread cc -O2 p.c -o p
interrupted() { # SIGNAL STATUS ARGUMENTS...
	local sig=$1 want=$2 got=0
	shift 2
	rm -f out
	# env: the shell would start a background job with SIGINT ignored
	env --default-signal=INT rethread record --until-failure ./p "$@" >out 2>err &
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
same "$(rethread ls | wc -l)" 0
