# A lock that changes hands has a time in the log, but where changes follow one another faster than times can tell apart only one in up to 16:
# reading the clock would be most of what it costs.
cat >p.c <<'P'
#include <pthread.h>
#include <sched.h>
enum { TURNS = 400 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int turn;
static void *take_turns(void *arg)
{
	int me = arg != NULL, mine = 0;
	while (mine < TURNS) {
		pthread_mutex_lock(&m);
		if (turn % 2 == me) {
			turn++;
			mine++;
		}
		pthread_mutex_unlock(&m);
		sched_yield();
	}
	return NULL;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, take_turns, &t);
	take_turns(NULL);
	return pthread_join(t, NULL);
}
P
rethread cc -O1 -g -pthread p.c -o p
# times MARGIN: how many changes of owner the second thread has in the log, and how many of them with a time
times() {
	rm -rf trace && mkdir trace
	RETHREAD_OPTIONS="dir=trace,margin=$1" ./p
	rethread dump --no-lines --json trace | python3 -c '
import json, sys
sync = json.load(sys.stdin)["threads"][1]["sync"]
print(len(sync), sum("time" in s for s in sync))'
}
read -r entries with < <(times 1)
test "$entries" -ge 400
same "$with" "$entries"
read -r entries with < <(times 1000000000)
test "$entries" -ge 400
test "$with" -ge 5 && test "$with" -le $((entries / 8)) || fail "$with of $entries entries have a time"
