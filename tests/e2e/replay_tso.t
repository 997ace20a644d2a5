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

# SAPs of a worker (entries is only written before it begins): 1 wants[me] = 1, 2 wants[other], 3 and 4 the counter.
cat >dekker.lines <<'L'
delay 1:1 1 1:2 2
delay 1:2 1 1:1 2
wait 1:1 4 1:2 3
wait 1:2 4 1:1 3
L
# 1 wants[me] = 1, 2 turn = other, 3 wants[other], 4 and 5 the counter.
cat >peterson.lines <<'L'
delay 1:1 1 1:2 3
delay 1:2 1 1:1 3
wait 1:1 5 1:2 4
wait 1:2 5 1:1 4
L
# 1 choosing = 1, 2-5 the numbers, 6 number, 7 choosing = 0, then for each worker choosing and both numbers,
# 20 and 21 the counter, 22 number = 0. Workers 1:3 and 1:4 come when the others are done.
cat >bakery.lines <<'L'
delay 1:1 1 1:2 9
delay 1:2 1 1:1 12
delay 1:1 6 1:2 9
delay 1:2 6 1:1 12
wait 1:1 21 1:2 20
wait 1:2 21 1:1 20
wait 1:3 1 1:1 22
wait 1:3 1 1:2 22
wait 1:4 1 1:3 22
L
for name in dekker peterson bakery; do
	twin $name
	same "$(under tso $name)" "5x134"
	same "$(under pso $name)" "5x134"
	case "$(under sc $name)" in *x134*) fail "$name under SC" ;; esac
done
# Never under SC: every interleaving of two workers' accesses from the announcement to the counter (where one waits for the
# other, those of its waiting instead) ends well, or cannot be followed.
orders() { # orders FIRST LAST: all interleavings, as a line of threads each
	awk -v n=$(($2 - $1 + 1)) 'function go(s, a, b) { if (!a && !b) print s; if (a) go(s "1", a - 1, b); if (b) go(s "2", a, b - 1) }
		BEGIN { go("", n, n) }'
}
# schedule_of ORDER FIRST: the waits of an interleaving
schedule_of() {
	printf 'rethread-schedule 1\nmodel sc\n'
	echo "$1" | awk -v first="$2" '{
		at[1] = at[2] = first
		for (i = 1; i <= length($0); i++) {
			t = substr($0, i, 1)
			if (i > 1 && t != last) printf "wait 1:%s %d 1:%s %d\n", t, at[t], last, at[last] - 1
			at[t]++; last = t
		}
	}'
}
one_order() { # NAME ORDER FIRST
	schedule_of "$2" "$3" >"order.$1.$2"
	s=0
	RETHREAD_TWIN=mode=replay,schedule=$PWD/order.$1.$2,timeout=5 timeout 60 "./$1.twin" 1 >/dev/null 2>&1 || s=$?
	rm -f "order.$1.$2"
	echo $s
}
export -f schedule_of one_order
for range in "dekker 1 4" "peterson 1 5"; do
	set -- $range
	orders $2 $3 | xargs -P 24 -I{} bash -c "one_order $1 {} $2" >ends
	has ends '^0$'
	same "$(grep -Evc '^(0|125)$' ends || :)" 0
done
# And whatever comes of a hundred runs in which threads give way at random, on memory that is sequentially consistent.
for name in dekker peterson bakery; do
	rethread record --scheme rw --shake --until-failure --runs 40 -- "./$name" 10 >out 2>err
	has err 'no failure in 40 runs' 'store buffers .* path.sync'
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
