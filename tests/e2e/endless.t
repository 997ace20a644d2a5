# A thread whose loop has no branch, and nothing that is logged: how far it was when another one failed is not in the log. Alone with its
# memory, or not.
cat >beat.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
static volatile long beats;
static volatile int state;
static void *beat(void *x)
{
	for (;;) {
		beats++;
		BODY;
	}
	return x;
}
static void *work(void *x)
{
	for (;;) {
		state = 1;
		usleep(10);
		state = 0;
	}
	return x;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, beat, NULL);
	pthread_create(&b, NULL, work, NULL);
	for (;;) {
		usleep(5);
		LOOK;
		assert(!state);
	}
}
P
for body in 'sched_yield()' '(void)0'; do
	for look in '(void)0' 'assert(beats >= 0)'; do
		rethread cc -O2 -g -pthread "-DBODY=$body" "-DLOOK=$look" beat.c -o beat
		status 134 rethread record -q --timeout 20 ./beat 2>/dev/null
		rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$body, $look: $(cat out)"
		rethread replay -n 5 >out 2>&1 || fail "$body, $look: $(cat out)"
	done
done
