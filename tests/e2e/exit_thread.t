# Not the main thread ends the process: followed, searched for and inferred all the same, and said.
cat >e.c <<'P'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int rounds, seen;
static void *counts(void *x) {
	for (;;) {
		rounds++;
		usleep(100);
		if (seen) pthread_exit(x);
	}
}
static void *watches(void *x) {
	while (rounds < 10) {
	}
	fprintf(stderr, "%d\n", rounds > 9);
	LEAVE(3);
	return x;
}
int main(void) {
	pthread_t t[2];
	pthread_create(&t[0], 0, counts, 0);
	pthread_create(&t[1], 0, watches, 0);
	pthread_join(t[0], 0);
	seen = 1;
	pthread_join(t[1], 0);
}
P
for leave in exit _exit; do
	rethread cc -O1 -g -pthread -DLEAVE=$leave e.c -o e
	for how in "rw follow" "path+sync search" "path+sync solve"; do
		set -- $how
		status 3 rethread record -q --scheme $1 ./e 2>err
		rethread dump --no-lines >out
		has out '^  in thread 1:2$'
		rethread reproduce --engine $2 --budget 50 >out 2>&1 || fail "$how: $(cat out)"
		rethread replay -n 10 >out || fail "$how: $(cat out)"
		has out '^reproduced 10/10$'
	done
done
