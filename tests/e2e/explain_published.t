# Something is shown to other threads before it is filled: a slot of a ring by its index, and a new object by the pointer to it. A lock that is given up and taken again
# looks much the same, and is not told so.
early() { # OPTION PROGRAM: what is said of a failing run
	rethread cc $1 -g -pthread $2.c -o $2
	status 134 rethread record -q --until-failure --runs 5000 ./$2 2>err
	rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$2 $1: $(cat out)"
	rethread explain >out
	sed -n '/^What was read before it was filled:$/,/^$/p' out | tr -s ' \n' ' ' >text
}
cat >ring.c <<'P'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static int slots[4];
static atomic_uint head, tail;
static void *puts_in(void *p)
{
	for (int i = 1; i <= 100; i++) {
		unsigned h = head;
		while (h - tail == 4)
			usleep(20);
		head = h + 1; if (i == 7) usleep(5000);
		slots[h % 4] = i; /* too late */
	}
	return p;
}
static void *takes_out(void *p)
{
	for (int i = 1; i <= 100; i++) {
		unsigned t = tail;
		while (head == t)
			;
		if (slots[t % 4] != i)
			usleep(50000), abort(); /* when it has been filled */
		tail = t + 1;
	}
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, puts_in, NULL);
	pthread_create(&b, NULL, takes_out, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}
P
cat >object.c <<'P'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
struct object { int length, width; };
static struct object last;
static _Atomic(struct object *) now;
static void *makes(void *p)
{
	struct object *o = calloc(1, sizeof *o);
	now = o;
	for (volatile int i = 0; i < 50; i++)
		;
	usleep(5000);
	o->width = 7; /* too late */
	return p;
}
static void *uses(void *p)
{
	struct object *o;
	while (!(o = now))
		;
	if (o->width != 7)
		usleep(50000), abort();
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&b, NULL, uses, NULL);
	pthread_create(&a, NULL, makes, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	now = &last; /* else clang 19 makes one bit of it, and fails */
}
P
cat >spin.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
static atomic_flag lock;
static int sum;
static void *adds(void *p)
{
	for (int i = 0; i < 60; i++) {
		while (atomic_flag_test_and_set(&lock))
			sched_yield();
		int s = sum;
		atomic_flag_clear(&lock);
		for (volatile int k = 0; k < 20; k++)
			;
		if (i % 16 == 3)
			usleep(100);
		while (atomic_flag_test_and_set(&lock))
			sched_yield();
		sum = s + 1;
		atomic_flag_clear(&lock);
	}
	return p;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, adds, NULL);
	pthread_create(&b, NULL, adds, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (sum != 120)
		abort();
}
P
for opt in -O0 -O2; do
	early $opt ring
	has text 'thread 1:1 (wrote|updated) head: .*head = h \+ 1; .*then thread 1:2 read it: [0-9]+ ring.c:22 while \(head == t\) then thread 1:2 read slots\[[0-3]\]: [0-9]+ ring.c:24 if .* and only then thread 1:1 wrote it ring.c:14 slots'
	early $opt object
	has text 'thread 1:2 (wrote|updated) now: .*now = o; then thread 1:1 read it: .*while .* then thread 1:1 read object.width: 0 object.c:[0-9]+ .* and only then thread 1:2 wrote it object.c:[0-9]+ o->width = 7'
	early $opt spin
	[ ! -s text ] || fail "$opt: $(cat text)"
done

# Parts of one thing, assigned in one line: who reads them without the lock finds one new and one old.
cat >hub.c <<'P'
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static struct { pthread_mutex_t lock; void (*call)(int *, int); int *of; } hub = {.lock = PTHREAD_MUTEX_INITIALIZER};
static void adds(int *of, int n) { *of += n; }
static void *subscribes(void *p)
{
	pthread_mutex_lock(&hub.lock);
	hub.call = adds, usleep(40000), hub.of = p;
	pthread_mutex_unlock(&hub.lock);
	return NULL;
}
int main(void)
{
	pthread_t t;
	int sum = 0;
	pthread_create(&t, NULL, subscribes, &sum);
	usleep(20000);
	if (hub.call && !hub.of) /* without the lock */
		usleep(40000), abort();
	pthread_join(t, NULL);
}
P
rethread cc -O0 -g -pthread hub.c -o hub
status 134 rethread record -q --until-failure --runs 50 ./hub 2>err
rethread reproduce --engine solve --budget 60 >out 2>&1 || fail "$(cat out)"
rethread explain | tr -s ' \n' ' ' >text
has text 'What was read before it was filled: thread 1:1 wrote hub.call: &adds hub.c:9 .*then thread 1 read it: &adds hub.c:19 .*then thread 1 read hub.of: NULL hub.c:19 .*and only then thread 1:1 wrote it hub.c:9' \
	'In short: thread 1:1 let others see hub.call \(hub.c:9\) before it wrote hub.of \(hub.c:9\), which thread 1 read in between \(hub.c:19\)\.'
