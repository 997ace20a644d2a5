# Paths come back bit by bit, over many chunks; a thread's end and the normal end are noted.
program p <<'E'
#include "recorded.h"
static void *thread(void *n)
{
	for (long i = 0; B(i < (long)n); i++)
		B(i % 3 == 0);
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	B(1), B(0), B(0), B(1);
	append(5, 3);
	pthread_create(&a, NULL, thread, (void *)3);
	pthread_create(&b, NULL, thread, (void *)20000000);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 7;
}
E
log_is_small()
{
	local size
	size=$(stat -c %s trace/log.*)
	[ "$size" -lt 350000 ] || fail "a log of $size bytes"
}
record 7 ./p
dump
has dump '^flags 4 scheme 3 threads 3 dropped 0$' '^failure none 0 1 ' '^thread 1 bits 7 done 4 ended 0 waits 0$' \
	'^path 1 1001101$' '^thread 1:1 bits 7 done 0 ended 1 waits 0$' '^path 1:1 1110100$' \
	'^thread 1:2 bits 40000001 done 0 ended 1' '^path 1:2 111010111010111010111' \
	'^sync 1 op 1 object t1 order 1' '^sync 1 op 2 object t2 order 1' '^sync 1 op 3 object t1 order 2' \
	'^sync 1 op 4 object t2 order 2'
same "$(stat -c %a trace/log.*)" 600
# There are time stamps on the way.
has dump '^margin 10000$' "^times 1:2 [0-9]{3,5} in order"
# Words are foretold as well of a loop whose rounds take three words, two of which are alike.
program long <<'E'
#include "recorded.h"
int main(void)
{
	for (long i = 0; i < 20000000; i++)
		B(i % 168 != 167);
	return 7;
}
E
OPTIONS=time=0 record 7 ./long
log_is_small
dump
has dump '^thread 1 bits 20000000 '
# The pattern repeats, so its words are foretold and the log is small; how many time stamps there would be depends on the day.
OPTIONS=time=0 record 7 ./p
log_is_small
dump
has dump '^margin 0$'
grep -q ^times dump && fail "time stamps with time=0"
OPTIONS=margin=77 record 7 ./p
dump
has dump '^margin 77$'
# The other schemes record less, and without options nothing at all.
OPTIONS=scheme=path record 7 ./p
dump
has dump '^flags 4 scheme 2 threads 3' '^path 1 1001101$'
grep -q '^sync .* object [^0]' dump && fail "synchronization under path"
OPTIONS=scheme=base record 7 ./p
dump
has dump '^flags 4 scheme 1 threads 3' '^thread 1 bits 0 '
OPTIONS=off record 7 ./p
same "$(ls trace)" ""
status 7 ./p

# Scheme path has no order of synchronization, but when steps happened that block or wake somebody up.
program q <<'P'
#include "recorded.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *says(void *x) {
	pthread_mutex_lock(&m); /* after the wait below has begun */
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return x;
}
int main(void) {
	pthread_t t;
	pthread_mutex_lock(&m);
	pthread_create(&t, 0, says, 0);
	while (!ready) pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return pthread_join(t, 0);
}
P
OPTIONS=scheme=path record 0 ./q
dump
# main: lock, create, wait (two steps); the other: lock, signal
has dump '^sync 1 op 3 object 0 order 1 result 0$' '^sync 1 op 4 object 0 order 1 result 0$' '^sync 1:1 op 2 object 0 order 1 result 0$'
OPTIONS=scheme=path,time=0 record 0 ./q
dump
grep -q ^sync dump && fail "stamps without time"
true

# Time stamps come seldom where words come fast, and often again where they come slowly.
program pace <<'P'
#include "recorded.h"
#include <time.h>
static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000 + t.tv_nsec / 1000; }
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < 6000000; i++) B(i & 1);
	for (int i = 0; argc > 1 && i < 4000 * 60; i++) {
		B(i & 1);
		if (i % 20 == 0) for (long t = now(); now() < t + 20;) ;
	}
	return 0;
}
P
OPTIONS=margin=1000000 record 0 ./pace
dump
has dump '^times 1 [0-9]+ in order, the last [0-9]{5,6} bits apart$'
OPTIONS=margin=1000000 record 0 ./pace slow
dump
has dump '^times 1 [0-9]+ in order, the last 1008 bits apart$'
