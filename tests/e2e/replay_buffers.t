# Store buffers of a replay, one property each, by schedules written by hand under TSO. A thread stores, the main thread looks; the assertion
# fails (134) where the schedule was followed, and 125 says that no such machine could follow it.

# buffered NAME EXPECTED THREAD MAIN CONDITION <SCHEDULE: MAIN's first access is the main thread's SAP 2 (creating is the first).
buffered() {
	cat >"$1.c" <<P
#include <assert.h>
#include <pthread.h>
static volatile int x, y, pad, own;
static void *stores(void *a) { $3 return a; }
int main(void)
{
	pthread_t t;
	int r1 = 0, r2 = 0;
	pthread_create(&t, 0, stores, 0);
	$4
	assert(!($5));
	return 0;
}
P
	{ printf 'rethread-schedule 1\nmodel tso\n' && cat; } >"$1.schedule"
	printf 'rethread-schedule 1\n' >empty
	rethread cc -O1 -g -pthread "$1.c" -o "$1"
	rethread record -o "$1.trace" "./$1" 2>err || :
	rethread replay "$1.trace" --schedule empty >out 2>&1 || :
	for _ in 1 2 3; do
		s=0
		RETHREAD_TWIN=mode=replay,schedule=$PWD/$1.schedule,timeout=3 timeout 20 "$1.trace/twin" 2>err || s=$?
		echo $s
	done >ends 2>aborted
	same "$1: $(sort -u ends)" "$1: $2"
}
join='pthread_join(t, 0);'

# The store is seen as soon as the access is done that it had to come after, though its thread stands still.
buffered seen 134 'x = 1; (void)x;' "r1 = x; r2 = x; (void)x; $join" 'r1 == 0 && r2 == 1' <<'S'
delay 1:1 1 1 2
wait 1 3 1:1 1
wait 1:1 2 1 4
S
# Its own thread sees it before, also where the schedule has no line.
buffered own 134 'x = 1; (void)x; own = x; (void)x;' "r1 = x; $join" 'own == 1 && r1 == 0' <<'S'
delay 1:1 1 1 2
wait 1 2 1:1 5
S
# Who waits for it waits until it is seen.
buffered hidden 125 'x = 1;' "r1 = x; r2 = x; $join" 'r1 == 0' <<'S'
delay 1:1 1 1 3
wait 1 2 1:1 1
S
# It may have to wait for one access before it is executed, and for another until it is seen.
buffered twice 134 'x = 1; (void)x;' "r1 = x; r2 = x; $join" 'r1 == 0 && r2 == 0' <<'S'
wait 1:1 1 1 2
delay 1:1 1 1 3
wait 1 3 1:1 2
S
# A fence lets nothing pass while the buffer is not empty.
buffered fence 125 'x = 1; __atomic_thread_fence(__ATOMIC_SEQ_CST); own = x;' "r1 = x; $join" 'r1 == 0' <<'S'
delay 1:1 1 1 2
wait 1 2 1:1 3
S
# Nor does a thread end with one.
buffered end 125 'x = 1;' "$join r1 = x;" 'r1 == 0' <<'S'
delay 1:1 1 1 3
S
# A buffer is finite: 300 stores do not fit.
buffered full 125 'x = 1; for (int i = 0; i < 300; i++) pad = i + 1; (void)x;' "r1 = x; r2 = pad; $join" 'r1 == 0' <<'S'
delay 1:1 1 1 2
wait 1 2 1:1 302
S
# What is left in it when the first has gone keeps its value, whatever comes after.
buffered moved 134 'x = 1; y = 2; x = 3; (void)x;' "r1 = x; r1 = x; r2 = y; r2 = y; $join" 'r1 == 1 && r2 == 2' <<'S'
delay 1:1 1 1 2
delay 1:1 2 1 4
wait 1:1 3 1 3
wait 1 3 1:1 1
wait 1 4 1:1 4
wait 1 5 1:1 2
S
