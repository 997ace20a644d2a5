# analyze: shared access points, shared memory and branches by source line, from the program or its companion.
cat >p.c <<'P'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static int *heap;
static void *work(void *x) {
	pthread_mutex_lock(&m);
	if (shared < 10)
		shared++;
	pthread_mutex_unlock(&m);
	__atomic_fetch_add(heap, 1, __ATOMIC_SEQ_CST);
	return x;
}
static int count(int n) {
	volatile int private = 0;
	if (n > 3)
		private += n;
	return private;
}
int main(void) {
	pthread_t t;
	heap = calloc(1, sizeof *heap);
	pthread_create(&t, 0, work, 0);
	work(0);
	pthread_join(t, 0);
	return shared + *heap + count(10) - 13;
}
P
rethread cc -O0 -g -pthread p.c -o p
rethread analyze p >out
has out '^program p: 3 functions$' '^shared access points: .*[0-9]+ synchronization' '^branches: .*[0-9]+ recorded' \
	'^  global +shared +p.c:4$' '^  heap +calloc +p.c:22 in main' '^p.c$' '^ +7  work +1 synchronization$' \
	'^ +8  work +1 load; branches: 1 recorded$' '^ +9  work +1 load, 1 store$' '^ +11  work +.*1 atomic' '^ +22  main +.*1 call' '^ +16  count +branches: 1 known$'
! grep -Eq '^  stack +private' out || fail "what is private is shared: $(cat out)"
! grep -Eq '^ +17 ' out || fail "private accesses are shared access points: $(cat out)"
rethread analyze --json p >json
python3 - <<'P' || fail "JSON: $(cat json)"
import json
d = json.load(open("json"))
lines = {l["line"]: l for l in d["lines"]}
assert lines[9]["saps"] == {"load": 1, "store": 1}, lines[9]
assert lines[8]["branches"] == {"recorded": 1} and lines[16]["branches"] == {"known": 1}
shared = {m["name"]: m["shared"] for m in d["memory"]}
assert shared["shared"] and not shared["private"], shared
assert not shared["heap"], "written only before the first thread"
assert d["totals"]["functions"] == 3
classes = {x["name"]: x["class"] for x in d["externals"]}
assert classes == {"pthread_mutex_lock": "synchronization", "pthread_mutex_unlock": "synchronization", "calloc": "ALLOCATES",
	"pthread_create": "synchronization", "pthread_join": "synchronization"}, classes
P
# Why a branch is recorded: where what it depends on comes from.
cat >why.c <<'P'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static int shared, *tell;
static int twice(const int *from) {
	return 2 * *from;
}
static void on_signal(int s) {
	if (s == 10)
		puts("s");
}
static void *work(void *x) {
	int own = 0;
	int a = twice(&shared), c = fflush(stdout);
	own += a;
	for (int i = 0; i < 100; i++)
		shared += i;
	if (own > 2)
		puts("a");
	if (c == 'c')
		puts("c");
	if (x)
		puts("x");
	if ((unsigned long)tell & 64)
		puts("t");
	if (__atomic_load_n(&shared, __ATOMIC_SEQ_CST) == 7)
		puts("7");
	return x;
}
int main(void) {
	pthread_t t;
	signal(10, on_signal);
	tell = malloc(4);
	pthread_create(&t, 0, work, 0);
	work(0);
	return pthread_join(t, 0);
}
P
rethread cc -O0 -g -pthread why.c -o why
rethread analyze --why why >why.out
has why.out '^why branches are recorded$' '^ +1  what fflush returned$' '^ +19  work +.*1 recorded$' \
	'^ +recorded: shared memory \(line 7\)$' '^ +recorded: what fflush returned \(line 15\)$' \
	'^ +recorded: a parameter of on_signal, which others may call$' '^ +recorded: where something lies in memory$' \
	'^ +recorded: an atomic or volatile access$' '^ +recorded: known, but shows how far the thread came$'
! rethread analyze why | grep 'recorded for' || fail "reasons without --why"
rethread analyze --json why >json
python3 - <<'P' || fail "JSON: $(cat json)"
import json
d = json.load(open("json"))
assert d["why"]["what fflush returned"] == 1, d["why"]
why = {l["line"]: l["why"] for l in d["lines"]}
assert why[19] == {"shared memory (line 7)": 1}, why[19]
assert sum(d["why"].values()) == d["branches"]["recorded"], d["why"]
P
rethread strip p
rethread analyze p >stripped
same "$(cat stripped)" "$(cat out)"
rethread cc -O2 -g0 -pthread p.c -o q
rethread analyze q >out
has out '^\?$' '^ +0  work '
status 4 rethread analyze /bin/true 2>err
has err 'build it with rethread cc'
status 2 rethread analyze 2>err
