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
# 1: 1 create, 2 join; 1:1: 1 the store to x, 2 the lock, 3 the store to y, 4 the unlock.
try 'wait 1 2@pthread_join 1:1 2@pthread_mutex_lock' 0
try 'wait 1 2 1:1 1@pthread_mutex_lock # p.c:99 main | p.c:77 pthread_mutex_lock' 1
has out 'thread 1:1 left the schedule at its access 1: expected pthread_mutex_lock at p.c:77 pthread_mutex_lock, came site [0-9]+ at .*p.c:6 in set'
try 'wait 1 2 1:1 2@44 # p.c:99 main | p.c:77 load' 1
has out 'thread 1:1 left the schedule at its access 2: expected site 44 at p.c:77 load, came pthread_mutex_lock at .*p.c:7 in set'
try 'wait 1 2 1:1 99' 1
has out 'thread 1:1 ended after 4 shared accesses, but the schedule has thread 1 wait at its access 2 for access 99 of it'
# What no run could keep to is said before anything runs, with the lines; so is what is no schedule.
try 'wait 1 3 1:1 3
wait 1:1 2 1 4' 4
has err 'circle' 'line 2: access 3 of thread 1 after access 3 of thread 1:1' 'line 3: access 2 of thread 1:1 after access 4 of thread 1'
try 'delay 1:1 1 1 2' 4
has err 'line 2 delays a store, which there is none of under model sc'
try 'wait 1 2 1:1' 4
has err 'line 2: such a line is: wait THREAD ACCESS THREAD ACCESS'
try 'module 1234' 4
has err 'it is for a program of module 1234, but the recorded one is'
# A thread that there never is: said, and then nobody can go on. So does a step that comes before the thread is there.
try 'wait 1 3 1:7 1' 1
has err ':2: the recorded run had no thread 1:7'
has out 'thread 1 waits at its access 3 for access 1 of thread 1:7, which stands at 0 .not started'
# A deadlock of the program itself is none of the schedule.
cat >d.c <<'P'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *x) {
	pthread_mutex_lock(&b);
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return x;
}
int main(int argc, char **argv) {
	pthread_t t;
	pthread_create(&t, 0, other, 0);
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	pthread_join(t, 0);
	return 3;
}
P
rethread cc -O2 -g d.c -o d
# It may really come to that: then it is recorded once more.
for try in 1 2 3 4 5; do
	got=0
	rethread record ./d 2>err || got=$?
	[ $got != 3 ] || break
done
same $got 3
# Both have the first lock before they want the second: 1: 1 create, 2 and 3 lock; 1:1: 1 and 2 lock.
try 'wait 1 3 1:1 1
wait 1:1 2 1 2' 1
has out 'deadlock: threads 1 and 1:1 are all blocked' 'expected: exit status 3'
try 'wait 1 2 1:1 4' 0
