# Cancellation: in a wait on a condition variable whose mutex a cleanup handler unlocks, in a semaphore, in a join, in a sleep, at
# pthread_testcancel; with C's cleanup handlers and with C++ destructors and catch (...). Recorded, decoded, inferred, replayed.
cat >p.c <<'P'
#include "notes.h"
#include <assert.h>
#include <semaphore.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t here, never;
static int cleaned;
static pthread_t main_thread;
static void unlock(void *x) {
	L;
	cleaned++;
	pthread_mutex_unlock(x);
}
static void plain(void *x) {
	L;
	if (*(int *)x > 3) {
		L;
	}
	pthread_mutex_lock(&m);
	cleaned++;
	pthread_mutex_unlock(&m);
}
static void says(void *x) {
	L;
	say(x);
}
static __attribute__((noinline)) void wait_for_ever(void) {
	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlock, &m);
	sem_post(&here);
	for (;;) {
		L;
		pthread_cond_wait(&c, &m);
		L;
	}
	pthread_cleanup_pop(1);
}
static void *in_cond(void *x) {
	pthread_cleanup_push(says, "1:2");
	wait_for_ever();
	L;
	pthread_cleanup_pop(1);
	return x;
}
static void *in_sem(void *x) {
	int n = 4;
	pthread_cleanup_push(says, "1:3");
	pthread_cleanup_push(plain, &n);
	sem_post(&here);
	sem_wait(&never);
	L;
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return x;
}
static void *in_sleep(void *x) {
	int n = 3;
	pthread_cleanup_push(says, "1:4");
	pthread_cleanup_push(plain, &n);
	sem_post(&here);
	for (;;) {
		L;
		sleep(100);
	}
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return x;
}
static void *in_join(void *other) {
	int n = 5;
	pthread_cleanup_push(says, "1:5");
	pthread_cleanup_push(plain, &n);
	sem_post(&here);
	pthread_join(*(pthread_t *)other, 0);
	pthread_cleanup_pop(1);
	pthread_cleanup_pop(0);
	return 0;
}
static void *stays(void *x) {
	pthread_join(main_thread, 0);
	return x;
}
static void *tests(void *x) {
	pthread_cleanup_push(says, "1:6");
	sem_post(&here);
	for (int i = 0;; i++) {
		if (i == 7) {
			L;
		}
		pthread_testcancel();
	}
	pthread_cleanup_pop(0);
	return x;
}
static void *exits(void *x) {
	int n = 4;
	pthread_cleanup_push(says, "1:7");
	pthread_cleanup_push(plain, &n);
	sem_post(&here);
	L;
	pthread_exit(x);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return x;
}
int main(int argc, char **v) {
	(void)v;
	pthread_t t[7];
	void *r;
	sem_init(&here, 0, 0);
	sem_init(&never, 0, 0);
	main_thread = pthread_self();
	pthread_create(&t[6], 0, stays, 0);
	pthread_create(&t[0], 0, in_cond, 0);
	pthread_create(&t[1], 0, in_sem, 0);
	pthread_create(&t[2], 0, in_sleep, 0);
	pthread_create(&t[3], 0, in_join, &t[6]);
	pthread_create(&t[4], 0, tests, 0);
	pthread_create(&t[5], 0, exits, 0);
	for (int i = 0; i < 6; i++) sem_wait(&here);
	usleep(2000);
	pthread_cancel(t[3]);
	for (int i = 0; i < 5; i++) {
		if (i != 3) pthread_cancel(t[i]);
		L;
	}
	for (int i = 0; i < 6; i++) {
		pthread_join(t[i], &r);
		assert((r == PTHREAD_CANCELED) == (i < 5));
	}
	L;
	say("1");
	assert(argc == 1 || cleaned != 5);
	return 0;
}
P
cat >q.cpp <<'P'
#include "notes.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int waiting;
struct Guard {
	const char *name;
	~Guard() {
		L;
		if (name) {
			L;
			say(name);
		}
	}
};
static void unlock(void *) {
	L;
	pthread_mutex_unlock(&m);
}
static __attribute__((noinline)) void inner() {
	Guard g{nullptr};
	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlock, nullptr);
	waiting = 1;
	L;
	for (;;) pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(1);
}
static void *waits(void *x) {
	Guard g{"1:1"};
	try {
		inner();
	} catch (...) {
		L;
		throw;
	}
	return x;
}
int main(int argc, char **) {
	pthread_t t;
	void *r;
	pthread_create(&t, 0, waits, 0);
	for (int w = 0; !w;) {
		pthread_mutex_lock(&m);
		w = waiting;
		pthread_mutex_unlock(&m);
	}
	pthread_cancel(t);
	pthread_join(t, &r);
	L;
	say("1");
	if (argc > 1 && r == PTHREAD_CANCELED) abort();
	return 0;
}
P
for opt in -O0 -O1 -O2 -O3; do
	rethread cc $opt -g -pthread -I"$ROOT/tests/e2e" p.c -o p
	rethread c++ $opt -g -pthread -I"$ROOT/tests/e2e" q.cpp -o q
	rethread record -q ./p
	lines_agree p.c 20
	rethread record -q ./q
	lines_agree q.cpp 7
done
rethread dump >out
has out 'acquire object [0-9]+, its step [0-9]+, cancelled'
for program in p q; do
	status 134 rethread record -q ./$program x 2>err
	rethread reproduce >out 2>&1 || fail "$program: $(cat out)"
	has out 'reproduced and proven by replay'
	rethread replay -n 10 >out || fail "$(cat out)"
	has out '^reproduced 10/10$'
done
# Asynchronously: in the middle of a computation, and waiting for a lock; under each scheme.
cat >a.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t here;
static volatile unsigned long drawn[2];
static int left[2];
static void note(void *x) {
	for (int i = 0; i < 3; i++) ++*(int *)x;
}
static void *computes(void *x) {
	int old;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	assert(old == PTHREAD_CANCEL_DEFERRED);
	pthread_cleanup_push(note, &left[0]);
	sem_post(&here);
	for (unsigned long n = 1;; n = n * 6364136223846793005ul + 1) {
		if (n >> 63) drawn[1]++;
		else drawn[0]++;
	}
	pthread_cleanup_pop(0);
	return x;
}
static void *waits(void *x) {
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
	pthread_cleanup_push(note, &left[1]);
	sem_post(&here);
	pthread_mutex_lock(&m);
	pthread_cleanup_pop(0);
	return x;
}
int main(void) {
	pthread_t t[2];
	void *result;
	sem_init(&here, 0, 0);
	pthread_mutex_lock(&m);
	pthread_create(&t[0], 0, computes, 0);
	pthread_create(&t[1], 0, waits, 0);
	for (int i = 0; i < 2; i++) sem_wait(&here);
	usleep(500);
	for (int i = 0; i < 2; i++) pthread_cancel(t[i]);
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i], &result);
		assert(result == PTHREAD_CANCELED);
	}
	if (left[0] + left[1] == 6) abort();
}
P
rethread cc -O1 -g -pthread a.c -o a
for scheme in path+sync path rw; do
	status 134 rethread record -q --scheme $scheme ./a 2>err
	engine=solve
	[ $scheme != rw ] || engine=follow
	rethread reproduce --engine $engine --budget 50 >out 2>&1 || fail "$scheme: $(cat out)"
	has out 'proven by replay'
	rethread replay -n 10 >out || fail "$(cat out)"
	has out '^reproduced 10/10$'
done
# In calls that are inputs, with inputs in the cleanup handlers; under each scheme.
cat >b.c <<'P'
#include "notes.h"
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
static int ends[2], listens;
static long left;
static void cleans(void *x) {
	char c;
	L;
	if (((char *)x)[2] > '1') {
		L;
	}
	int fd = open("/dev/zero", O_RDONLY);
	if (read(fd, &c, 1) == 1) {
		L;
	}
	close(fd);
	long l = left;
	usleep(1000);
	left = l + 1;
	say(x);
}
static void *reads(void *x) {
	char c;
	pthread_cleanup_push(cleans, "1:1");
	L;
	read(ends[0], &c, 1);
	L;
	pthread_cleanup_pop(0);
	return x;
}
static void *polls(void *x) {
	struct pollfd p = {ends[0], POLLIN, 0};
	pthread_cleanup_push(cleans, "1:2");
	for (;;) {
		L;
		poll(&p, 1, 100000);
	}
	pthread_cleanup_pop(0);
	return x;
}
static void *accepts(void *x) {
	pthread_cleanup_push(cleans, "1:3");
	L;
	accept(listens, 0, 0);
	L;
	pthread_cleanup_pop(0);
	return x;
}
int main(int argc, char **v) {
	(void)v;
	pthread_t t[3];
	void *(*f[3])(void *) = {reads, polls, accepts};
	pipe(ends);
	listens = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(listens, &(struct sockaddr){AF_UNIX}, sizeof(sa_family_t));
	listen(listens, 1);
	for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f[i], 0);
	usleep(10000);
	for (int i = 0; i < 3; i++) pthread_cancel(t[i]);
	for (int i = 0; i < 3; i++) {
		void *r;
		pthread_join(t[i], &r);
		assert(r == PTHREAD_CANCELED);
	}
	L;
	say("1");
	assert(argc == 1 || left == 3);
	return 0;
}
P
for opt in -O0 -O2; do
	rethread cc $opt -g -pthread -I"$ROOT/tests/e2e" b.c -o b
	rethread record -q ./b
	lines_agree b.c 12
done
for scheme in path path+sync rw; do
	status 134 rethread record -q --scheme $scheme ./b x 2>err
	rethread dump --no-lines >out
	[ "$(grep -cE '^  input (read|poll|accept), cancelled$' out)" = 3 ] || fail "$scheme: $(cat out)"
	rethread dump --no-lines --json | python3 -c 'if 1:
		import json, sys
		threads = json.load(sys.stdin)["threads"]
		assert [i["function"] for t in threads for i in t["inputs"] if i.get("cancelled")] == ["read", "poll", "accept"]'
	rethread reproduce >out 2>&1 || fail "$scheme: $(cat out)"
	has out 'proven by replay'
	rethread replay -n 5 >out || fail "$scheme: $(cat out)"
	has out '^reproduced 5/5$'
done
# A search gives threads their recorded inputs, too, and cancels them there.
status 134 rethread record -q ./b x 2>err
rethread reproduce --engine search >out 2>&1 || fail "$(cat out)"
has out 'reproduced and proven by replay'
# In a call that is neither a step nor an input: said.
cat >d.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int ends[2], left;
static void note(void *x) { left += *(int *)x > 3 ? 1 : 2; }
static void *prints(void *x) {
	FILE *f = fdopen(ends[1], "w");
	int n = 4;
	setvbuf(f, 0, _IONBF, 0);
	pthread_cleanup_push(note, &n);
	fprintf(f, "%200000d", n);
	pthread_cleanup_pop(0);
	return x;
}
int main(void) {
	pthread_t t;
	pipe(ends);
	pthread_create(&t, 0, prints, 0);
	usleep(10000);
	pthread_cancel(t);
	pthread_join(t, 0);
	assert(!left);
}
P
rethread cc -O0 -g -pthread d.c -o d
status 134 rethread record -q ./d 2>err
status 4 rethread reproduce --engine solve --budget 20 2>err
has err 'thread 1:1 was cancelled in a call that is neither synchronization nor an input'
