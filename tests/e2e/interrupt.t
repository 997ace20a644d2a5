# replay and dump leave no files and no process when they are interrupted, and die by the signal: run.sh checks that TMPDIR is
# empty afterwards.
cat >p.c <<'P'
#include <assert.h>
int main(void)
{
	unsigned long x = 1;
	volatile unsigned long *p = &x;
	for (long i = 0; i < 400000000; i++)
		*p = *p * 5 + 1;
	assert(*p == 1);
	return 0;
}
P
rethread cc -O1 -g p.c -o p
status 134 rethread record ./p 2>/dev/null
rethread reproduce >out 2>&1 || fail "$(cat out)"
interrupted() { # SIGNAL STATUS COMMAND...: once it has begun
	local sig=$1 want=$2 got=0 tool i
	shift 2
	env --default-signal=INT "$@" >out 2>&1 & tool=$!
	for i in $(seq 200); do
		[ -z "$(ls -A "$TMPDIR")" ] || break
		sleep 0.01
	done
	sleep 0.1
	kill -$sig $tool
	wait $tool || got=$?
	[ $got = "$want" ] || fail "$*: status $got instead of $want: $(cat out)"
	same "$(ls -A "$TMPDIR")" ""
	# The twin is killed by the kernel when the one who waits for it is gone.
	for i in $(seq 100); do
		ls -l /proc/[0-9]*/exe 2>/dev/null | grep -q "$XDG_DATA_HOME" || break
		sleep 0.05
	done
	same "$(ls -l /proc/[0-9]*/exe 2>/dev/null | grep "$XDG_DATA_HOME")" ""
}
interrupted TERM 143 rethread replay -n 100
interrupted INT 130 rethread replay
interrupted TERM 143 rethread dump
interrupted HUP 129 rethread dump
