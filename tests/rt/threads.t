# A thousand threads, by ancestry; threads alive at the end, detached ones, pthread_exit, destructors, failed creation.
program p <<'E'
#include "recorded.h"
static pthread_key_t key;
static void destroy(void *value) { (void)value; B(0); B(1); }
static void *leaf(void *arg) { B(1); pthread_setspecific(key, arg); pthread_exit(NULL); }
static void *branch(void *arg)
{
	pthread_t t[9];
	for (int i = 0; i < 9; i++) pthread_create(&t[i], NULL, leaf, arg);
	for (int i = 0; i < 9; i++) pthread_join(t[i], NULL);
	return NULL;
}
static void *forever(void *arg) { (void)arg; B(1); for (;;) pause(); }
int main(void)
{
	pthread_t t[100], u;
	pthread_attr_t bad;
	pthread_key_create(&key, destroy);
	for (int i = 0; i < 100; i++) pthread_create(&t[i], NULL, branch, t);
	for (int i = 0; i < 100; i++) pthread_join(t[i], NULL);
	pthread_attr_init(&bad);
	pthread_attr_setstacksize(&bad, (size_t)1 << 50);
	if (!pthread_create(&u, &bad, leaf, NULL)) return 1;
	pthread_create(&u, NULL, forever, NULL);
	pthread_detach(u);
	usleep(100000);
	return 0;
}
E
record 0 ./p
dump
has dump '^flags 4 .*threads 1002 dropped 0$' '^thread 1:100:9 bits 3 ' '^path 1:37:5 101$' '^thread 1:101 bits 1 done 0 ended 0'
same "$(grep -c '^thread .* ended 1' dump)" 1000
[ "$(stat -c %s trace/log.*)" -lt 20000000 ]

# The smallest stack that a thread may have is large enough with us, too.
program s <<'E'
#include "recorded.h"
#include <limits.h>
static void *leaf(void *arg) { char text[4096]; B(1); snprintf(text, sizeof text, "%p", arg); return arg; }
int main(void)
{
	pthread_attr_t small;
	pthread_t t;
	pthread_attr_init(&small);
	if (pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN)) return 1;
	if (pthread_create(&t, &small, leaf, NULL)) return 2;
	return pthread_join(t, NULL);
}
E
status 0 ./s
record 0 ./s
dump
has dump '^thread 1:1 bits 1 done 0 ended 1'

# Handles are used again: each join names the thread it was.
program q <<'E'
#include "recorded.h"
static void *nothing(void *arg) { return arg; }
int main(void)
{
	for (int i = 0; i < 2000; i++) {
		pthread_t t;
		pthread_create(&t, NULL, nothing, NULL);
		if (i % 3 == 0) pthread_detach(t);
		else pthread_join(t, NULL);
	}
	return 0;
}
E
record 0 ./q
dump
has dump '^thread 1:2000 ' '^sync 1 op 4000 object t2000 order 2'
same "$(awk '$1 == "sync" && $8 == 2 { print $6 }' dump | sort -u | wc -l)" 1333
