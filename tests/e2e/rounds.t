# Loops whose rounds are counted in the log: left at once, after few and after very many rounds, by several ways; the log is short. A thread
# that is in one when the run fails; one that faults there, with a handler that jumps away or comes back.
cat >p.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#define N 1000
static int table[N], last = N, found;
static long sum;
/* The search looks at what the other thread changes. */
static int place(const int *t, int n, int key) {
	for (int i = 0; i < n; i++) {
		if (t[i] == key)
			return i;
		if (t[i] < 0)
			return -1 - i;
	}
	return n;
}
static int lower(const int *t, int n, int key) {
	int low = 0, high = n;
	while (low < high) {
		int middle = (low + high) / 2;
		if (t[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
static void *looks(void *x) {
	static const int keys[] = {0, 1, 2, 31, 32, 63, 64, 65, 127, 128, 129, 500, 998, 999, 5000};
	long me = (long)x, own = 0;
	for (int r = 0; r < 3; r++)
		for (unsigned k = 0; k < sizeof keys / sizeof *keys; k++) {
			own = own * 3 + place(table, last, keys[k]) + lower(table, last, keys[k]);
			if (keys[k] == 129) {
				int f = *(volatile int *)&found;
				usleep(50);
				*(volatile int *)&found = f + 1;
				table[500 + 7 * me + r] = -5;
				last = N - (int)me;
			}
		}
	printf("%ld %ld\n", me, own);
	return (void *)own;
}
int main(void) {
	pthread_t t[3];
	void *r;
	for (int i = 0; i < N; i++)
		table[i] = i;
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], 0, looks, (void *)i);
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], &r);
		sum += (long)r;
	}
	printf("%ld\n", sum);
	fflush(stdout);
	assert(found == 9);
}
P
for opt in -O1 -O2 -O3; do
	rethread cc $opt -g -pthread p.c -o p
	rethread record -q --until-failure --runs 100 ./p >recorded 2>err && fail "$opt: no failure"
	tail -n 4 recorded | sort >recorded.last
	rethread dump --no-lines --json >dump.json
	# Each thread goes round about 15,000 times.
	python3 -c 'if 1:
		import json
		for t in json.load(open("dump.json"))["threads"][1:]: assert 100 < t["branches"] < 4000, t["branches"]'
	rethread reproduce --engine solve >out 2>&1 || fail "$opt: $(cat out)"
	rethread replay -n 10 >out
	has out '^reproduced 10/10$'
	rethread replay >out
	same "$(grep -v '^reproduced' out | sort)" "$(cat recorded.last)"
done
# Alive in such a loop when another thread fails, and faults there: at an index that is far off, through a null pointer; one that runs away.
cat >q.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static int small[64], *table, limit = 1000;
static volatile long scanned, last;
static void *scans(void *x) {
	long n = 0;
	for (long r = 0; r >= 0; r++) {
		int k = 0, most = *(volatile int *)&limit, *t = *(int *volatile *)&table;
		while (k < most && t[k] != 7)
			k++;
		n += k;
		last = k;
		scanned = r;
		usleep(10);
	}
	return (void *)n;
}
static long far(const int *t, long n) {
	for (long i = 0; i < n; i++)
		if (t[i % 64] == 77)
			return i;
	return n;
}
static void *goes_on(void *x) { return (void *)far(small, 1l << 40); }
int main(int argc, char **argv) {
	pthread_t t;
	table = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(table + 1024, 4096, PROT_NONE);
	pthread_create(&t, 0, *argv[1] == 'a' ? goes_on : scans, 0);
	if (*argv[1] != 'a')
		while (scanned < 5)
			usleep(10);
	usleep(1000);
	if (*argv[1] == 'f')
		limit = 1 << 30;
	if (*argv[1] == 'n')
		table = 0;
	if (*argv[1] == 'a')
		assert(argc == 1);
	pthread_join(t, 0);
}
P
rethread cc -O2 -g -w -pthread q.c -o q
for how in alive far null; do
	want=139
	[ $how != alive ] || want=134
	status $want rethread record -q ./q $how 2>err
	rethread reproduce >out 2>&1 || fail "$how: $(cat out)"
	has out 'proven by replay'
	rethread replay -n 5 >out || fail "$how: $(cat out)"
	has out '^reproduced 5/5$'
done
# Who polls through such a loop: its laps are left out, and the last one is another one.
cat >w.c <<'P'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int flags[8], many = 8, got;
static int any(const int *f, int n) {
	for (int i = 0; i < n; i++)
		if (f[i])
			return i;
	return -1;
}
static void *polls(void *x) {
	int k, n = *(volatile int *)&many;
	while ((k = any(flags, n)) < 0)
		__asm__ volatile("" ::: "memory");
	int g = *(volatile int *)&got;
	usleep(20);
	*(volatile int *)&got = g + k;
	return x;
}
int main(void) {
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, polls, 0);
	usleep(3000);
	flags[5] = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	assert(got == 15);
}
P
rethread cc -O2 -g -w -pthread w.c -o w
rethread record -q --until-failure --runs 100 ./w 2>err && fail "no failure"
rethread reproduce --engine solve >out 2>&1 || fail "polls: $(cat out)"
rethread replay -n 10 >out || fail "$(cat out)"
has out '^reproduced 10/10$'
# A handler of the fault: it jumps away, and the thread goes on; or it comes back, and the loop does.
cat >h.c <<'P'
#include "notes.h"
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
static sigjmp_buf away;
static int *pages, jumps, key = 5, seen;
static void handler(int s, siginfo_t *i, void *c) {
	if (jumps)
		siglongjmp(away, 1);
	mprotect((void *)((long)i->si_addr & -4096), 4096, PROT_READ | PROT_WRITE);
}
static void comes_back(int s, siginfo_t *i, void *c) { mprotect((void *)((long)i->si_addr & -4096), 4096, PROT_READ | PROT_WRITE); }
static long place(const int *t, long n) {
	for (long i = 0; i < n; i++)
		if (t[i] == key)
			return i;
	return n;
}
static void *other(void *x) {
	key = 6;
	return x;
}
int main(int argc, char **argv) {
	struct sigaction a = {.sa_sigaction = argc > 1 ? handler : comes_back, .sa_flags = SA_SIGINFO};
	pthread_t t;
	sigaction(SIGSEGV, &a, 0);
	pages = mmap(0, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_create(&t, 0, other, 0);
	pthread_join(t, 0);
	mprotect(pages + 4096, 4096, PROT_NONE);
	jumps = argc > 1;
	if (!sigsetjmp(away, 1)) {
		L;
		if (place(pages, 8 * 1024) == 8 * 1024) {
			L;
		}
	} else {
		L;
	}
	for (int i = 0; i < 3; i++) {
		if (place(pages, 100 + i) > 101) {
			L;
		}
	}
	say("1");
	assert(key != 6);
}
P
rethread cc -O2 -g -w -pthread -I"$ROOT/tests/e2e" h.c -o h
for how in "" jumps; do
	status 134 rethread record -q ./h $how 2>err
	lines_agree h.c 2
	rethread reproduce >out 2>&1 || fail "$how: $(cat out)"
	has out 'proven by replay'
done
