# A library that asks the system for something in its first call only: who came first in the recorded run does so in the replay, too.
cat >p.c <<'P'
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
int number(int x);
static long total;
static void *add(void *a)
{
	for (int i = 0; i < 6; i++) {
		int n = number(i);
		long t = total;
		sched_yield();
		total = t + n;
	}
	return a;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (total != 30)
		abort();
	return 0;
}
P
cat >q.c <<'P'
#include <fcntl.h>
#include <unistd.h>
static int seeded;
int number(int x)
{
	char seed[4];
	if (!__atomic_exchange_n(&seeded, 1, __ATOMIC_SEQ_CST)) {
		int file = open("/dev/urandom", O_RDONLY);
		if (read(file, seed, sizeof seed) != sizeof seed)
			return -1;
		close(file);
	}
	return x;
}
P
clang-19 -O1 -c q.c -o q.o
rethread cc -O2 -g -pthread p.c q.o -o p
# Of four recordings at least three are reproduced and replayed each time.
replayed() {
	local n=0 i
	for i in 1 2 3 4; do
		rethread record --until-failure --runs 500 ./$1 2>err && fail "no failure"
		rethread reproduce --engine solve --budget 15 >out 2>&1 || continue
		rethread replay -n 5 >out 2>&1 || continue
		has out '^reproduced 5/5$'
		n=$((n + 1))
	done
	[ $n -ge 3 ] || fail "$1: $n of 4 replayed: $(cat out)"
}
replayed p

# The engine has a libjansson of its own: that of a program, in the same process, is seeded by the program.
cat >j.c <<'P'
#include <jansson.h>
int number(int x)
{
	json_t *j = json_object();
	json_object_set_new(j, "x", json_integer(x));
	x = (int)json_integer_value(json_object_get(j, "x"));
	json_decref(j);
	return x;
}
P
rethread cc -O2 -g -pthread p.c j.c -o j -l:libjansson.so.4
replayed j

# Others wait in the library itself, without a word to anybody, until it has asked: the executor lets nobody begin such a call meanwhile.
cat >r.c <<'P'
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
static int begun, made;
int number(int x)
{
	if (!__atomic_exchange_n(&begun, 1, __ATOMIC_SEQ_CST)) {
		size_t size = 1 << 20;
		char *seeds = malloc(size);
		int file = open("/dev/urandom", O_RDONLY);
		for (int i = 0; i < 20; i++)
			if (read(file, seeds, size) <= 0)
				return -1;
		close(file);
		free(seeds);
		__atomic_store_n(&made, 1, __ATOMIC_SEQ_CST);
	}
	while (!__atomic_load_n(&made, __ATOMIC_SEQ_CST))
		sched_yield();
	return x;
}
P
clang-19 -O1 -c r.c -o r.o
rethread cc -O2 -g -pthread p.c r.o -o r
replayed r
