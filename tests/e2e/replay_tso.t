# Mutual exclusion that needs SC breaks under a TSO schedule written by hand: both threads' announcements stay in their
# store buffers while each looks for the other's. Without the delays the same schedule cannot be followed.

# twin NAME: the twin of bugs/NAME.c; a run that does not fail is enough to have one.
twin() {
	rethread cc -O2 -g -pthread "$BUGS/$1.c" -o "$1"
	rethread record -o "$1.trace" "./$1" 1 2>err
	printf 'rethread-schedule 1\n' >empty
	status 1 rethread replay "$1.trace" --schedule empty >out 2>err
	cp "$1.trace/twin" "$1.twin"
}

# under MODEL NAME: the lines of NAME.lines under that memory model, 5 times; prints the exit statuses.
under() {
	{ printf 'rethread-schedule 1\nmodel %s\n' "$1"; cat "$2.lines"; } >schedule
	[ "$1" = sc ] && sed -i '/^delay/d' schedule
	for _ in 1 2 3 4 5; do
		s=0
		RETHREAD_TWIN=mode=replay,schedule=$PWD/schedule,timeout=3 timeout 10 "./$2.twin" 1 2>err || s=$?
		echo $s
	done 2>aborted | sort | uniq -c | awk '{ print $1 "x" $2 }'
}

# SAPs of a worker: 1 entries, 2 wants[me] = 1, 3 wants[other], 4 and 5 the counter.
cat >dekker.lines <<'L'
delay 1:1 2 1:2 3
delay 1:2 2 1:1 3
wait 1:1 5 1:2 4
wait 1:2 5 1:1 4
L
# 1 entries, 2 wants[me] = 1, 3 turn = other, 4 wants[other], 5 and 6 the counter.
cat >peterson.lines <<'L'
delay 1:1 2 1:2 4
delay 1:2 2 1:1 4
wait 1:1 6 1:2 5
wait 1:2 6 1:1 5
L
# 1 entries, 2 choosing = 1, 3-6 the numbers, 7 number, 8 choosing = 0, then for each worker choosing and both numbers,
# 21 and 22 the counter, 23 number = 0. Workers 1:3 and 1:4 come when the others are done.
cat >bakery.lines <<'L'
delay 1:1 2 1:2 10
delay 1:2 2 1:1 13
delay 1:1 7 1:2 10
delay 1:2 7 1:1 13
wait 1:1 22 1:2 21
wait 1:2 22 1:1 21
wait 1:3 1 1:1 23
wait 1:3 1 1:2 23
wait 1:4 1 1:3 23
L
for name in dekker peterson bakery; do
	twin $name
	same "$(under tso $name)" "5x134"
	same "$(under pso $name)" "5x134"
	case "$(under sc $name)" in *x134*) fail "$name under SC" ;; esac
done
# Under TSO stores become visible in their order; under PSO they need not.
cat >order.c <<'P'
#include <assert.h>
#include <pthread.h>
static volatile int data, flag;
static void *write_both(void *a) { data = 1; flag = 1; return a; }
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, write_both, 0);
	int f = flag, d = data;
	assert(!f || d);
	pthread_join(t, 0);
	return 0;
}
P
rethread cc -O2 -g order.c -o order
rethread record -o order.trace ./order 2>err
rethread replay order.trace --schedule empty >out || :
cp order.trace/twin order.twin
# The data is seen only after the main thread has read it; the flag is read once it is visible.
printf 'delay 1:1 1 1 3\nwait 1 2 1:1 2\n' >order.lines
same "$(under pso order)" "5x134"
same "$(under tso order)" "5x125" # the flag would have to wait for the data, and the data for who waits for the flag
