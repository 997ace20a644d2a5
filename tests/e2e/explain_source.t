# A program built in a folder beside its sources, or above them: they are quoted, though the compiler named them relative to where it ran.
mkdir -p src b/bin elsewhere
cat >src/p.c <<'P'
#include <pthread.h>
#include <stdlib.h>
static volatile int ready;
static void *sets(void *x) { ready = 1; return x; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, sets, NULL);
	while (!ready)
		;
	abort();
}
P
(cd b/bin && rethread cc -O1 -g -pthread ../../src/p.c -o p)
status 134 rethread record -q b/bin/p
rethread reproduce >out 2>&1 || fail "$(cat out)"
(cd elsewhere && rethread explain) >out 2>&1
has out 'src/p.c:4 +static void \*sets' 'src/p.c:9 +while \(!ready\)'

mkdir parts
mv src/p.c parts
(cd parts && rethread cc -O1 -g -pthread ./p.c -o ../p)
status 134 rethread record -q ./p
rethread reproduce >out 2>&1 || fail "$(cat out)"
(cd elsewhere && rethread explain) >out 2>&1
has out 'p.c:4 +static void \*sets' 'p.c:9 +while \(!ready\)'
