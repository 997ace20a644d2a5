# The twin as an attempt of a search has it: under a schedule, with the inputs of one run, recording rw into another trace,
# which can be followed like any other.
cat >p.c <<'P'
#include "race.h"
#include <time.h>
static int to[2];
static void *hears(void *x)
{
	char b[16];
	for (ssize_t n; (n = read(to[0], b, sizeof b)) > 0;)
		add(b[0] % 32);
	return x;
}
int main(void)
{
	pthread_t a;
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	assert(!pipe(to));
	pthread_create(&a, 0, hears, 0);
	char c = (char)(10 + t.tv_nsec % 20);
	for (int i = 0; i < 5; i++, want += c % 32)
		assert(write(to[1], &c, 1) == 1);
	add(20);
	want += 20;
	close(to[1]);
	pthread_join(a, 0);
	printf("process %d, time %ld\n", getpid(), t.tv_nsec);
	return judge();
}
P
rethread cc -O2 -g -I"$ROOT/tests/e2e" p.c -o p
reproduced /dev/null ./p
first=$(latest)
again=$XDG_DATA_HOME/rethread/traces/again
mkdir "$again"
build=$(readelf -n p | sed -n 's/.*Build ID: //p')
variable="mode=record,build=$build,schedule=$first/schedule,log=$(ls "$first"/log.*),report=$PWD/report,timeout=30"
status 134 env RETHREAD_OPTIONS=dir="$again",scheme=rw RETHREAD_TWIN="$variable" setarch -R "$first/twin" >attempt 2>err
same "$(head -n 1 attempt)" "$(head -n 1 recorded)"
pid=$(basename "$again"/log.*)
sed "s/\"pid\": .*/\"pid\": ${pid#log.},/" "$first/meta.json" >"$again/meta.json"
rethread reproduce again >out 2>err
has out 'followed and proven by replay'
rethread replay again >out 2>err
same "$(grep -v '^reproduced 1/1$' out)" "$(cat attempt)"
# Store buffers and the recorder do not go together.
sed 's/^model .*/model tso/' "$first/schedule" >tso
status 125 env RETHREAD_OPTIONS=dir="$again",scheme=rw RETHREAD_TWIN="mode=record,build=$build,schedule=$PWD/tso" "$first/twin" 2>err
has err 'under model sc'
