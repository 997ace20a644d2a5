# A schedule that expects something else than the program does: replay ends at once and names thread and both places.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
static volatile int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *set(void *a) {
	x = 1;
	pthread_mutex_lock(&m);
	y = 1;
	pthread_mutex_unlock(&m);
	return a;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, set, 0);
	pthread_join(t, 0);
	assert(!x);
}
P
rethread cc -O2 -g p.c -o p
status 134 rethread record ./p 2>err
try() {
	printf 'rethread-schedule 1\n%s\n' "$1" >schedule
	status "$2" rethread replay --schedule schedule >out 2>err
}
# 1: 1 create, 2 the load of t, 3 join; 1:1: 1 the store to x, 2 the lock, 3 the store to y, 4 the unlock.
try 'wait 1 3@pthread_join 1:1 2@pthread_mutex_lock' 0
try 'wait 1 2 1:1 1@pthread_mutex_lock # p.c:99 main | p.c:77 pthread_mutex_lock' 1
has out 'thread 1:1 left the schedule at its access 1: expected pthread_mutex_lock at p.c:77 pthread_mutex_lock, came site [0-9]+ at .*p.c:6 in set'
try 'wait 1 2 1:1 2@44 # p.c:99 main | p.c:77 load' 1
has out 'thread 1:1 left the schedule at its access 2: expected site 44 at p.c:77 load, came pthread_mutex_lock at .*p.c:7 in set'
try 'wait 1 2 1:1 99' 1
has out 'thread 1:1 ended after 4 shared accesses, but the schedule has thread 1 wait at its access 2 for access 99 of it'
try 'wait 1 3 1:1 3
wait 1:1 2 1 4' 1
has out 'thread 1(:1)? waits at its access . for access . of thread 1'
try 'delay 1:1 1 1 2' 1
has out 'delays stores'
try 'wait 1 2 1:1' 1
has out 'not a line of a schedule'
