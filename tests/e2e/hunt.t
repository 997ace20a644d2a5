# rethread hunt: a failure that does not come by itself, found, followed, replayed; the same seed finds the same.
cat >p.c <<'C'
/* A stack of numbered nodes with no counter against reuse (ABA): its window is a few instructions. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
enum { NODES = 6, ROUNDS = 50 };
static struct { _Atomic int next, owned; } pool[NODES];
static _Atomic int head = -1;
static void push(int n)
{
	int h;
	do {
		h = head;
		pool[n].next = h;
	} while (!atomic_compare_exchange_weak(&head, &h, n));
}
static int pop(void)
{
	int h, next;
	do {
		h = head;
		if (h < 0)
			return -1;
		next = pool[h].next;
	} while (!atomic_compare_exchange_weak(&head, &h, next));
	return h;
}
static void *worker(void *x)
{
	for (int i = 0; i < ROUNDS; i++) {
		int n[2] = { pop(), pop() };
		for (int k = 0; k < 2; k++)
			assert(n[k] < 0 || atomic_fetch_add(&pool[n[k]].owned, 1) == 0);
		for (int k = 0; k < 2; k++)
			if (n[k] >= 0) {
				pool[n[k]].owned--;
				push(n[k]);
			}
	}
	return x;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < NODES; i++)
		push(i);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, worker, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
}
C
rethread cc -O2 -g -pthread p.c -o p
status 134 rethread hunt --runs 300 ./p 2>first
has first 'run [0-9]+: assert: p.c:'
status 134 rethread hunt --runs 300 ./p 2>second
same "$(sed -n 's/: assert.*//p' second)" "$(sed -n 's/: assert.*//p' first)"
[ -z "$(find "$(latest)" -name sketch)" ] || fail "files are left behind"
status 4 rethread explain 2>err
has err 'is explained once .rethread reproduce. has followed it'
rethread reproduce >out 2>&1 || fail "$(cat out)"
has out 'followed and proven by replay'
rethread replay -n 20 >out 2>&1 || fail "$(cat out)"
has out '^reproduced 20/20$'
rethread explain >out
has out '^What the failing thread read last:$' '^    it found 1 -> 2$' 'p\.c:32 .*FAILS'
# Nothing to find, and no trace.
echo 'int main(void) { return 0; }' >q.c
rethread cc q.c -o q
rethread hunt --runs 3 ./q 2>err
has err 'no failure in 3 runs'
status 2 rethread record --seed 3 ./q 2>err
status 2 rethread hunt --scheme path ./q 2>err

# A thread that nobody expected back from a call is, once another sends what may end the call: no deadlock.
cat >suspends.c <<'P'
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static volatile sig_atomic_t got;
static void on(int s) { got = s; }
static void *work(void *a) { usleep(1000); kill(getpid(), SIGUSR1); return a; }
int main(void)
{
	sigset_t block, old;
	struct sigaction sa = { .sa_handler = on };
	pthread_t t;
	sigemptyset(&block);
	sigaddset(&block, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &block, &old);
	sigaction(SIGUSR1, &sa, NULL);
	pthread_create(&t, NULL, work, NULL);
	while (!got)
		sigsuspend(&old);
	pthread_join(t, NULL);
	return 0;
}
P
rethread cc -O2 -g -pthread suspends.c -o suspends
status 0 rethread hunt --runs 5 -- ./suspends 2>err
has err 'no failure in 5 runs'

# A thread that has to be stopped just before it takes a lock: between its look at a flag and the step that the flag allows.
cat >driver.c <<'P'
#include <assert.h>
#include <pthread.h>
static int pending = 1, stopping, stopped;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int change(int by)
{
	pthread_mutex_lock(&m);
	int now = pending += by;
	pthread_mutex_unlock(&m);
	return now;
}
static void *request(void *arg)
{
	if (!stopping) {
		change(1);
		assert(!stopped);
		change(-1);
	}
	return arg;
}
static void *stop(void *arg)
{
	stopping = 1;
	if (change(-1) == 0)
		stopped = 1;
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&b, 0, stop, 0);
	pthread_create(&a, 0, request, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
P
rethread cc -O1 -g -pthread driver.c -o driver
status 134 rethread hunt --runs 500 ./driver 2>err
rethread reproduce >out
has out 'followed and proven by replay'
