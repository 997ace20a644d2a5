# Truth of the log: what threads noted of their own way is what comes out of the log, for callbacks from libraries,
# thread-specific destructors, detached threads and threads that are alive when main returns; at every level of optimisation.
agree() { # COMPILER SOURCE N
	for opt in -O0 -O1 -O2 -O3; do
		rethread $1 $opt -g -pthread -I"$ROOT/tests/e2e" "$2" -o p
		rethread record -q ./p || fail "$2 $opt: status $?"
		lines_agree "$2" "$3"
	done
}
cat >callbacks.c <<'P'
#include "notes.h"
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int compare(const void *a, const void *b) {
	int x = *(const int *)a, y = *(const int *)b;
	if (x < y) {
		L;
		return -1;
	}
	if (x > y) {
		L;
		return 1;
	}
	L;
	return 0;
}
static void first(void) {
	L;
}
static void destroys(void *x) {
	if (*(int *)x > 3) {
		L;
	} else {
		L;
	}
	say(*(int *)x > 3 ? "1:1" : "1:2");
}
static void last(void) {
	for (int i = 0; i < nnoted; i++)
		if (noted[i] == 6) {
			L;
		}
	L;
	say("1");
}
static void *work(void *x) {
	int values[] = {5, 2, 8, 1, *(int *)x}, want = 8;
	pthread_once(&once, first);
	pthread_setspecific(key, x);
	qsort(values, 5, sizeof *values, compare);
	if (bsearch(&want, values, 5, sizeof *values, compare)) {
		L;
	}
	L;
	return x;
}
int main(void) {
	pthread_t t[2];
	int numbers[2] = {4, 3};
	pthread_key_create(&key, destroys);
	atexit(last);
	for (int i = 0; i < 2; i++) {
		pthread_create(&t[i], 0, work, &numbers[i]);
		pthread_join(t[i], 0);
	}
	L;
	return 0;
}
P
agree cc callbacks.c 20
# A detached thread that is done, one that main does not wait for, and one that ends by pthread_exit in a callee.
cat >alive.c <<'P'
#include "notes.h"
#include <semaphore.h>
static sem_t told, never;
static void *detached(void *x) {
	for (int i = 0; i < 5; i++)
		if (i % 2) {
			L;
		}
	L;
	say("1:1");
	sem_post(&told);
	return x;
}
static void *waits(void *x) {
	for (int i = 0; i < 3; i++) {
		L;
	}
	say("1:2");
	sem_post(&told);
	sem_wait(&never);
	L;
	return x;
}
static void leave(int n) {
	if (n) {
		L;
		leave(n - 1);
	}
	L;
	say("1:3");
	pthread_exit(&told);
}
static void *exits(void *x) {
	L;
	leave(3);
	L;
	return x;
}
int main(void) {
	pthread_t t[3];
	sem_init(&told, 0, 0);
	sem_init(&never, 0, 0);
	pthread_create(&t[0], 0, detached, 0);
	pthread_detach(t[0]);
	pthread_create(&t[1], 0, waits, 0);
	pthread_create(&t[2], 0, exits, 0);
	sem_wait(&told);
	sem_wait(&told);
	pthread_join(t[2], 0);
	L;
	say("1");
	return 0;
}
P
agree cc alive.c 6
