# The order of acquisitions in the log is the one that the program itself noted; uncontended locks cost nothing.
program p <<'E'
#include "recorded.h"
enum { THREADS = 4, TIMES = 20000 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, start = PTHREAD_MUTEX_INITIALIZER;
static int who[THREADS * TIMES], n;
static void *thread(void *me)
{
	pthread_mutex_lock(&start);
	pthread_mutex_unlock(&start);
	for (int i = 0; i < TIMES; i++) {
		pthread_mutex_lock(&m);
		who[n++] = (int)(long)me;
		pthread_mutex_unlock(&m);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[THREADS];
	pthread_mutex_lock(&start);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, thread, (void *)(i + 1));
	pthread_mutex_unlock(&start);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < n; i++)
		if (!i || who[i] != who[i - 1])
			printf("1:%d order %d\n", who[i], i + 1);
	return 0;
}
E
record 0 ./p >noted
dump
has dump '^flags 4 .*threads 5 dropped 0$' '^thread 1:3 bits 0 done 40002 ended 1'
awk '$1 == "sync" && $6 == 2 { print $2, "order", $8 }' dump | sort -n -k3 >logged
cmp noted logged
[ "$(wc -l <noted)" -ge 4 ]

program q <<'E'
#include "recorded.h"
int main(int argc, char **argv)
{
	pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
	for (int i = 0; i < atoi(argv[1]); i++) {
		pthread_mutex_lock(&m[i % 3]);
		pthread_mutex_unlock(&m[i % 3]);
	}
	return 0;
}
E
record 0 ./q 0
less=$(stat -c %s trace/log.*)
record 0 ./q 10000000
more=$(stat -c %s trace/log.*)
[ $((more - less)) -lt 100 ] || fail "10 million locks made the log $((more - less)) bytes longer"
dump
has dump '^thread 1 bits 0 done 20000000 '
same "$(grep -c ^sync dump)" 3
# A preloaded library still gets its turn: functions are looked up as the dynamic linker would.
cat >counter.c <<'E'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static int locks;
int pthread_mutex_lock(pthread_mutex_t *m)
{
	locks++;
	return ((int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock"))(m);
}
int pthread_mutex_trylock(pthread_mutex_t *m)
{
	locks++;
	return ((int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_trylock"))(m);
}
__attribute__((destructor)) static void say(void) { fprintf(stderr, "locks %d\n", locks); }
E
clang-19 -O1 -fPIC -shared counter.c -o counter.so
rm -rf trace && mkdir trace
LD_PRELOAD=$PWD/counter.so RETHREAD_OPTIONS=dir=trace ./q 7 2>err
has err '^locks 7$'
dump
has dump '^thread 1 bits 0 done 14 '
# So do functions that the C library has in several versions, and those it chooses when they are bound (time).
program v <<'E'
#include "recorded.h"
#include <time.h>
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static void *thread(void *p)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return p;
}
int main(void)
{
	pthread_t t;
	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, thread, NULL);
	while (!ready) pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return time(NULL) > 1000000000 ? 0 : 1;
}
E
record 0 ./v

# More locks than the first tables of objects have room for; each of them is known again.
program many <<'E'
#include "recorded.h"
static pthread_mutex_t m[20000];
static void *thread(void *p)
{
	for (int i = 0; i < 20000; i++) pthread_mutex_lock(&m[i]), pthread_mutex_unlock(&m[i]);
	return p;
}
int main(void)
{
	pthread_t t;
	thread(NULL);
	pthread_create(&t, NULL, thread, NULL);
	return pthread_join(t, NULL);
}
E
record 0 ./many
dump
has dump '^flags 4 .*dropped 0$'
same "$(awk '$1 == "sync" && $2 == "1" && $8 == 1 && $6 !~ /t/ { print $6 }' dump | sort -u | wc -l)" 20000
same "$(awk '$1 == "sync" && $2 == "1:1" && $8 == 2 { print $6 }' dump | sort -u | wc -l)" 20000

# The last destructors of a thread run when its log is closed: what they lock counts, though nobody knows where.
program late <<'E'
#include "recorded.h"
#include <time.h>
static pthread_key_t key;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void destroy(void *round)
{
	struct timespec past = {1, 0};
	if ((long)round < 4) {
		pthread_setspecific(key, (void *)((long)round + 1));
		return;
	}
	pthread_mutex_lock(&m);
	pthread_cond_timedwait(&c, &m, &past);
	pthread_mutex_unlock(&m);
}
static void *thread(void *p) { pthread_setspecific(key, (void *)1); return p; }
int main(void)
{
	pthread_t t;
	pthread_key_create(&key, destroy);
	pthread_mutex_lock(&m), pthread_mutex_unlock(&m);
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	pthread_mutex_lock(&m), pthread_mutex_unlock(&m);
	return 0;
}
E
record 0 ./late
dump
has dump '^flags 4 .*dropped 2$' '^sync 1 op 5 object 1 order 4 result 0$'

# Sleep that a signal ends says so in the log.
program woken <<'E'
#include "recorded.h"
#include <time.h>
static void wakes(int signal) { (void)signal; }
int main(void)
{
	struct timespec t = {50, 0};
	struct sigaction a = {.sa_handler = wakes};
	sigaction(SIGALRM, &a, NULL);
	ualarm(10000, 10000);
	if (!sleep(50)) return 1;
	if (!nanosleep(&t, NULL)) return 2;
	return clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL) ? 0 : 3;
}
E
record 0 ./woken
dump
has dump '^sync 1 op 1 object 0 order 1 result [1-9]' '^sync 1 op 2 object 0 order 1 result 4$' '^sync 1 op 3 object 0 order 1 result 4$'
