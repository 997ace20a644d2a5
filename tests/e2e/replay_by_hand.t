# A schedule written by hand: it makes the recorded failure certain; the opposite order makes it impossible.
cat >p.c <<'E'
#include <assert.h>
#include <pthread.h>
static volatile int x;
static void *set(void *a) { x = 1; return a; }
static void spin(int n) { for (volatile int i = 0; i < n; i++); }
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, set, 0);
	spin(20000);
	assert(x == 0);
	pthread_join(t, 0);
	return 0;
}
E
rethread cc -O2 -g p.c -o p
status 134 rethread record --until-failure ./p 2>err
has err 'assert: .*p.c:10: .*x == 0'
status 4 rethread replay 2>err
has err 'no schedule yet'
# SAPs of the main thread: 1 create, 2 the load; of 1:1: 1 the store.
module=$(rethread info | awk '$1 == "module" { print $2 }')
printf 'rethread-schedule 1\nmodule %s\nmodel sc\nwait 1 2 1:1 1\n' "$module" >bad
rethread replay -n 20 --schedule bad >out
same "$(cat out)" "reproduced 20/20"
printf 'rethread-schedule 1\nmodule %s\nmodel sc\nwait 1:1 1 1 2\n' "$module" >good
status 1 rethread replay -n 5 --schedule good >out
has out '^run 1: ' '^reproduced 0/5$'
cp bad "$(latest)/schedule"
rethread replay >out 2>err
has out 'reproduced 1/1'
has err 'Assertion'
# A stop that holds the only thread that could go on is lifted: the program ends.
printf 'rethread-schedule 1\nwait 1:1 1 1 2\nstop 1 2\n' >held
status 1 rethread replay --schedule held >out 2>err
has out 'the program ended without failing'
# Another build is another program.
sed -i 's/20000/20001/' p.c
rethread cc -O2 -g p.c -o p
rm "$(latest)/program"
status 4 rethread replay 2>err
has err 'built again since it was recorded'

# Of threads that wait for one another, the one is named whose wait it all hangs on; lines may speak of an access twice.
cat >chain.c <<'E'
#include <assert.h>
#include <pthread.h>
static volatile int x;
static void *adds(void *a) { x++; return a; }
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, adds, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	assert(!x);
}
E
rethread cc -O2 -g -pthread chain.c -o chain
status 134 rethread record -o chain.trace ./chain 2>err
printf 'rethread-schedule 1\nwait 1:2 1 1:1 1\nwait 1:1 1 1 99\n' >chained
status 1 rethread replay ./chain.trace --schedule chained >out 2>err
has out 'thread 1:1 waits at its access 1 for access 99 of thread 1,'
printf 'rethread-schedule 1\nwait 1:2 1 1:1 1\nwait 1:2 2 1:1 2\nwait 1:2 1 1:1 2\nwait 1:2 1 1:1 1\n' >twice
rethread replay -n 5 ./chain.trace --schedule twice >out 2>err
has out '^reproduced 5/5$'

# A barrier singles out the thread that the schedule names, and no other, whoever really comes last.
cat >b.c <<'P'
#include <pthread.h>
#include <unistd.h>
static pthread_barrier_t bar;
static volatile int serial;
static void meets(void)
{
	if (pthread_barrier_wait(&bar) == PTHREAD_BARRIER_SERIAL_THREAD)
		__atomic_fetch_add(&serial, 1, __ATOMIC_SEQ_CST);
}
static void *first(void *a)
{
	meets();
	return a;
}
static void *last(void *a)
{
	usleep(50000);
	meets();
	return a;
}
int main(void)
{
	pthread_t t[2];
	pthread_barrier_init(&bar, 0, 2);
	pthread_create(&t[0], 0, first, 0);
	pthread_create(&t[1], 0, last, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return serial;
}
P
rethread cc -O1 -g -pthread b.c -o b
status 1 rethread record -q ./b
printf 'rethread-schedule 1\nresult 1:1 2 -1\n' >schedule
rethread replay -n 3 --schedule schedule >out 2>&1 || fail "$(cat out)"
